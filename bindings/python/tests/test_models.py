"""Models: verdicts, executions, faults."""
import json

import support
from support import SOURCE

import linchpin
from linchpin import InputError, Model, UsageError

TREIBER = SOURCE / "examples" / "models" / "treiber.lin"
ADDERS = """var n = 0;
Add() = tau -> read.n -> Write(n);
Write(i) = write.i{n = i + 1} -> Stop;
Both() = Add() ||| Add();
#define two n == 2;
#assert Both() reaches two;
#assert Both() deadlockfree;
"""


class Verified(support.Case):
    def test_answers_are_those_of_the_program(self):
        for name in ("treiber.lin", "peterson.csp"):
            path = SOURCE / "examples" / "models" / name
            lines = self.run_program("verify", "--json", path).splitlines()
            for verification, line in zip(linchpin.verify(path, jobs=2), lines):
                fields = json.loads(line)
                mine = verification.to_dict()
                for times in (fields, mine):
                    for name in ("seconds", "memory_bytes", "input"):
                        times.pop(name, None)
                self.assertEqual(mine, fields)
                self.assertEqual(verification.verdict, fields["verdict"])
                self.assertEqual(verification.states, fields["states"])

    def test_a_violation_has_its_execution(self):
        found = [v for v in linchpin.verify(TREIBER) if v.verdict == "violated"]
        shown = found[0]
        self.assertIn("linearizes", shown.assertion.text)
        self.assertEqual(shown.execution.steps[0].kind, "call")
        self.assertIsNone(shown.execution.loop_start)
        self.assertTrue(any(step.line for step in shown.execution.steps))
        self.assertTrue(any(step.changes for step in shown.execution.steps))
        self.assertTrue(len(shown.execution.events) <= len(shown.execution))
        self.assertTrue(shown.history is not None and len(shown.violation.core) > 0)
        self.assertIsNotNone(found[-1].execution.loop_start)  # wait_free: a lasso
        self.assertIn("violated", str(shown))
        self.assertIn("srcdoc", shown._repr_html_())
        with self.assertRaises(TypeError):
            bool(shown)

    def test_texts_are_models_too(self):
        model = Model.parse(ADDERS, "csp")
        self.assertEqual([a.line for a in model.assertions], [6, 7])
        reached, stuck = linchpin.verify(model)
        self.assertTrue(reached.holds)
        self.assertEqual(reached.execution.steps[-1].changes["n"], "2")
        self.assertEqual(stuck.verdict, "violated")
        self.assertEqual([v.assertion.line for v in linchpin.verify(model, line=7)], [7])
        self.assertEqual(model.verify(1).verdict, "violated")
        self.assertEqual(model.verify(model.assertions[0], reduce="none").verdict, "holds")

    def test_what_is_wrong_has_its_place(self):
        with self.assertRaises(InputError) as caught:
            Model.parse("var n = 0;\nP() = a -> ;\n", "csp", name="broken")
        self.assertEqual((caught.exception.file, caught.exception.line), ("broken.csp", 2))
        with self.assertRaises(InputError):
            Model.read("no-such-model.lin")

    def test_a_fault_at_run_time_has_its_execution(self):
        model = Model.parse("var n = 0;\nP() = a{n = 1 / n} -> Stop;\n#assert P() deadlockfree;\n",
                            "csp")
        with self.assertRaises(InputError) as caught:
            linchpin.verify(model)
        self.assertEqual(caught.exception.line, 2)
        self.assertIsNotNone(caught.exception.verification)

    def test_options(self):
        for options in ({"reduce": "magic"}, {"search": "x"}, {"method": "x"}, {"fairness": "x"},
                        {"line": 1}, {"timeout": 0}):
            with self.assertRaises(UsageError, msg=str(options)):
                linchpin.verify(TREIBER, **options)
        with self.assertRaises(UsageError):
            Model.parse("", "pascal")

    def test_a_limit_is_no_verdict(self):
        found = linchpin.verify(TREIBER, line=99, memory=100000)
        self.assertEqual((found[0].verdict, found[0].limit), ("unknown", "memory"))
        self.assertIn("memory", found[0].reason)


if __name__ == "__main__":
    support.main()
