/* The K-valued register of examples/models/register.csp, statement for step: one writer, READERS
 * readers, for ever. */
#ifndef K
#define K 4
#endif
#ifndef READERS
#define READERS 1
#endif

bit B[K];

proctype Reader() {
	byte v;
	short j;
	do
	:: atomic { j = 0; v = 0 };		/* inv.read */
	   do
	   :: atomic { B[j] == 1 -> v = j; j = j - 1 }; break
	   :: atomic { B[j] == 0 -> j = j + 1 }
	   od;
	   do
	   :: j < 0 -> break
	   :: atomic { j >= 0 && B[(j < 0 -> 0 : j)] == 1 -> v = j; j = j - 1 }
	   :: atomic { j >= 0 && B[(j < 0 -> 0 : j)] == 0 -> j = j - 1 }
	   od;
	   atomic { j = 0; v = 0 }		/* res.read */
	od
}

proctype Writer() {
	short i;
	do
	:: if					/* inv.write */
	   :: i = 0
	   :: atomic { K > 1 -> i = 1 }
	   :: atomic { K > 2 -> i = 2 }
	   :: atomic { K > 3 -> i = 3 }
	   :: atomic { K > 4 -> i = 4 }
	   :: atomic { K > 5 -> i = 5 }
	   :: atomic { K > 6 -> i = 6 }
	   :: atomic { K > 7 -> i = 7 }
	   fi;
	   atomic { B[i] = 1; i = i - 1 };
	   do
	   :: i < 0 -> break
	   :: i >= 0 -> atomic { B[i] = 0; i = i - 1 }
	   od;
	   atomic { i = 0 }			/* res.write */
	od
}

init {
	byte n;
	atomic {
		B[K - 1] = 1;
		run Writer();
		do
		:: n < READERS -> run Reader(); n++
		:: else -> break
		od
	}
}
