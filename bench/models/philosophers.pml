/* bench/models/philosophers.csp, step for step: who takes or puts a fork meets it in a channel without
 * buffer. */
chan get[N] = [0] of { byte };
chan put[N] = [0] of { byte };

proctype Philosopher(byte i) {
	byte first = (i + 1) % N, second = i;
	if :: i == 0 -> first = 0; second = 1 :: else fi;
	do
	:: get[first]!i; get[second]!i; skip; put[first]!i; put[second]!i
	od
}

proctype Fork(byte x) {
	byte holder;
	do
	:: get[x]?holder; put[x]?eval(holder)
	od
}

init {
	atomic { byte i = 0; do :: i < N -> run Philosopher(i); run Fork(i); i++ :: else -> break od }
}
