#!/usr/bin/env python3
"""linchpin fmt: the layout of .lin files."""
import re
import shutil

from program import Case, QUEUE_OK, SOURCE, main

UGLY = """

// First in, first out.
#include   "other.lin"
spec  queue{
  list items=[ ];   // the oldest first
  map m = { 1 : 2 };  // b

  op enqueue( value v ){items=items+[ v ];


// indented
    return ok;}

      op dequeue ()   {
   if(items==[])return empty;
   else
   items  =  but_first( items ) ;
   while(! true&&-1<0)
   { n++; }
   int x=choose(1 .. 2*3);
   /* a block
        of lines
      here */
   return items [0] ;
   }
}
spec k { op g(value v) { return ok; }
together  g(value v),open g(value w) { return open,w ; }
op  open g(value v){ return ok; } }
impl j {
op f() { linearize  1-thread:ok ; linearize; return ok; } }
assert i linearizes queue(1,initial=-3)   with threads=2,ops = any ;     // one
assert i satisfies [](call.f-><>  return.f)with threads=2;
assert i never(x==null||
y!=null);         // two
"""

NEAT = """// First in, first out.
#include "other.lin"
spec queue {
    list items = [];    // the oldest first
    map m = {1 : 2};    // b

    op enqueue(value v) { items = items+[v];

        // indented
        return ok; }

    op dequeue() {
        if (items == []) return empty;
        else
            items = but_first(items);
        while (!true && -1 < 0)
        { n++; }
        int x = choose(1..2*3);
        /* a block
             of lines
           here */
        return items[0];
    }
}
spec k { op g(value v) { return ok; }
    together g(value v), open g(value w) { return open, w; }
    op open g(value v) { return ok; } }
impl j {
    op f() { linearize 1-thread: ok; linearize; return ok; } }
assert i linearizes queue(1, initial = -3) with threads = 2, ops = any;  // one
assert i satisfies [](call.f-><> return.f) with threads = 2;
assert i never (x == null ||
    y != null);   // two
"""


UGLY_SWITCH = """const  int N=-1 ;
enum color{ RED,GREEN = 4 ,
BLUE } ;
spec s{
op f( color c ){
switch(c){case RED :return N>0?1 : 2;
   case -1 : case 4: { int x=1; break ; }   // two
default :
// the rest
return 3; } } }
"""

NEAT_SWITCH = """const int N = -1;
enum color { RED, GREEN = 4,
    BLUE };
spec s {
    op f(color c) {
        switch (c) { case RED: return N > 0 ? 1 : 2;
        case -1: case 4: { int x = 1; break; }    // two
        default:
            // the rest
            return 3; } } }
"""


class Fmt(Case):
    def test_addresses_stand_with_their_names(self):
        given = ("impl i{shared int(0..2 * 2) n;\nrecord r { int a[2] ; }\n"
                 "int f( int*p,int( 0..1 )* q,int k )depth 3\n{ *p=k*2 ; return*q; }\n"
                 "op g(){ f(&n,& n,*n * 2); } }\n")
        neat = ("impl i { shared int(0..2 * 2) n;\n    record r { int a[2]; }\n"
                "    int f(int *p, int(0..1) *q, int k) depth 3\n    { *p = k*2; return *q; }\n"
                "    op g() { f(&n, &n, *n * 2); } }\n")
        self.assertEqual(self.expect(0, "fmt", "-", given=given.encode()).out, neat)
        self.assertEqual(self.expect(0, "fmt", "-", given=neat.encode()).out, neat)

    def test_labels_stand_below_their_switch(self):
        self.assertEqual(self.expect(0, "fmt", "-", given=UGLY_SWITCH.encode()).out, NEAT_SWITCH)
        self.assertEqual(self.expect(0, "fmt", "-", given=NEAT_SWITCH.encode()).out, NEAT_SWITCH)

    def test_layout(self):
        self.file("other.lin", "spec other { op f() { return ok; } }\n")
        self.file("a.lin", UGLY)
        result = self.expect(1, "fmt", "--check", "a.lin", "other.lin")
        self.assertEqual(result.out, "a.lin\n")
        self.expect(0, "fmt", "a.lin", "other.lin")
        self.assertEqual((self.folder / "a.lin").read_text(), NEAT)
        self.assertEqual(self.expect(0, "fmt", "--check", "a.lin").out, "")
        self.assertEqual(self.expect(0, "fmt", "-", given=UGLY.encode()).out, NEAT)
        self.assertEqual(self.expect(0, "fmt", "-", given=NEAT.replace("\n", "\r\n").encode()).out, NEAT)

    def test_faults_leave_files_alone(self):
        self.file("bad.lin", "spec   q { op f( { } }\n")
        result = self.expect(2, "fmt", "bad.lin")
        self.assertIn("bad.lin:1: error: expected", result.err)
        self.assertEqual((self.folder / "bad.lin").read_text(), "spec   q { op f( { } }\n")
        self.assertIn("cannot open", self.expect(2, "fmt", "none.lin").err)

    def test_every_command_tells_all_that_is_wrong_with_a_file(self):
        self.file("wrong.lin", "spec q { op a( { } }\nspec { }\nimpl x { op }\n")
        self.file("h", QUEUE_OK)
        told = self.expect(2, "verify", "-q", "wrong.lin").err
        self.assertEqual(re.findall(r"^wrong.lin:(\d+): error: ", told, re.M), ["1", "2", "3"])
        for command in (["fmt", "wrong.lin"], ["rules", "wrong.lin"],
                        ["check", "--spec", "wrong.lin:q", "h"]):
            self.assertEqual(self.expect(2, *command).err, told)

    def test_shipped_files_are_laid_out(self):
        self.expect(0, "fmt", "--check", *SOURCE.glob("examples/**/*.lin"))

    def test_shipped_files_keep_their_meaning(self):
        for path in SOURCE.glob("examples/models/*.lin"):
            name = path.name
            shutil.copy(path, self.folder / name)
            before = self.expect(0, "verify", "--list", name).out
            self.expect(0, "fmt", name)
            self.assertEqual(self.expect(0, "verify", "--list", name).out, before)
            self.expect(0, "fmt", "--check", name)


main()
