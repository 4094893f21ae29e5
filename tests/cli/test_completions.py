#!/usr/bin/env python3
"""What bash, zsh and fish propose, asked of the shells themselves: the commands, every option that
the help has, every value that a message names. Shells that are not there are left out."""
import os
import re
import shutil
import subprocess
import unittest

from program import ENVIRONMENT, PROGRAM, SOURCE, Case, main

BASH = r"""
source "$1"
while IFS= read -r line; do
    spaced=${line//=/ = }
    read -ra COMP_WORDS <<< "$spaced"
    [ "${line: -1}" = " " ] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _linchpin
    printf '%s\n' "${COMPREPLY[@]}" .
done
"""
FISH = r"""
source $argv[1]
while read -l line
    complete -C $line | string split -f 1 \t
    echo .
end
"""


def commands():
    text = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True).stdout
    return re.findall(r"^  linchpin (\S+)", text, re.M)


class Completions:
    """The tests, for one shell."""

    def propose(self, *lines):
        """The proposals for each line, as a list of sets."""
        script = subprocess.run([PROGRAM, "completions", self.shell], capture_output=True, check=True,
                                text=True).stdout
        path = self.file("completion", script)
        command = {"bash": ["bash", "--norc", "-c", BASH, "bash", path],
                   "zsh": [SOURCE / "tests/support/complete.zsh", path],
                   "fish": ["fish", "--no-config", "-c", FISH, path]}[self.shell]
        done = subprocess.run(command, input="".join("linchpin %s\n" % line for line in lines),
                              capture_output=True, text=True, cwd=self.folder,
                              env={**ENVIRONMENT, "HOME": str(self.folder)})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answers = [{line for line in answer.splitlines() if line}
                   for answer in re.split(r"^\.\n", done.stdout, flags=re.M)]
        self.assertEqual(len(answers), len(lines) + 1, done.stdout)
        return answers[:-1]

    def values(self, words):
        """What is proposed for the last word, without what stands before it in a list."""
        return {re.split("[,=]", word)[-1] for word in words}

    def test_commands(self):
        names = set(commands())
        every, some, of_help = self.propose("", "co", "help ver")
        self.assertGreaterEqual(every, names)
        self.assertEqual(some, {name for name in names if name.startswith("co")})
        self.assertEqual(of_help, {"verify"})

    def test_every_option(self):
        names = [name for name in commands() if name not in ("cc", "c++")]
        for name, proposed in zip(names, self.propose(*(name + " --" for name in names))):
            shown = self.run_program(name, "--help").out
            expected = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", shown, re.M))
            self.assertEqual({word.rstrip("=") for word in proposed}, expected, name)
        for name, proposed in zip(names, self.propose(*(name + " -" for name in names))):
            shown = self.run_program(name, "--help").out
            for letter in re.findall(r"^ +-(\w), ", shown, re.M):
                self.assertIn("-" + letter, {word[:2] for word in proposed}, name)

    def test_every_value(self):
        """Those that the message about a wrong one names."""
        asked = []
        for name in commands():
            shown = self.run_program(name, "--help").out
            for option in re.findall(r"^ +(?:-\w, )?(--[a-z-]+) \S", shown, re.M):
                said = self.run_program(name, option, "!", "missing").err
                named = re.search(r"%s: expected (?:one of )?([a-z0-9, -]+), found '!'" % option, said)
                if named and option != "--to" and not re.search(r"\ba ", named[1]):
                    asked.append((name, option, set(re.split(", | or ", named[1]))))
        self.assertGreater(len(asked), 15)
        for form in ("%s %s ", "%s %s="):
            lines = [form % (name, option) for name, option, _ in asked]
            for line, (_, _, expected), found in zip(lines, asked, self.propose(*lines)):
                self.assertEqual(self.values(found), expected, line)

    def test_formats(self):
        for command, option, operand in (("convert", "--to", "h.edn"), ("check", "--format", "h.edn"),
                                         ("graph", "--to", "m.csp"), ("cover", "--to", "n.spec")):
            self.file("h.edn", "")
            said = self.run_program(command, option, "nonsense", operand).err
            named = re.search(r"expected (?:one of )?([a-z, -]+?),? found", said)[1]
            expected = set(re.split(", | or ", named))
            if command == "graph":  # of models; of formulas besides
                expected.add("hoa")
            self.assertEqual(*map(self.values, (self.propose("%s %s " % (command, option))[0], expected)))

    def test_lists_go_on(self):
        said = self.run_program("verify", "--reduce", "nonsense", "m.csp").err
        self.assertEqual(self.values(self.propose("verify --reduce ")[0]),
                         set(re.findall("`([a-z-]+)`", said)) - {"nonsense"})
        one, two = self.propose("verify --reduce sym", "verify --reduce intervals,sym")
        self.assertEqual(self.values(one), {"symmetry"})
        self.assertEqual(self.values(two), {"symmetry"})

    def test_specifications(self):
        names = {line.split("(")[0].split(":")[0] for line in self.run_program("specs").out.splitlines()
                 if line and line[0] != " "}
        self.file("own.lin", "")
        self.file("own.txt", "")
        plain, behind, of_rules = self.propose("check --spec ", "check --spec jobs=prio", "rules -s ")
        self.assertEqual(plain, names | {"own.lin"})
        self.assertEqual(self.values(behind), {"priority-queue"})
        self.assertEqual(of_rules, names)

    def test_files(self):
        os.mkdir(os.path.join(self.folder, "a-folder"))
        for name in ("a.lin", "a.csp", "a.spec", "a.json", "a.c", "a.txt", "a b.lin"):
            self.file(name, "")
        lines = {"verify a": {"a.lin", "a.csp", "a b.lin"}, "fmt a.": {"a.lin"},
                 "cover a.": {"a.spec"}, "replay a.": {"a.json"}, "check a.j": {"a.json"},
                 "check --html a.t": {"a.txt"}, "test -- a.c": {"a.c", "a.csp"}, "specs a": set(),
                 "check --junit=a.t": {"a.txt"}, "cc a.c": {"a.c", "a.csp"}}
        for line, found in zip(lines, self.propose(*lines)):
            names = {word.rpartition("=")[2].replace("\\", "").rstrip("/") for word in found}
            self.assertEqual(names - {"a-folder"}, lines[line], line)


def tests_of(name):
    present = shutil.which(name)
    case = type(name.capitalize(), (Completions, Case), {"shell": name})
    return case if present else unittest.skip("no " + name)(case)


Bash, Zsh, Fish = map(tests_of, ("bash", "zsh", "fish"))


class Refusals(Case):
    def test_other_shells(self):
        for words in ((), ("tcsh",), ("bash", "zsh")):
            result = self.run_program("completions", *words)
            self.assertEqual((result.status, result.out), (2, ""))
            self.assertEqual(result.err, "linchpin completions: expected bash, zsh or fish\n")


main()
