#!/usr/bin/env python3
"""Answers of a map that carry their key: `get "k"` answered ["k" 1]."""
import random

from program import Case, events, main

PUT = '0 invoke put ["k" 1]\n0 ok put ["k" 1]\n'


def get(answer, argument='"k"'):
    return "1 invoke get %s\n1 ok get %s\n" % (argument, answer)


class KeyedResults(Case):
    def verdicts(self, content, *options):
        """Exit statuses without the option, with plain, with keyed."""
        self.file("h", events(content))
        return [self.run_program("check", *options, *choice, "h").status
                for choice in ((), ("--results=plain",), ("--results=keyed",))]

    def test_every_answer_has_its_key(self):
        self.assertEqual(self.verdicts(PUT + get('["k" 1]')), [0, 1, 0])
        self.assertEqual(self.verdicts(PUT + get('["k" 2]')), [1, 1, 1])
        answer = self.expect(1, "check", "--json", "h").objects()[0]
        self.assertEqual(answer["results"], "keyed")
        self.assertIn("returned 2,", answer["reason"])

    def test_the_answer_says_how_it_was_read(self):
        self.file("h", events(PUT + get('["k" 1]')))
        self.assertIn("results [key value]", self.expect(0, "check", "h").out)
        self.file("h", events(PUT + get("1")))
        self.assertNotIn("results", self.expect(0, "check", "h").out)
        self.assertNotIn("results", self.expect(0, "check", "--json", "h").objects()[0])

    def test_invoked_with_the_key_and_nil(self):
        """As Jepsen's generators for independent keys invoke reads."""
        self.assertEqual(self.verdicts(PUT + get('["k" 1]', '["k" nil]'))[::2], [0, 0])
        self.file("h", events(PUT + '1 invoke get ["k" nil]\n1 info get ["k" nil]\n'
                              + get('["k" 1]', '["k" nil]')))
        self.assertEqual(self.expect(0, "check", "--json", "h").objects()[0]["partitions"], 1)

    def test_a_missing_key(self):
        self.assertEqual(self.verdicts(get("nil") + PUT + get('["k" 1]')), [0, 1, 0])
        self.assertEqual(self.verdicts(get('["k" nil]') + PUT + get('["k" 1]')), [0, 1, 0])

    def test_plain_answers_stay_plain(self):
        self.assertEqual(self.verdicts(PUT + get("1")), [0, 0, 2])
        # A value that is a list of two is one, whatever its first component.
        self.assertEqual(self.verdicts('0 invoke put ["k" ["k" 1]]\n0 ok put ["k" ["k" 1]]\n'
                                       + get('["k" 1]'))[:2], [0, 0])
        # A list that was appended to may look like a key and a value.
        appended = "".join("0 invoke append [1 %d]\n0 ok append [1 %d]\n1 invoke get 1\n1 ok get %s\n"
                           % each for each in ((1, 1, "[1]"), (2, 2, "[1 2]"), (3, 3, "[1 2 3]")))
        self.assertEqual(self.verdicts(appended)[:2], [0, 0])
        # Of another key.
        self.assertEqual(self.verdicts(PUT + get('["j" 1]'))[:2], [1, 1])

    def test_mixed_answers_are_an_error(self):
        self.assertEqual(self.verdicts(PUT + get('["k" 1]') + get("1")), [2, 1, 2])
        error = self.expect(2, "check", "h").err
        self.assertRegex(error, r'^h:4: error: .*found \["k" 1\] here and 1 on line 6; '
                                r'--results=keyed or --results=plain says')
        self.assertEqual(self.expect(2, "check", "--json", "h").out, "")

    def test_values_that_are_lists_of_two_are_an_error(self):
        written = '0 invoke put ["k" [1 2]]\n0 ok put ["k" [1 2]]\n'
        self.assertEqual(self.verdicts(written + get('["k" [1 2]]')), [2, 1, 0])
        self.assertIn("--results=keyed or --results=plain", self.expect(2, "check", "h").err)
        self.assertEqual(self.verdicts(get('["k" 1]'), "--initial", "[1 2]", "--spec=map")[0], 2)
        self.assertEqual(self.verdicts(get('["k" 1]'), "--initial", '{"j" [1 2]}',
                                       "--spec=map")[0], 2)

    def test_only_a_map_has_such_results(self):
        self.file("h", events("0 invoke write 1\n0 ok write 1\n"))
        for kind in "plain", "keyed":
            self.assertIn("map", self.expect(2, "check", "--results", kind, "h").err)
        self.assertIn("keyed or plain", self.expect(2, "check", "--results=other", "h").err)

    def test_the_key_in_a_field_of_its_own(self):
        lines = ['{"process":0,"type":"invoke","f":"put","key":"k","value":1}',
                 '{"process":0,"type":"ok","f":"put","key":"k","value":1}',
                 '{"process":0,"type":"invoke","f":"get","key":"k"}',
                 '{"process":0,"type":"ok","f":"get","key":"k","value":["k",1]}']
        self.file("h", "\n".join(lines))
        self.assertIn("results [key value]", self.expect(0, "check", "h").out)

    def test_independent_keys_besides(self):
        self.file("h", events('0 invoke put [7 ["k" 1]]\n0 ok put [7 ["k" 1]]\n'
                              '1 invoke get [7 "k"]\n1 ok get [7 ["k" 1]]\n'))
        self.expect(0, "check", "--spec=map", "--independent", "h")

    def test_the_picture_shows_what_was_answered(self):
        self.file("h", events(PUT + get('["k" nil]')))
        self.assertIn('get → ["k" nil]', self.expect(1, "check", "--results=plain", "h").out)
        self.file("h", events(PUT + get('["k" 2]')))
        out = self.expect(1, "check", "--trace", "t", "h").out
        self.assertIn("get → 2", out)
        self.assertNotIn("nil ━", out)
        self.assertIn("get → 2", self.expect(1, "replay", "t").out)
        self.expect(1, "check", "--results=plain", "--trace", "t", "h")
        self.assertIn('get → ["k" 2]', self.expect(1, "replay", "t").out)
        self.assertIn("--results plain", self.expect(1, "check", "--results=plain", "h").out)

    def test_both_ways_of_recording_get_the_same_answer(self):
        """Random histories, written down in both ways."""
        chosen = random.Random(11)
        for number in range(40):
            forms = [[], []]
            for step in range(12):
                key, process = chosen.choice("ab"), chosen.randrange(3)
                f = chosen.choice(["put", "get"])
                v = chosen.randrange(1, 3)
                for keyed, lines in enumerate(forms):
                    pair = '["%s" %d]' % (key, v)
                    argument = pair if f == "put" else '"%s"' % key
                    answer = pair if keyed or f == "put" else str(v)
                    lines += ["%d invoke %s %s" % (process, f, argument),
                              "%d ok %s %s" % (process, f, answer)]
            answers = []
            for lines in forms:
                self.file("h", events("\n".join(lines)))
                answer = self.run_program("check", "--json", "--spec=map", "h").objects()[0]
                answers.append([answer.get(name) for name in ("verdict", "core", "reason")])
            self.assertEqual(answers[0], answers[1], number)


main()
