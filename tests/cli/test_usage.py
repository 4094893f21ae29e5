#!/usr/bin/env python3
"""Commands, options and their values; --help, --version."""
import os
import re

from program import SOURCE, Case, QUEUE_BAD, QUEUE_OK, main

COMMANDS = ["check", "verify", "test", "stress", "simulate", "graph", "rules", "convert", "replay", "fmt",
            "lsp", "specs"]

MANUAL = ["docs/manual/commands.md", "docs/manual/verify.md",
          "docs/manual/models.md", "docs/manual/rules.md", "docs/manual/test.md",
          "docs/manual/stress.md"]


def options_of(text):
    """The long options that a text of help shows, in order."""
    return re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.M)


class Usage(Case):
    def test_without_a_command(self):
        result = self.expect(2)
        self.assertEqual(result.out, "")
        for command in COMMANDS:
            self.assertIn("linchpin " + command, result.err)

    def test_help_lists_the_commands(self):
        result = self.expect(0, "--help")
        self.assertEqual(result.err, "")
        for command in COMMANDS:
            self.assertIn("linchpin " + command, result.out)
        self.assertIn("Exit status: 0", result.out)
        self.assertEqual(self.expect(0, "-h").out, result.out)

    def test_help_stands_in_columns(self):
        lines = re.findall(r"^  linchpin .*$", self.expect(0, "--help").out, re.M)
        self.assertEqual(len({len(re.match(r".*?  (?=[A-Z][a-z])", line)[0]) for line in lines}), 1)
        for line in lines:
            self.assertLessEqual(len(line), 100)
            self.assertRegex(line, r"\w{3}$")  # a whole sentence, its full stop left out

    def test_a_model_is_no_history(self):
        self.file("m.csp", "P = a -> P; #assert P deadlockfree;")
        self.assertIn("linchpin verify", self.expect(2, "check", "m.csp").err)
        self.file("m.txt", "P = a -> P; #assert P deadlockfree;")
        self.assertNotIn("linchpin verify", self.expect(2, "check", "m.txt").err)

    def test_version(self):
        version = self.expect(0, "--version").out
        self.assertRegex(version, r"^linchpin \d+\.\d+\.\d+\n$")
        for command in COMMANDS:
            self.assertEqual(self.expect(0, command, "--version").out, version)

    def test_unknown_command(self):
        result = self.expect(2, "prove", "x.lin")
        self.assertEqual(result.out, "")
        self.assertEqual(result.err, "linchpin: there is no command 'prove', only check, verify, "
                                     "test, stress, cc, c++, simulate, graph, cover, rules, convert, replay, fmt, lsp and "
                                     "specs\n")

    def test_slips_of_the_pen(self):
        for name, meant in (("chekc", "check"), ("chec", "check"), ("checks", "check"),
                            ("conwert", "convert"), ("spec", "specs"), ("eplay", "replay")):
            message = self.expect(2, name, "x").err
            self.assertTrue(message.endswith("\n(did you mean linchpin %s?)\n" % meant), message)
        for name in ("", "qz", "hcek", "chekc-all", "frobnicate"):
            self.assertNotIn("did you mean", self.expect(2, name, "x").err)

    def test_a_file_where_a_command_was_expected(self):
        self.file("h", QUEUE_OK)
        self.assertTrue(self.expect(2, "h").err.endswith(
            "\n(to check a history: linchpin check h)\n"))

    def test_a_command_cannot_play_with_the_terminal(self):
        self.assertIn("no command '\\x1b[31mred'", self.expect(2, "\033[31mred").err)

    def test_the_command_help(self):
        self.assertEqual(self.expect(0, "help").out, self.expect(0, "--help").out)
        for command in COMMANDS:
            self.assertEqual(self.expect(0, "help", command).out,
                             self.expect(0, command, "--help").out)
        self.assertEqual(self.expect(2, "help", "nosuch").out, "")

    def test_each_heading_of_a_help_stands_once(self):
        for command in COMMANDS:
            headings = re.findall(r"^[A-Z][^:\n]*:$", self.expect(0, "help", command).out, re.M)
            self.assertTrue(headings)
            self.assertEqual(len(set(headings)), len(headings))

    def test_help_names_every_format(self):
        message = self.expect(2, "convert", "--to", "nosuch", "x").err
        formats = re.search("expected one of (.*), found", message)[1].split(", ")
        for command in "check", "convert":
            shown = re.sub(r"\s+", " ", self.expect(0, "help", command).out)
            listed = re.search("where it is not recognised: ([a-z, -]*[a-z])", shown)[1]
            self.assertEqual(sorted(listed.split(" --")[0].split(" -")[0].split(", ")),
                             sorted(formats))

    def test_examples_of_the_help_are_commands(self):
        self.file("history.edn", QUEUE_BAD)
        for command, status in (("check", 1), ("convert", 0), ("replay", 1)):
            examples = self.expect(0, "help", command).out.split("Examples:\n")[1].splitlines()
            words = examples[0].split()
            self.assertEqual(words[0], "linchpin")
            self.expect(status, *words[1:words.index(">") if ">" in words else None])

    def test_help_of_each_command(self):
        for command in COMMANDS:
            result = self.expect(0, command, "--help")
            self.assertTrue(result.out.startswith("usage: linchpin %s [OPTION...]" % command))
            self.assertIn("help", options_of(result.out))
            self.assertTrue(all(len(line) <= 80 for line in result.out.splitlines()))

    def test_every_option_is_in_the_manual(self):
        page = (SOURCE / "docs/man/linchpin.1.scd").read_text()
        manual = "".join((SOURCE / page).read_text() for page in MANUAL)
        for command in COMMANDS:
            for option in options_of(self.expect(0, command, "--help").out):
                self.assertIn("--%s" % option, page)
                self.assertIn("--%s" % option, manual)

    def test_the_manual_has_no_other_options(self):
        known = set()
        for command in COMMANDS:
            known.update(options_of(self.expect(0, command, "--help").out))
        for name in ("docs/man/linchpin.1.scd", *MANUAL):
            text = (SOURCE / name).read_text()
            named = set(re.findall(r"(?<![\w-])--([a-z][a-z-]+)", text))
            self.assertEqual(named - known, set(), name)

    def expect_complaint(self, message, *arguments):
        result = self.expect(2, *arguments)
        self.assertEqual(result.out, "")
        command = arguments[0]
        self.assertEqual(result.err, "linchpin %s: %s\n(linchpin %s --help lists the options)\n"
                         % (command, message, command))

    def test_unknown_options(self):
        self.expect_complaint("there is no option '--xml'", "check", "--xml", "x", "y")
        self.expect_complaint("there is no option '--jsno'; did you mean --json?", "check",
                              "--jsno", "y")
        self.expect_complaint("there is no option '--time-out=3s'; did you mean --timeout?",
                              "check", "--time-out=3s", "y")
        self.expect_complaint("there is no option '-Z'", "check", "-Z", "y")
        self.expect_complaint("there is no option '--spec'", "convert", "--spec", "queue", "y")
        said = 'there is no option \'%s\'; the test file says what the object should be: LP_TEST(..., .spec = "queue", ...)'
        self.expect_complaint(said % "--spec" + ', or "auto"', "test", "--spec", "auto", "y.c")
        self.expect_complaint(said % "--spec=queue", "stress", "--spec=queue", "y.c")

    def test_missing_and_superfluous_arguments(self):
        self.expect_complaint("--memory: expected SIZE behind it, found nothing", "check",
                              "--memory")
        self.expect_complaint("--jobs: expected N behind it, found nothing", "check", "-j")
        self.expect_complaint("--json takes no argument, found '--json=yes'", "check", "--json=yes")

    def test_bad_values(self):
        time = "expected a time such as 100us, 500ms, 30s, 5m or 2h, found '%s'"
        for value in ("30", "abc", "", "0s", "0.9ns", "1ps", "-1s", "1e3s", "5 s", "5d", "1.2.3s", "99999999999h"):
            self.expect_complaint("--timeout: " + time % value, "check", "--timeout", value, "x")
        self.expect_complaint("--total-timeout: " + time % "soon", "check", "--total-timeout=soon",
                              "x")
        size = "--memory: expected a size such as 512M or 4G, found '%s'"
        for value in ("4", "", "0G", "G", "-4G", "4X", "4GG", "99999999999T"):
            self.expect_complaint(size % value, "check", "--memory", value, "x")
        for value in ("0", "-1", "two", "", "1025", "3x"):
            self.expect_complaint("--jobs: expected a number from 1 to 1024, found '%s'" % value,
                                  "check", "-j", value, "x")
        self.expect_complaint("--color: expected auto, always or never, found 'no'", "check",
                              "--color", "no", "x")
        self.expect_complaint("--method: expected auto, monitor, search or definition, found "
                              "'fast'", "check", "--method", "fast", "x")
        self.expect_complaint("--spec: expected the name of a specification, found ''", "check",
                              "--spec", "", "x")
        self.expect_complaint("--trace: expected a text that is not empty, found ''", "check",
                              "--trace=", "x")

    def test_good_values(self):
        self.file("h", QUEUE_OK)
        for arguments in (("--timeout", "1.5h"), ("--timeout=500ms",), ("--memory", "512M"),
                          ("-m", "1GiB"), ("-m2GB",), ("-j", "1"), ("-j3",), ("--total-timeout",
                                                                               "5m")):
            self.expect(0, "check", *arguments, "h")

    def test_a_value_cannot_play_with_the_terminal(self):
        result = self.expect(2, "check", "--timeout", "\033[31mred", "x")
        self.assertIn("found '\\x1b[31mred'", result.err)

    def test_operands(self):
        self.expect_complaint("expected HISTORY..., found nothing", "check")
        self.expect_complaint("expected HISTORY..., found nothing", "check", "--json")
        self.expect_complaint("expected no operand, found 'x' as well", "specs", "x")
        self.expect_complaint("expected HISTORY, found 'b' as well", "convert", "a", "b")
        self.expect_complaint("expected TRACE.json, found nothing", "replay")

    def test_options_may_stand_behind_operands(self):
        self.file("h", QUEUE_OK)
        self.file("--json", QUEUE_OK)
        self.assertEqual(self.expect(0, "check", "h", "--json").objects()[0]["input"], "h")
        result = self.expect(0, "check", "--json", "--", "--json", "h")
        self.assertEqual([each["input"] for each in result.objects()], ["--json", "h"])

    def test_options_may_be_shortened(self):
        self.file("h", QUEUE_OK)
        self.assertEqual(len(self.expect(0, "check", "--js", "h").objects()), 1)

        self.expect_complaint("'--t' may be one of --trace, --timeout, --total-timeout", "check",
                              "--t", "5s", "h")
        self.expect_complaint("'--me=4G' may be one of --method, --metrics, --memory", "check", "--me=4G", "h")

    def test_files_named_twice(self):
        self.file("h", QUEUE_OK)
        self.file("g", QUEUE_OK)
        os.link(self.folder / "g", self.folder / "f")
        for option, output in (("--trace", "h"), ("--junit", "g"), ("--junit", "./f")):
            result = self.expect(2, "check", option, output, "h", "g")
            self.assertRegex(result.err, "'[gh]' is an input, and would be written over")
        result = self.expect(2, "check", "--trace", "new", "--junit", "new", "h")
        self.assertIn("--junit and --trace are the same file, 'new'", result.err)
        self.assertEqual((self.folder / "h").read_text(), QUEUE_OK)
        self.expect(0, "check", "h", "h")
        result = self.expect(2, "check", "-", "-", given=QUEUE_OK.encode())
        self.assertIn("expected one - for standard input, found 2", result.err)
        self.assertEqual(result.out, "")
        self.expect(0, "check", "--junit", "-", "-", given=QUEUE_OK.encode())

    def test_unknown_names(self):
        self.file("h", QUEUE_OK)
        result = self.expect(2, "check", "--spec", "nosuch", "h", "h")
        self.assertEqual(result.out, "")
        self.assertEqual(result.err.count("nosuch"), 1)  # not once for each history
        self.assertIn("queue", result.err)
        result = self.expect(2, "check", "--format", "nosuch", "h")
        self.assertRegex(result.err,
                         r"^linchpin check: --format: expected one of .*edn.*, found 'nosuch'\n$")
        result = self.expect(2, "convert", "--to", "nosuch", "h")
        self.assertRegex(result.err, r"^linchpin convert: --to: expected one of ")

    def test_outputs_that_cannot_be_made(self):
        self.file("h", QUEUE_OK)
        for option in ("--junit", "--trace"):
            result = self.expect(2, "check", option, "no/such/folder", "h")
            self.assertEqual(result.out, "")
            self.assertIn("cannot create 'no/such/folder': No such file or directory", result.err)


main()
