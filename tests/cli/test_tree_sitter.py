#!/usr/bin/env python3
"""The grammars in editors/tree-sitter-linchpin, on the library that editors use: they parse what the
program parses, colour as keywords what its lexers have as keywords, and come to an end on anything."""
import functools
import hashlib
import json
import pathlib
import random
import re
import shutil
import subprocess
import tempfile
import unittest

from program import ENVIRONMENT, PROGRAM, SHARED, SOURCE, Case, main

FOLDER = SOURCE / "editors" / "tree-sitter-linchpin"
LANGUAGES = ("lin", "csp")
SEED, MUTATIONS = 1, 150
GENERATOR = "0.22.6" # of tree-sitter, that made what is here

KEYWORDS = {"keyword", "boolean", "constant.builtin"}  # captures, without what follows a dot
# names of types, of what is built in and of what is in C only: names for the grammar, too
NAMES = set("""int bool value list set map void empty ok URVW XFG function goto char long short
               static unsigned signed volatile use using import""".split())


@functools.lru_cache(maxsize=None)
def models(language):
    """Everything that is parsed without an error, the mended corpus of the fuzzer included."""
    folders = [SOURCE / name for name in ("examples", "bench", "tests", "docs")] + [SHARED / "models"]
    found = sorted({path.resolve() for folder in folders for path in folder.rglob("*." + language)})
    return [path for path in found if path.parent.parent.name != "corpus" or is_parsed(path)]


def is_parsed(path):
    """Whether the program reads the model."""
    return subprocess.run([PROGRAM, "verify", "--list", path], env=ENVIRONMENT,
                          capture_output=True).returncode == 0


def lexer_keywords(language):
    text = (SOURCE / "src" / language / "lexer.h").read_text()
    table = re.search(r"#define \w+_KEYWORDS\(ROW\)(.*?)\n\n", text, re.S)[1]
    return set(re.findall(r'ROW\(\w+, "(\w+)"\)', table))


def parser_words(language):
    """Words that the parser takes for more than a name, by where they stand."""
    text = "".join(path.read_text() for path in (SOURCE / "src" / language).glob("parser*.c"))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"#include.*", "", text)
    return set(re.findall(r'"(\w+)"', text))


def grammar_words(language):
    """The words that are strings of the grammar."""
    def strings(node):
        if isinstance(node, dict):
            if node.get("type") == "STRING":
                yield node["value"]
            node = list(node.values())
        if isinstance(node, list):
            for item in node:
                yield from strings(item)
    rules = json.loads((FOLDER / language / "src" / "grammar.json").read_text())["rules"]
    return {text for text in strings(rules) if re.fullmatch(r"\w+", text)}


def words(text):
    """Each word outside of comments and strings, with its place."""
    blank = re.sub(r'//[^\n]*|/\*.*?\*/|"[^"]*"', lambda match: " " * len(match[0]), text, flags=re.S)
    return [(match[0], match.start(), match.end()) for match in re.finditer(r"\b[A-Za-z_]\w*", blank)]


def corpus(language):
    """Title, text and tree of each test of the grammar's."""
    for path in sorted((FOLDER / language / "test" / "corpus").glob("*.txt")):
        parts = re.split(r"^=+\n(.*)\n=+\n", path.read_text(), flags=re.M)[1:]
        for title, body in zip(parts[::2], parts[1::2]):
            text, tree = re.split(r"^---+\n", body, flags=re.M)
            yield title, text, " ".join(tree.split()).replace("( ", "(").replace(" )", ")")


def mutated(text, chance):
    """The text with one or two tokens removed, doubled, replaced or swapped."""
    tokens = re.findall(r'"[^"]*"|//[^\n]*|/\*.*?\*/|\w+|\s+|[^\w\s]', text, re.S)
    for _ in range(chance.randint(1, 2)):
        at, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        kind = chance.randrange(4)
        if kind == 0:
            tokens[at] = " "
        elif kind == 1:
            tokens.insert(at, tokens[at] + " ")
        elif kind == 2:
            tokens[at] = tokens[other]
        else:
            tokens[at], tokens[other] = tokens[other], tokens[at]
    return "".join(tokens)


@unittest.skipUnless(shutil.which("cc") and pathlib.Path("/usr/include/tree_sitter/api.h").exists(),
                     "no compiler, or libtree-sitter-dev is missing")
class Generated(unittest.TestCase):
    """What is in src/ was made of the grammar.js beside it."""

    def test_the_grammar_is_that_of_its_source(self):
        if not shutil.which("node"):
            self.skipTest("there is no node")
        for language in LANGUAGES:
            made = subprocess.run(["node", SOURCE / "tests/editors/grammar.cjs",
                                   FOLDER / language / "grammar.js"],
                                  capture_output=True, text=True, check=True).stdout
            kept = json.loads((FOLDER / language / "src/grammar.json").read_text())
            self.assertEqual(json.loads(made), {key: value for key, value in kept.items()
                                                if key != "$schema"},
                             f"{language}: tree-sitter generate --no-bindings")

    def test_the_files_are_those_that_were_generated_together(self):
        """generated.sha256 is written when they are: docs/manual/editors.md says how."""
        for language in LANGUAGES:
            lines = (FOLDER / language / "generated.sha256").read_text().splitlines()
            recorded = {name: digest for digest, name in map(str.split, lines)}
            self.assertEqual(set(recorded), {"grammar.js", "src/grammar.json", "src/node-types.json",
                                             "src/parser.c"})
            for name, digest in recorded.items():
                content = (FOLDER / language / name).read_bytes()
                self.assertEqual(hashlib.sha256(content).hexdigest(), digest,
                                 f"{language}/{name} has changed: generate, and record")

    def test_generating_again_changes_nothing(self):
        if not shutil.which("tree-sitter"):
            self.skipTest("there is no tree-sitter")
        version = subprocess.run(["tree-sitter", "--version"], capture_output=True,
                                 text=True).stdout.split()[1]
        for language in LANGUAGES:
            with tempfile.TemporaryDirectory() as folder:
                shutil.copytree(FOLDER / language, folder, dirs_exist_ok=True)
                subprocess.run(["tree-sitter", "generate", "--no-bindings"], cwd=folder, check=True,
                               capture_output=True)
                names = ["src/node-types.json"]
                if version == GENERATOR: # another one writes another parser of the same language
                    names += ["src/grammar.json", "src/parser.c"]
                for name in names:
                    self.assertEqual((pathlib.Path(folder) / name).read_text(),
                                     (FOLDER / language / name).read_text(), name)


class Grammars(Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="linchpin-tree-sitter-")
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.build = pathlib.Path(folder)
        cls.reader = cls.build / "parse"
        sources = [SOURCE / "tests" / "editors" / "parse.c"]
        for language in LANGUAGES:
            part = FOLDER / language / "src"
            for path in part.glob("*.c"):
                sources.append(cls.build / (language + path.stem + ".o"))
                subprocess.run(["cc", "-g", "-fsanitize=address,undefined", "-I", part, "-c", path,
                                "-o", sources[-1]], check=True)
        subprocess.run(["cc", "-g", "-fsanitize=address,undefined", *sources, "-ltree-sitter", "-o",
                        cls.reader], check=True)

    def read(self, language, *arguments):
        return subprocess.run([self.reader, language, *arguments], capture_output=True, text=True,
                              timeout=120)

    def query(self, language, name, path):
        return self.read(language, "-q", FOLDER / "queries" / language / (name + ".scm"), path)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_corpus(self):
        for language in LANGUAGES:
            for title, text, tree in corpus(language):
                result = self.read(language, self.write("case." + language, text))
                self.assertEqual(result.stdout.strip(), tree, title)

    def test_models_have_no_errors(self):
        for language in LANGUAGES:
            paths = models(language)
            self.assertGreater(len(paths), 20)
            for path in paths:
                result = self.read(language, path)
                self.assertEqual((result.returncode, result.stderr), (0, ""), path)

    def test_mutated_models(self):
        """What the program reads has no errors; the rest is read to its end all the same."""
        chance = random.Random(SEED)
        read = 0
        for language in LANGUAGES:
            paths = [path for path in models(language) if path.stat().st_size < 4000]
            for number in range(MUTATIONS):
                text = mutated(chance.choice(paths).read_text(), chance)
                path = self.write("mutated." + language, text)
                result = self.read(language, path)
                self.assertIn(result.returncode, (0, 1), (SEED, number, text, result.stderr))
                if is_parsed(path):
                    read += 1
                    self.assertEqual(result.returncode, 0, (SEED, number, text, result.stdout))
        self.assertGreater(read, MUTATIONS / 10)

    def test_words_of_the_grammar(self):
        for language in LANGUAGES:
            grammar, keywords = grammar_words(language), lexer_keywords(language)
            known = keywords | parser_words(language) | set("XFGURVW")
            self.assertEqual(keywords - grammar, set())
            self.assertEqual(grammar - known - {"include"}, set())
            self.assertEqual(parser_words(language) - NAMES - grammar, set())
            query = (FOLDER / "queries" / language / "highlights.scm").read_text()
            self.assertEqual({word for word in grammar if '"%s"' % word not in query},
                             grammar & {"true", "false", "null"})

    def test_colours(self):
        """Keywords of the lexer have the colour of keywords, and names never have it."""
        for language in LANGUAGES:
            keywords, contextual = lexer_keywords(language), grammar_words(language)
            met = set()
            for path in models(language):
                text = path.read_text()
                result = self.query(language, "highlights", path)
                self.assertEqual((result.returncode, result.stderr), (0, ""), path)
                letters = text.encode()
                coloured = {}
                for line in result.stdout.splitlines():
                    if line:
                        name, first, end = line.split()
                        kind = name if name in KEYWORDS else name.split(".")[0]
                        coloured.setdefault((int(first), int(end)), set()).add(kind)
                for word, first, end in words(letters.decode("latin-1")):
                    is_keyword = bool(coloured.get((first, end), set()) & KEYWORDS)
                    if word in keywords:
                        met.add(word)
                        self.assertTrue(is_keyword, (path, word, first))
                    elif is_keyword:
                        self.assertIn(word, contextual | {"ok", "empty", "full"}, (path, first))
            # what no model has is in the grammar and in the query, as another test says
            self.assertGreater(len(met), 0.8 * len(keywords), sorted(keywords - met))

    def test_other_queries(self):
        for language in LANGUAGES:
            for path in sorted((FOLDER / "queries" / language).glob("*.scm")):
                result = self.query(language, path.stem, models(language)[0])
                self.assertEqual((result.returncode, result.stderr), (0, ""), path)
                self.assertTrue(result.stdout.strip(), path)


if __name__ == "__main__":
    main()
