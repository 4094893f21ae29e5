/* examples/models/peterson.csp, step for step. */
bit wants[2];
byte turn;
bit asked, inside;	/* of process 0 */

proctype Process(byte i) {
	do
	:: atomic { true -> asked = asked || i == 0 };
	   wants[i] = 1;
	   turn = 1 - i;
	   atomic { wants[1 - i] == 0 || turn == i };
	   atomic { asked = asked && i != 0; inside = (i == 0 -> 1 : inside) };
	   inside = (i == 0 -> 0 : inside);
	   wants[i] = 0;
	   true
	od
}

init { atomic { run Process(0); run Process(1) } }

ltl p { [] (asked -> <> inside) }
