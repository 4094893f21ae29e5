/* The careful philosophers of examples/models/dining_philosophers.csp, step for step. */
#ifndef N
#define N 4
#endif

bit fork[N];
byte eaters;

proctype Philosopher(byte i) {
	byte first = (i == 0 -> 1 : i), second = (i == 0 -> 0 : (i + 1) % N);
	do
	:: atomic { fork[first] == 0 -> fork[first] = 1 };
	   atomic { fork[second] == 0 -> fork[second] = 1 };
	   eaters++;
	   eaters--;
	   fork[i] = 0;
	   fork[(i + 1) % N] = 0
	od
}

init {
	atomic { byte i = 0; do :: i < N -> run Philosopher(i); i++ :: else -> break od }
}

ltl p { [] <> (eaters > 0) }
