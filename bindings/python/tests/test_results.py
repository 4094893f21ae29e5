"""Answers: what they say, and how they show themselves."""
import html
import json
import re

import support
from support import HISTORIES

import linchpin

STALE = [(1, "write", 7, None, 0, 10), (2, "read", None, 7, 1, 2), (2, "read", None, None, 3, 4)]


def timeless(text):
    return re.sub(r"\d+\.\d+ s", "T s", text)


class Fields(support.Case):
    def test_of_a_violation(self):
        result = linchpin.check(STALE, "register", method="search")
        self.assertEqual(result.verdict, linchpin.VIOLATION)
        self.assertIsInstance(result.verdict, linchpin.Verdict)
        self.assertFalse(result.linearizable)
        self.assertEqual((result.operations, result.pending, result.spec, result.method,
                          result.limit), (3, 0, "register", "search", "none"))
        self.assertIsNone(result.linearization)
        self.assertEqual(list(result.core), list(result.violation.core))
        self.assertEqual({o.index for o in result.core}, {1, 2})
        longest = result.partials[0]
        self.assertEqual([o.index for o in longest.order], [0, 1])
        self.assertEqual([o.index for o in longest.stuck], [2])
        self.assertEqual(longest.state, "7")
        self.assertIn("read", result.reason)

    def test_of_a_right_history(self):
        result = linchpin.check(STALE[:2], "register")
        self.assertTrue(result.linearizable)
        self.assertEqual([o.index for o in result.linearization], [0, 1])
        self.assertEqual(result.violations, ())
        self.assertIsNone(result.violation)
        self.assertEqual((tuple(result.core), result.partials, result.reason), ((), (), ""))

    def test_verdicts_are_words_and_no_truth(self):
        result = linchpin.check(STALE, "register")
        self.assertEqual(result.verdict, "violation")
        self.assertEqual(str(result.verdict), "violation")
        with self.assertRaises(TypeError):
            bool(result)
        with self.assertRaises(TypeError):
            if not result:
                self.fail("an answer is not true or false")

    def test_in_tests(self):
        with self.assertRaises(linchpin.NotLinearizable) as caught:
            linchpin.assert_linearizable(STALE, "register")
        self.assertIsInstance(caught.exception, AssertionError)
        self.assertIn("violation", str(caught.exception))
        self.assertEqual(caught.exception.result.verdict, "violation")
        self.assertTrue(linchpin.assert_linearizable(STALE[:2], "register").linearizable)


class Alike(support.Case):
    def test_answers_about_histories_and_models_are_answers(self):
        model = linchpin.Model.parse("spec s { op f() { return ok; } }\n"
                                     "impl i { op f() { return ok; } }\n"
                                     "assert i linearizes s;\n")
        answers = [linchpin.check([(0, "read", None, None, 0, 1)], "register"), model.verify(0)]
        for answer in answers:
            self.assertIsInstance(answer, linchpin.Answer)
            fields = answer.to_dict()
            self.assertEqual(fields["verdict"], answer.verdict)
            self.assertEqual(fields["method"], answer.method)
            self.assertEqual((answer.limit, answer.covered), ("none", ""))
            self.assertGreaterEqual(answer.seconds, 0)
        self.assertEqual([answer.verdict for answer in answers], ["linearizable", "holds"])


class Shown(support.Case):
    def test_text_and_json_are_those_of_the_program(self):
        for path in sorted([*HISTORIES.glob("*.jsonl"), *HISTORIES.glob("*.edn")]):
            keyed = path.name == "jepsen-stale-reads.edn"
            options = ["--independent"] if keyed else []
            for result in linchpin.check_files(path, independent=keyed):
                printed = self.run_program("check", *options, path)
                fields = json.loads(self.run_program("check", "--json", *options, path))
                mine = result.to_dict()
                for times in (fields, mine):
                    times.pop("seconds")
                    times.pop("input")
                self.assertEqual(mine, fields)
                replayed = re.sub(r"\n +(replay it:|linchpin ).*", "", printed)
                for line in timeless(str(result)).splitlines():
                    self.assertIn(line, timeless(replayed).splitlines())

    def test_text_may_be_narrow_coloured_and_plain(self):
        result = linchpin.check(STALE, "register")
        self.assertNotIn("\033", str(result))
        self.assertIn("\033", result.to_text(colour=True))
        self.assertTrue(result.to_text(ascii=True).isascii())
        self.assertEqual(len(result.to_text(quiet=True).splitlines()), 1)
        many = linchpin.check([(p, "enqueue", p, None, 0, 9) for p in range(4)] +
                              [(9, "dequeue", None, 8, 3, 4)], "queue")
        self.assertNotEqual(many.to_text(columns=40), many.to_text(columns=120))
        with self.assertRaises(linchpin.UsageError):
            result.to_text(columns=3)

    def test_pages_stand_alone_and_in_notebooks(self):
        result = linchpin.check(STALE, "register", name="</script><b>")
        page = result.to_html()
        self.assertTrue(page.lower().startswith("<!doctype html>"))
        self.assertIsNone(re.search(r'(src|href)="http', page))
        self.assertNotIn("</script><b>", page)
        shown = result._repr_html_()
        inner = re.fullmatch(r'<iframe [^>]*srcdoc="([^"]*)"></iframe>', shown, re.DOTALL)
        self.assertEqual(html.unescape(inner.group(1)), page)

    def test_one_page_has_several_answers(self):
        results = [linchpin.check(STALE, "register"), linchpin.check([], "queue")]
        page = linchpin.page(results)
        self.assertEqual(page.count('class="answer">'), 2)

    def test_json_has_the_linearization_where_it_is_asked_for(self):
        result = linchpin.check(STALE[:2], "register")
        self.assertNotIn("linearization", result.to_dict())
        self.assertEqual(result.to_dict(linearization=True)["linearization"], [0, 1])


class Files(support.Case):
    def test_a_file_of_several_histories_is_read_as_such(self):
        with self.assertRaises(linchpin.InputError) as caught:
            linchpin.check(SOURCE_FILE)
        self.assertTrue(str(caught.exception).startswith(str(SOURCE_FILE)))

    def test_what_is_wrong_has_its_place(self):
        for text, line in (("{:process 0, :type :invoke, :f :read, :value nil}\nnonsense\n", 2),
                           ("{:process 0, :type :ok, :f :read, :value nil}\n", 1)):
            with self.assertRaises(linchpin.InputError) as caught:
                linchpin.History.parse(text, name="broken.edn")
            self.assertEqual((caught.exception.file, caught.exception.line), ("broken.edn", line))
            self.assertTrue(caught.exception.expected and caught.exception.found)

    def test_there_must_be_a_file(self):
        with self.assertRaises(linchpin.InputError):
            linchpin.check("no-such-file.edn")

    def test_options_that_make_no_sense(self):
        for options in ({"method": "guess"}, {"timeout": 0}, {"timeout": -1}, {"jobs": -1},
                        {"memory": 0}, {"results": "x"}, {"format": "edn"}, {"columns": {}}):
            with self.assertRaises(linchpin.UsageError, msg=str(options)):
                linchpin.check(STALE, "register", **options)
        with self.assertRaises(linchpin.UsageError):
            linchpin.check(STALE, "regster")
        with self.assertRaises(linchpin.UsageError):
            linchpin.check(STALE, 7)
        with self.assertRaises(linchpin.InputError):
            linchpin.check(STALE, "queue")
        with self.assertRaises(linchpin.InputError):
            linchpin.check(STALE, "register", require=4)

    def test_an_initial_value(self):
        rows = [(0, "read", None, 5, 0, 1)]
        self.assertTrue(linchpin.check(rows, "register", initial=5).linearizable)
        self.assertFalse(linchpin.check(rows, "register", initial=6).linearizable)
        self.assertFalse(linchpin.check(rows, "register").linearizable)

    def test_names_of_specifications(self):
        found = linchpin.specifications()
        self.assertIn("enqueue", found["queue"][1])


SOURCE_FILE = support.SOURCE / "README.md"

if __name__ == "__main__":
    support.main()
