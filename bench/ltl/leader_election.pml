/* The ring that passes on everything, of examples/models/leader_election.csp, step for step. */
#ifndef N
#define N 4
#endif

chan to[N] = [N] of { byte };
bit led;

proctype Talker(byte i) {
	byte n;
	to[(i + 1) % N]!i;
	do
	:: to[i]?n ->
	   if
	   :: n == i -> led = led || (i == N - 1)
	   :: else -> to[(i + 1) % N]!n
	   fi
	od
}

init {
	atomic { byte i = 0; do :: i < N -> run Talker(i); i++ :: else -> break od }
}

ltl p { <> led }
