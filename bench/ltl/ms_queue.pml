/* Michael and Scott's queue as in examples/models/ms_queue.csp, step for step; what has been done
 * with stays in the local variables there that do here. */
#ifndef N
#define N 2
#endif
#ifndef OPS
#define OPS 2
#endif
#define VALUES 2

byte next[N * OPS + 1], val[N * OPS + 1];
byte head, tail, done;

proctype Client(byte i) {
	byte k, n, h, t, x, v;
	do
	:: k < OPS ->
	   if
	   :: atomic { n = 1 + i * OPS + k; val[n] = 1 }; goto enqueue
	   :: atomic { n = 1 + i * OPS + k; val[n] = 2 }; goto enqueue
	   :: skip; goto dequeue
	   fi;
enqueue:   t = tail;
	   x = next[t];
	   if
	   :: t != tail -> goto enqueue
	   :: t == tail ->
	      if
	      :: atomic { x != 0 -> if :: tail == t -> tail = x :: else fi }; goto enqueue
	      :: atomic { x == 0 && next[t] != 0 }; goto enqueue
	      :: atomic { x == 0 && next[t] == 0 -> next[t] = n };
	         atomic { if :: tail == t -> tail = n :: else fi };
	         atomic { t = 0; x = 0; n = 0; k++ }
	      fi
	   fi;
	   goto again;
dequeue:   h = head;
	   t = tail;
	   x = next[h];
	   if
	   :: h != head -> goto dequeue
	   :: h == head ->
	      if
	      :: atomic { h == t && x == 0 -> h = 0; t = 0; k++ }
	      :: atomic { h == t && x != 0 -> if :: tail == t -> tail = x :: else fi }; goto dequeue
	      :: atomic { h != t -> v = val[x] };
	         if
	         :: head != h -> goto dequeue
	         :: atomic { head == h -> head = x };
	            atomic { h = 0; t = 0; x = 0; v = 0; k++ }
	         fi
	      fi
	   fi;
again:	   skip
	:: k == OPS -> break
	od;
	done++
}

init {
	atomic { byte i = 0; do :: i < N -> run Client(i); i++ :: else -> break od }
}

ltl p { <> (done == N) }
