/* Herlihy and Wing's queue of SLOTS slots with N threads, as examples/models/any/hw_queue.lin has it, and
 * the automaton queue_order of examples/rules: 1 was enqueued before 2, and 2 is dequeued before a
 * dequeue of 1 is called. As there a call is one step with the first of its operation, an answer with
 * the last, and a dequeue says at its call what it will answer: an execution in which it does not ends. */
#ifndef N
#define N 2
#endif
#ifndef SLOTS
#define SLOTS 2
#endif

byte slot[SLOTS];
byte back;
byte order; /* state of the automaton: 4 accepts */

inline enqueue_called(colour)
{
    if
    :: colour == 1 -> order == 0; order = 1
    :: colour == 2 -> order == 2; order = 3
    :: else
    fi
}

inline enqueue_returned(colour)
{
    if
    :: colour == 1 && order == 1 -> order = 2
    :: else
    fi
}

inline dequeue_returned(colour)
{
    if
    :: colour == 2 && order == 3 -> order = 4; assert(false)
    :: else
    fi
}

proctype client()
{
    byte colour, i, range;
    do
    :: atomic {
           back < SLOTS;
           if
           :: order == 0 -> colour = 1
           :: order == 2 -> colour = 2
           :: colour = 3
           fi;
           enqueue_called(colour);
           i = back;
           back++
       };
       atomic {
           slot[i] = colour;
           enqueue_returned(colour);
           colour = 0;
           i = 0
       }
    :: atomic {
           if
           :: colour = 2
           :: colour = 3
           fi;
           range = back
       };
       do
       :: atomic {
              i < range && slot[i] == 0 -> i++
          }
       :: atomic {
              i >= range -> i = 0;
              range = back
          }
       :: atomic {
              i < range && slot[i] == colour -> slot[i] = 0;
              dequeue_returned(colour);
              colour = 0;
              i = 0;
              range = 0;
              break
          }
       od
    od
}

init
{
    byte started;
    atomic {
        do
        :: started < N -> run client(); started++
        :: else -> break
        od
    }
}
