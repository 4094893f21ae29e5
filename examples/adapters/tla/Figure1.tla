------------------------------ MODULE Figure1 ------------------------------
(* Four histories of a queue that three processes share, after figure 1 of    *)
(* Herlihy and Wing, "Linearizability: a correctness condition for concurrent *)
(* objects" (1990). Linearizable are H1 and H3.                               *)
EXTENDS Sequences

H1 == <<
    \* x and y are enqueued at the same time, so either may be first.
    [op |-> "E", val |-> "x", proc |-> "A"],
    [op |-> "E", val |-> "y", proc |-> "B"],
    [op |-> "Ok", proc |-> "B"],
    [op |-> "Ok", proc |-> "A"],
    [op |-> "D", proc |-> "B"],
    [op |-> "Ok", val |-> "x", proc |-> "B"],
    [op |-> "D", proc |-> "A"],
    [op |-> "Ok", val |-> "y", proc |-> "A"],
    [op |-> "E", val |-> "z", proc |-> "A"] >>

H2 == <<
    \* x was there before y came, and yet y leaves first.
    [op |-> "E", val |-> "x", proc |-> "A"],
    [op |-> "Ok", proc |-> "A"],
    [op |-> "E", val |-> "y", proc |-> "B"],
    [op |-> "D", proc |-> "A"],
    [op |-> "Ok", proc |-> "B"],
    [op |-> "Ok", val |-> "y", proc |-> "A"] >>

H3 == <<
    \* An enqueue may have happened before it returns.
    [op |-> "E", val |-> "x", proc |-> "A"],
    [op |-> "D", proc |-> "B"],
    [op |-> "Ok", val |-> "x", proc |-> "B"] >>

H4 == <<
    \* y was enqueued once, and dequeued twice.
    [op |-> "E", val |-> "x", proc |-> "A"],
    [op |-> "E", val |-> "y", proc |-> "B"],
    [op |-> "Ok", proc |-> "A"],
    [op |-> "Ok", proc |-> "B"],
    [op |-> "D", proc |-> "A"],
    [op |-> "D", proc |-> "C"],
    [op |-> "Ok", val |-> "y", proc |-> "A"],
    [op |-> "Ok", val |-> "y", proc |-> "C"] >>
=============================================================================
