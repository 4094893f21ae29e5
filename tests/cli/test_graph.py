#!/usr/bin/env python3
"""linchpin graph: what is drawn, in each format, and where it is cut."""
import json
import os
import re

from program import ENVIRONMENT, Case, main

# τ leads from one state to two others, of which one can be reached with a visible event as well
MODEL = """
var x = 0;
P = a{x = 1} -> Q;
Q = (tau -> b -> Stop) [] c -> R;
R = b -> Stop;
Endless = up{x = x + 1} -> Endless;
"""


def numbers(text):
    """A .aut file: its first line, and its transitions."""
    first = re.match(r"des \((\d+),(\d+),(\d+)\)\n", text)
    rows = re.findall(r'^\((\d+),"([^"]*)",(\d+)\)$', text, re.M)
    return tuple(map(int, first.groups())), [(int(a), e, int(b)) for a, e, b in rows]


class Graph(Case):
    def setUp(self):
        super().setUp()
        self.file("m.csp", MODEL)

    def json(self, *arguments, status=0):
        return json.loads(self.expect(status, "graph", "--to", "json", *arguments).out)

    def test_json(self):
        graph = self.json("m.csp", "P")
        self.assertEqual((graph["process"], graph["complete"]), ("P", True))
        # P -a-> Q -τ-> (b -> Stop) -b-> Stop, Q -c-> R -b-> Stop: R is a reference, so another state
        steps = [(edge["source"], edge["event"], edge["target"], edge["visible"])
                 for edge in graph["edges"]]
        self.assertEqual(len(graph["states"]), 5)
        self.assertEqual(sorted(event for _, event, _, _ in steps), ["a", "b", "b", "c", "τ"])
        self.assertEqual([visible for _, event, _, visible in steps if event == "τ"], [False])
        ends = {target for _, event, target, _ in steps if event == "b"}
        self.assertEqual(len(ends), 1)
        self.assertEqual([state["id"] for state in graph["states"] if state["initial"]], [0])
        self.assertEqual([state["variables"]["x"] for state in graph["states"]],
                         ["0", "1", "1", "1", "1"])
        self.assertNotIn("normalised", graph)

    def test_a_line_stands_for_what_is_asserted_there(self):
        self.file("two.lin", "impl a { shared bool b; op set() { b = true; return ok; } }\n"
                             "impl c { shared bool d; op flip() { d = true; return ok; } }\n"
                             "assert a never (b) with threads = 1, ops = 1;\n"
                             "assert c never (d) with threads = 1, ops = 1;\n")
        for operands in ["two.lin:4"], ["two.lin", "c"]:
            drawn = self.expect(0, "graph", "--to", "aut", *operands).out
            self.assertIn('"inv.flip.0"', drawn)
            self.assertNotIn('"inv.set.0"', drawn)
        self.assertEqual(self.expect(2, "graph", "two.lin:1").err,
                         "two.lin: error: expected an assertion in line 1, found none\n")

    def test_normalised_states(self):
        graph = self.json("--normal", "m.csp", "P")
        groups = graph["normalised"]
        hidden = next(edge["target"] for edge in graph["edges"] if not edge["visible"])
        # before a; after it Q and what τ makes of it; after b; after c
        self.assertEqual([len(group["members"]) for group in groups], [1, 2, 1, 1])
        self.assertIn(hidden, groups[1]["members"])
        after = {edge["event"]: edge["target"] for edge in groups[1]["edges"]}
        self.assertEqual(sorted(after), ["b", "c"])
        again = {edge["event"]: edge["target"] for edge in groups[after["c"]]["edges"]}
        self.assertEqual(again, {"b": after["b"]})

    def test_dot(self):
        out = self.expect(0, "graph", "m.csp", "P").out
        self.assertTrue(out.startswith('digraph "P" {\n'))
        self.assertIn('s0 [label="0\\nx = 0"];', out)
        self.assertIn('s0 -> s1 [label="a"];', out)
        self.assertRegex(out, r's1 -> s\d \[label="τ", style=dashed\];')
        normal = self.expect(0, "graph", "-N", "m.csp", "P").out
        self.assertEqual(normal.count("subgraph cluster_"), 4)
        self.assertIn('g0_s0 -> g1_s1 [label="a"];', normal)
        # a node for each member of each group, and every edge once for each of them
        self.assertEqual(len(re.findall(r"^    g\d_s\d \[", normal, re.M)), 5)
        self.assertEqual(normal.count("[label=\"b\"]"), 2)

    def test_a_state_of_several_normalised_states_is_drawn_in_each(self):
        self.file("two.csp", "P = a -> L [] b -> (tau -> L [] c -> Stop); L = c -> Stop;")
        graph = self.json("--normal", "two.csp", "P")
        members = [member for group in graph["normalised"] for member in group["members"]]
        twice = {member for member in members if members.count(member) > 1}
        out = self.expect(0, "graph", "--normal", "two.csp", "P").out
        for member in twice:
            self.assertEqual(len(re.findall(r"^    g\d_s%d \[" % member, out, re.M)), 2)
        self.assertEqual(len(twice), 1)

    def test_aut(self):
        head, rows = numbers(self.expect(0, "graph", "--to=aut", "m.csp", "P").out)
        self.assertEqual(head, (0, 5, 5))
        self.assertEqual(sorted(event for _, event, _ in rows), ["a", "b", "b", "c", "tau"])
        head, rows = numbers(self.expect(0, "graph", "--normal", "--to=aut", "m.csp", "P").out)
        self.assertEqual(head, (0, 4, 4))
        self.assertNotIn("tau", [event for _, event, _ in rows])

    def test_aut_has_one_initial_state(self):
        self.file("w.csp", "var w:{1..3} = *; P = a.w -> Stop;")
        head, rows = numbers(self.expect(0, "graph", "--to=aut", "w.csp").out)
        self.assertEqual(head[0], head[2] - 1)
        starts = [target for source, event, target in rows if source == head[0]]
        self.assertEqual(len(starts), 3)
        self.assertEqual(head[1], len(rows))

    def test_the_format_follows_the_name(self):
        for name, begins in (("g.dot", "digraph"), ("g.gv", "digraph"), ("g.json", "{"),
                             ("g.aut", "des (")):
            self.assertEqual(self.expect(0, "graph", "-o", name, "m.csp", "P").out, "")
            self.assertTrue((self.folder / name).read_text().startswith(begins))
        self.expect(0, "graph", "--to", "aut", "-o", "odd.txt", "m.csp", "P")
        self.assertTrue((self.folder / "odd.txt").read_text().startswith("des ("))
        result = self.expect(2, "graph", "-o", "odd.txt", "m.csp", "P")
        self.assertIn("what --output ends with: expected dot, json,", result.err)
        self.assertIn("--to: expected dot,", self.expect(2, "graph", "--to=x", "m.csp").err)

    def test_a_graph_that_is_cut_says_so(self):
        result = self.expect(3, "graph", "--max-states", "10", "--to", "json", "m.csp", "Endless")
        graph = json.loads(result.out)
        self.assertEqual((graph["complete"], len(graph["states"])), (False, 11))
        self.assertEqual([state["expanded"] for state in graph["states"]], [True] * 10 + [False])
        self.assertEqual(result.err, "linchpin graph: the limit of 10 states was reached "
                                     "(--max-states): of 11 states found, the steps of 1 are "
                                     "missing\n")
        self.assertIn("style=\"rounded,dashed\"",
                      self.expect(3, "graph", "--max-states=3", "m.csp", "Endless").out)
        result = self.expect(3, "graph", "--normal", "--max-states=3", "m.csp", "Endless")
        self.assertEqual(result.out, "")
        self.assertIn("nothing is drawn", result.err)
        result = self.expect(3, "graph", "--max-states=900000000", "--timeout=50ms", "m.csp",
                             "Endless")
        self.assertIn("the time limit of 50 ms was reached", result.err)

    def test_errors(self):
        self.assertIn("absent.csp: error: cannot open", self.expect(2, "graph", "absent.csp").err)
        result = self.expect(2, "graph", "m.csp", "Nobody")
        self.assertRegex(result.err, r"\Alinchpin graph: `Nobody` names no process")
        self.file("bad.csp", "var x; P = a -> b.(1 / x) -> P;")
        self.file("old.dot", "old")
        result = self.expect(2, "graph", "-o", "old.dot", "bad.csp")
        self.assertRegex(result.err, r"\Abad.csp:1: error: .*zero")
        self.assertEqual((self.folder / "old.dot").read_text(), "old")

    def test_a_formula_is_drawn_without_a_model(self):
        out = self.expect(0, "graph", "--ltl", "[] p").out
        self.assertIn("start_0 -> 0;", out)
        self.assertIn('0 -> 0 [label="p"];', out)
        automaton = json.loads(self.expect(0, "graph", "--ltl", "!<> !p", "--to=json").out)
        self.assertEqual((automaton["simplified"], automaton["states"]), ("[] p", 1))
        self.assertEqual([(edge["positive"], edge["negative"]) for edge in automaton["edges"]],
                         [(["p"], [])])
        self.expect(0, "graph", "--ltl", "a U (b == 1)", "-o", "f.hoa")
        lines = (self.folder / "f.hoa").read_text().splitlines()
        self.assertEqual((lines[0], lines[-1]), ("HOA: v1", "--END--"))
        self.assertIn('AP: 2 "a" "(b == 1)"', lines)
        self.assertIn("Acceptance: 1 Inf(0)", lines)
        self.expect(0, "graph", "--ltl", "p", "-o", "f.svg", environment=self.with_dot("cat"))
        self.assertTrue((self.folder / "f.svg").read_text().startswith("digraph"))

    def test_a_formula_that_is_wrong_is_shown(self):
        result = self.expect(2, "graph", "--ltl", "a && (b U)")
        self.assertEqual(result.err.splitlines()[1:], ["    a && (b U)", "             ^"])
        self.assertIn("expected parentheses around a condition, found `==`",
                      self.expect(2, "graph", "--ltl", "a == 1").err)
        result = self.expect(2, "graph", "--ltl", " && ".join("p%d" % i for i in range(65)))
        self.assertIn("at most 64 different atoms", result.err)

    def test_a_formula_goes_with_no_model(self):
        self.assertIn("expected no operand, found 'm.csp' as well",
                      self.expect(2, "graph", "--ltl", "p", "m.csp").err)
        self.assertIn("do not go together", self.expect(2, "graph", "--ltl", "p", "--normal").err)
        self.assertIn("expected dot, json, hoa,", self.expect(2, "graph", "--ltl", "p", "-t",
                                                              "aut").err)
        self.assertIn("expected dot, json, aut,", self.expect(2, "graph", "-t", "hoa", "m.csp").err)

    def test_a_formula_too_large_for_the_limits_is_not_drawn(self):
        deep = " && ".join("(p%d <-> <> p%d)" % (i, i + 1) for i in range(60))
        result = self.expect(3, "graph", "--ltl", deep, "--timeout", "200ms")
        self.assertEqual(result.out, "")
        self.assertIn("nothing is drawn", result.err)

    def with_dot(self, script):
        self.file("bin/dot", "#!/bin/sh\n" + script)
        os.chmod(self.folder / "bin" / "dot", 0o755)
        return {"PATH": "%s:%s" % (self.folder / "bin", ENVIRONMENT["PATH"])}

    def test_pictures_are_made_by_graphviz(self):
        environment = self.with_dot('printf "%s " "$1"; cat')
        self.expect(0, "graph", "-o", "g.svg", "m.csp", "P", environment=environment)
        drawn = (self.folder / "g.svg").read_text()
        self.assertEqual(drawn, "-Tsvg " + self.expect(0, "graph", "m.csp", "P").out)
        out = self.expect(0, "graph", "--to", "png", "m.csp", "P", environment=environment).out
        self.assertTrue(out.startswith("-Tpng digraph"))

    def test_without_graphviz_there_is_no_picture(self):
        self.file("empty/none", "")
        result = self.expect(2, "graph", "-o", "g.svg", "m.csp", "P",
                             environment={"PATH": str(self.folder / "empty")})
        self.assertIn("svg needs the program dot of graphviz, which is not installed", result.err)
        self.assertFalse((self.folder / "g.svg").exists())
        self.expect(2, "graph", "-o", "g.pdf", "m.csp", "P", environment=self.with_dot("exit 1"))
        self.assertFalse((self.folder / "g.pdf").exists())


main()
