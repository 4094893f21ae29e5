/* Treiber's stack as in examples/models/treiber.lin, statement for step: N threads of OPS operations
 * each. A node is the one that its push has made; what has been done with is set back. */
#ifndef N
#define N 2
#endif
#ifndef OPS
#define OPS 2
#endif

byte top, next[N * OPS + 1], val[N * OPS + 1];

proctype Client(byte i) {
	byte k, n, t, x;
	do
	:: k < OPS ->
	   if					/* the call, with a new node */
	   :: atomic { n = 1 + i * OPS + k; val[n] = 1 }
	   :: atomic { n = 1 + i * OPS + k; val[n] = 2 }
	   :: skip
	   fi;
	   do
	   :: n != 0 ->				/* push */
	      t = top;
	      next[n] = t;
	      if
	      :: atomic { top == t -> top = n; t = 0; n = 0 }; break
	      :: top != t
	      fi
	   :: n == 0 ->				/* pop */
	      t = top;
	      if
	      :: t == 0 -> break
	      :: t != 0
	      fi;
	      x = next[t];
	      if
	      :: atomic { top == t -> top = x; x = 0 }; atomic { x = val[t]; t = 0; x = 0 }; break
	      :: atomic { top != t -> x = 0 }
	      fi
	   od;
	   k++					/* the return */
	:: k == OPS -> break
	od
}

init {
	byte n;
	atomic {
		do
		:: n < N -> run Client(n); n++
		:: else -> break
		od
	}
}
