#!/usr/bin/env python3
"""linchpin lsp, by a client that speaks the protocol."""
import json
import os
import pathlib
import random
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from language_client import Client, Failed, edit, uri_of
from program import ENVIRONMENT, PROGRAM, SOURCE, Case, main

MODELS = sorted((SOURCE / "examples" / "models").glob("*.lin")) + sorted(
    (SOURCE / "examples" / "models").glob("*.csp"))
REGISTER = """\
spec cell {
    value held = null;

    op put(value v) {
        held = v;
        return ok;
    }

    op get() {
        return held;
    }
}

impl one_word {
    shared value word;

    op put(value v) {
        word = v;
        return ok;
    }

    op get() {
        return word;
    }
}

assert one_word linearizes cell;  // expect: holds
assert one_word wait_free;
assert one_word never (word == null);  // expect: violated
"""
FILE = "file:///nowhere/cell.lin"


def apply(text, edits):
    """A text after edits, whose positions are in units of UTF-16."""
    lines = text.splitlines(keepends=True) + [""]

    def offset(position):
        before = "".join(lines[:position["line"]])
        line = lines[position["line"]].encode("utf-16-le")
        return len(before) + len(line[:2 * position["character"]].decode("utf-16-le"))

    places = sorted(((offset(e["range"]["start"]), offset(e["range"]["end"]), e["newText"])
                     for e in edits), reverse=True)
    for start, end, new in places:
        text = text[:start] + new + text[end:]
    return text


def flat(symbols):
    """An outline, parents before their children."""
    return [each for symbol in symbols for each in (symbol, *flat(symbol["children"]))]


class Protocol(Case):
    def test_what_it_can_do(self):
        with Client() as client:
            can = client.capabilities["capabilities"]
            self.assertEqual(can["positionEncoding"], "utf-16")
            self.assertEqual(can["textDocumentSync"]["change"], 2)
            self.assertEqual(client.capabilities["serverInfo"]["name"], "linchpin")
        with Client({"general": {"positionEncodings": ["utf-16", "utf-8"]}}) as client:
            self.assertEqual(client.capabilities["capabilities"]["positionEncoding"], "utf-8")

    def test_requests_that_are_wrong(self):
        with Client() as client:
            for method, params, code in (
                    ("textDocument/implementation", {}, -32601), ("$/nothing", {}, -32601),
                    ("initialize", {}, -32600), ("textDocument/hover", None, -32602),
                    ("textDocument/hover", {"position": {"line": -1, "character": 0}}, -32602),
                    ("textDocument/hover", {"textDocument": {"uri": "file:///no.lin"},
                                            "position": {"line": 0, "character": 0}}, -32602),
                    ("textDocument/codeLens", {"textDocument": 5}, -32602),
                    ("workspace/executeCommand", {"command": "no"}, -32602),
                    ("workspace/executeCommand", {"command": "linchpin.verify"}, -32602)):
                with self.assertRaises(Failed, msg=method) as failed:
                    client.request(method, params)
                self.assertEqual(failed.exception.code, code, method)
            client.notify("nothing/atAll")
            for content, code in ((b"{", -32700), (b"[1, 2]", -32600), (b"5", -32600),
                                  (b"{}", -32600), (b"[" * 100000, -32700), (b"\0\0", -32700)):
                client.send_bytes(content)
                while None not in client.answers:
                    client.take()
                self.assertEqual(client.answers.pop(None)["error"]["code"], code, content[:9])
            client.send({"id": "a text", "method": "no"})
            with self.assertRaises(Failed):
                client.answer("a text")

    def test_before_and_behind(self):
        client = Client(initialize=False)
        with self.assertRaises(Failed) as failed:
            client.request("textDocument/hover", {})
        self.assertEqual(failed.exception.code, -32002)
        client.request("initialize", {"capabilities": {}})
        client.request("shutdown")
        with self.assertRaises(Failed) as failed:
            client.request("textDocument/hover", {})
        self.assertEqual(failed.exception.code, -32600)
        client.notify("exit")
        self.assertEqual(client.end(), (0, ""))

    def test_exit_statuses(self):
        client = Client()
        client.notify("exit")
        self.assertEqual(client.end(), (1, ""))
        client = Client()
        self.assertEqual(client.end(), (1, ""))
        for garbage in (b"hello\n", b"Content-Length: x\r\n\r\n", b"Content-Length: 50\r\n\r\n{}",
                        b"\r\n", b"Content-Length: 99999999999999999999\r\n\r\n"):
            done = subprocess.run([str(PROGRAM), "lsp"], input=garbage, capture_output=True,
                                  env=ENVIRONMENT, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, b""), garbage)
            self.assertIn(b"Content-Length", done.stderr)


class Diagnostics(Case):
    def test_all_errors_of_a_file(self):
        with Client() as client:
            client.open(FILE, "spec s {\n    op f() { return n + 1; }\n    op g() { return m + 1; }\n}\n")
            found = client.diagnostics(FILE, 1)
            self.assertEqual([(d["range"]["start"], d["range"]["end"]["character"]) for d in found],
                             [({"line": 1, "character": 20}, 21),
                              ({"line": 2, "character": 20}, 21)])
            self.assertTrue(all("which is not declared" in d["message"] for d in found))
            client.change(FILE, 2, edit(1, 20, 21, "1"), edit(2, 20, 21, "2"))
            self.assertEqual(client.diagnostics(FILE, 2), [])
            client.notify("textDocument/didClose", {"textDocument": {"uri": FILE}})
            self.assertEqual(client.diagnostics(FILE, None), [])

    def test_wide_characters(self):
        text = "/* 🙂ü */ spec s { op f() { return n + 1; } }\n"
        column = text.index("n + 1")
        with Client() as client:
            client.open(FILE, text)
            start = client.diagnostics(FILE, 1)[0]["range"]["start"]
            self.assertEqual(start["character"], column + 1)  # 🙂 is two units
            client.change(FILE, 2, edit(0, column + 1, column + 2, "5"))
            self.assertEqual(client.diagnostics(FILE, 2), [])
        with Client({"general": {"positionEncodings": ["utf-8"]}}) as client:
            client.open(FILE, text)
            start = client.diagnostics(FILE, 1)[0]["range"]["start"]
            self.assertEqual(start["character"], len(text[:column].encode()))

    def test_line_ends_and_places_outside(self):
        with Client() as client:
            client.open(FILE, "spec s {\r\n op f() {\r\n  return n + 1; } }\r\n")
            self.assertEqual(client.diagnostics(FILE, 1)[0]["range"]["start"],
                             {"line": 2, "character": 9})
            client.change(FILE, 2, edit(2, 9, 10, "1"), edit(900, 70, 80, "// end", last=999))
            self.assertEqual(client.diagnostics(FILE, 2), [])
            client.change(FILE, 3, edit(0, 0, 4000000000, "spec t {"))
            self.assertEqual(client.diagnostics(FILE, 3), [])

    def test_included_files(self):
        self.file("part.lin", "spec s {\n    op f() { return n + 1; }\n}\n")
        uri = uri_of(self.folder / "main.lin")
        with Client() as client:
            client.open(uri, '// all\n#include "part.lin"\n')
            found = client.diagnostics(uri, 1)
            self.assertEqual(len(found), 1)
            self.assertEqual(found[0]["range"]["start"], {"line": 1, "character": 10})
            place = found[0]["relatedInformation"][0]["location"]
            self.assertTrue(place["uri"].endswith("/part.lin"))
            self.assertEqual(place["range"]["start"], {"line": 1, "character": 20})
            self.file("part.lin", "spec s {\n    op f() { return 1; }\n}\n")
            client.notifications.clear()
            client.notify("workspace/didChangeWatchedFiles", {"changes": []})
            self.assertEqual(client.diagnostics(uri, 1), [])

    def test_files_of_one_name_and_unsaved_ones(self):
        """What is open counts, saved or not; an error stands at the include that leads to it."""
        for name in ("one", "two"):
            (self.folder / name).mkdir()
            self.file(f"{name}/part.lin", f"spec {name} {{\n    op f() {{ return 1; }}\n}}\n")
        uri, part = uri_of(self.folder / "main.lin"), uri_of(self.folder / "two" / "part.lin")
        text = ('// part.lin\n#include "one/part.lin"\n#include "two/part.lin"\n'
                "impl i {\n    op f() { return 1; }\n}\nassert i linearizes two;\n")
        wrong = "/* ü🙂 */ spec two { op f() { return n + 1; } }\n"
        with Client() as client:
            client.open(uri, text)
            self.assertEqual(client.diagnostics(uri, 1), [])
            client.notifications.clear()
            client.open(part, wrong, version=7)
            while not client.diagnostics(uri, 1):
                client.notifications.clear()
            found = client.diagnostics(uri, 1)
            self.assertEqual(found[0]["range"]["start"], {"line": 2, "character": 10})
            place = found[0]["relatedInformation"][0]["location"]
            self.assertEqual((place["uri"], place["range"]["start"]["character"]),
                             (part, wrong.index("n + 1") + 1))
            self.assertEqual(len(client.diagnostics(part, 7)), 1)
            client.notifications.clear()
            right = wrong.replace("n + 1;", "1;").replace("/*", "\n/*")
            client.change(part, 8, right)
            self.assertEqual(client.diagnostics(uri, 1), [])
            place = client.at("definition", uri, 6, 20)
            column = right.splitlines()[1].index("two {") + 1  # 🙂 is two units
            self.assertEqual(place, {"uri": part, "range": {
                "start": {"line": 1, "character": column},
                "end": {"line": 1, "character": column + 3}}})
            with self.assertRaises(Failed) as failed:
                client.at("rename", part, 1, column, newName="three")
            self.assertIn("main.lin, which includes this file", str(failed.exception))
            self.assertEqual(client.command("verify", uri, 0)["verdict"], "holds")
            client.change(part, 9, right.replace("1; }", "2; }"))
            self.assertEqual(client.command("verify", uri, 0)["verdict"], "violated")
            client.notifications.clear()
            client.notify("textDocument/didClose", {"textDocument": {"uri": part}})
            self.assertEqual(client.command("verify", uri, 0)["verdict"], "holds")

    def test_half_characters(self):
        """An escape of half a character is one unit, as it is for the client."""
        with Client() as client:
            for half in ("\\udc00", "\\ud83d", "\\ud83dx", "\\ud83d\\ud83d"):
                text = f"/*{half}*/ spec s {{ op f() {{ return n + 1; }} }}"
                units = len(json.loads(f'"{text}"').encode("utf-16-le", "surrogatepass")) // 2
                client.send_bytes((
                    '{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": '
                    '{"textDocument": {"uri": "%s", "languageId": "lin", "version": 1, '
                    '"text": "%s"}}}' % (FILE, text)).encode())
                client.notifications.clear()
                start = client.diagnostics(FILE, 1)[0]["range"]["start"]
                self.assertEqual(start["character"], units - len("n + 1; } }"), half)

    def test_large_files(self):
        """Answers about a file with 40,000 names do not take the square of that."""
        text = "".join(f"spec s{i} {{\n    value v{i} = null;\n    op put(value x) {{ v{i} = x; "
                       f"return ok; }}\n    op get() {{ return v{i}; }}\n}}\n" for i in range(6000))
        line = 5 * 5999 + 1
        with Client() as client:
            client.open(FILE, text)
            self.assertEqual(client.diagnostics(FILE, 1), [])
            for _ in range(20):
                self.assertIsNotNone(client.at("hover", FILE, line, 11))
            self.assertEqual(len(client.at("references", FILE, line, 11)), 3)
            edits = client.at("rename", FILE, line, 11, newName="other")["changes"][FILE]
            self.assertEqual(len(edits), 3)
            self.assertEqual(len(flat(client.about("documentSymbol", FILE))), 6000 * 4)

    def test_shipped_models_are_right(self):
        with Client() as client:
            for path in MODELS:
                client.open(uri_of(path), path.read_text(), language=path.suffix[1:])
                self.assertEqual(client.diagnostics(uri_of(path), 1), [], path)

    def test_every_beginning_of_shipped_models(self):
        """Files that break off anywhere: errors, never the end of the server."""
        seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
        chance = random.Random(seed)
        with self.subTest(seed=seed), Client() as client:
            for path in MODELS:
                text, uri = path.read_text(), uri_of(path)
                places = [{"textDocument": {"uri": uri},
                           "position": {"line": chance.randrange(60), "character": 7}}
                          for _ in range(3)]
                client.open(uri, text, 0, language=path.suffix[1:])
                for version in range(1, 7):
                    client.change(uri, version, text[:chance.randrange(len(text))])
                    for place in places:
                        client.request("textDocument/hover", place)
                        client.request("textDocument/definition", place)
                    client.about("documentSymbol", uri)
                    client.about("codeLens", uri)
                    client.about("formatting", uri, options={"tabSize": 4, "insertSpaces": True})
                client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def test_quick_typing(self):
        """What is published in the end is of the last version, and is what one text gives."""
        with Client() as client:
            client.open(FILE, "")
            version = 1
            for letter in REGISTER:
                version += 1
                text = REGISTER[:version - 1]
                line = text[:-1].count("\n")
                column = len(text[:-1]) - (text[:-1].rfind("\n") + 1)
                client.change(FILE, version, edit(line, column, column, letter))
            asked = client.ask("textDocument/codeLens", {"textDocument": {"uri": FILE}})
            self.assertEqual(client.diagnostics(FILE, version), [])
            self.assertEqual(len(client.answer(asked)), 3)
            told = [m["params"]["version"] for m in client.notifications]
            self.assertEqual(told, sorted(told))

    def test_requests_that_are_cancelled(self):
        with Client() as client:
            client.open(FILE, REGISTER)
            asked = [client.ask("textDocument/documentSymbol", {"textDocument": {"uri": FILE}})
                     for _ in range(30)]
            for number in asked:
                client.notify("$/cancelRequest", {"id": number})
            codes = set()
            for number in asked:
                try:
                    self.assertTrue(client.answer(number))
                except Failed as failed:
                    codes.add(failed.code)
            self.assertLessEqual(codes, {-32800})

    def test_random_edits(self):
        """A document that is edited is the text that the edits make."""
        seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
        chance = random.Random(seed)
        pieces = ["x", "ü", "🙂", "\n", "\r\n", "{", "}", "spec s {\n", "/* */", ""]
        with self.subTest(seed=seed), Client() as client:
            for number in range(30):
                uri, text = f"file:///nowhere/{number}.csp", ""
                client.open(uri, text, 0, language="csp")
                for version in range(1, 20):
                    lines = re.split(r"\r\n|\n|\r", text)
                    ends = []
                    for _ in range(2):
                        line = chance.randrange(len(lines))
                        units = len(lines[line].encode("utf-16-le")) // 2
                        place = chance.randrange(units + 1)
                        head = lines[line].encode("utf-16-le")[:2 * place]
                        head = head.decode("utf-16-le", "ignore")
                        ends.append((line, len(head.encode("utf-16-le")) // 2, head))
                    ends.sort(key=lambda end: end[:2])
                    starts = [0] + [m.end() for m in re.finditer(r"\r\n|\n|\r", text)]
                    first, last = [starts[line] + len(head) for line, _, head in ends]
                    new = chance.choice(pieces)
                    client.change(uri, version, edit(ends[0][0], ends[0][1], ends[1][1], new,
                                                     last=ends[1][0]))
                    text = text[:first] + new + text[last:]
                other = uri + ".other.csp"
                client.open(other, text, 20, language="csp")
                self.assertEqual(
                    [{k: d[k] for k in ("range", "message")} for d in client.diagnostics(uri, 19)],
                    [{k: d[k] for k in ("range", "message")}
                     for d in client.diagnostics(other, 20)])


class Names(Case):
    def test_definition_references_hover(self):
        with Client() as client:
            client.open(FILE, REGISTER)
            line = next(i for i, text in enumerate(REGISTER.splitlines()) if "word = v;" in text)
            start = client.at("definition", FILE, line, 9)["range"]["start"]
            self.assertEqual(start, {"line": 14, "character": 17})
            places = client.at("references", FILE, line, 9, context={"includeDeclaration": True})
            self.assertEqual([place["range"]["start"]["line"] for place in places],
                             [14, line, line + 5, 28])
            self.assertIn("shared value word;", client.at("hover", FILE, line, 9)["contents"]["value"])
            self.assertIn("parameter", client.at("hover", FILE, line, 15)["contents"]["value"])
            self.assertIsNone(client.at("hover", FILE, 1, 0))
            said = client.at("hover", FILE, 28, 18)["contents"]["value"]
            self.assertIn("never", said)

    def test_names_that_cannot_be(self):
        with Client() as client:
            client.open(FILE, REGISTER)
            for new in ("", "5x", "a b", "if", "held-x"):
                with self.assertRaises(Failed, msg=new):
                    client.at("rename", FILE, 14, 18, newName=new)
            with self.assertRaises(Failed) as failed:  # the parameter hides what is shared
                client.at("rename", FILE, 14, 18, newName="v")
            self.assertIn("means something else", str(failed.exception))
            client.change(FILE, 2, REGISTER.replace("linearizes cell", "linearizes register"))
            with self.assertRaises(Failed) as failed:
                client.at("rename", FILE, 16, 8, newName="store")
            self.assertIn("built-in", str(failed.exception))

    def test_names_in_files_with_errors(self):
        """What is wrong is left out, the rest is known, and nothing is renamed."""
        for wrong, right in (("word = v;", "word = ;"), ("held = v;", "held = v"),
                             ("value held = null;", 'value held = "a'), ("op put", "op 5"),
                             ("spec cell {", "spec cell"), ("wait_free;", "wait_free"),
                             ("wait_free;", "(;"), ("value held = null;", "?"),
                             ("spec cell {", "/* spec cell {"), ("spec cell {", "zpec cell {")):
            text = REGISTER.replace(wrong, right, 1)
            line = next(i for i, text in enumerate(text.splitlines()) if "return word" in text)
            with self.subTest(right), Client() as client:
                client.open(FILE, text)
                errors = client.diagnostics(FILE, 1)
                self.assertTrue(errors)
                place = client.at("definition", FILE, line, 17)
                self.assertEqual(place["range"]["start"], {"line": 14, "character": 17})
                self.assertIn("shared value word;",
                              client.at("hover", FILE, line, 17)["contents"]["value"])
                with self.assertRaises(Failed) as failed:
                    client.at("rename", FILE, line, 17, newName="other")
                self.assertIn("the file has errors at line "
                              f"{errors[0]['range']['start']['line'] + 1}:", str(failed.exception))
        text = "var x = 0;\nP = a{x = 1;} -> Q;\nQ = b -> P;\n#assert P deadlockfree;\n"
        for wrong, right in (("Q = b -> P;", "Q = b -> ;"), ("-> Q;", "-> Q"),
                             ("Q = b", "Q = ] b"), ("deadlockfree", "reaches"),
                             ("var x = 0;", "var x = 0;\nvar x = 1;"),
                             ("var x = 0;", 'var x = 0; var s = "')):
            with self.subTest(right), Client() as client:
                changed = text.replace(wrong, right)
                line = changed.splitlines().index(next(
                    line for line in changed.splitlines() if line.startswith("P =")))
                client.open(FILE[:-3] + "csp", changed, language="csp")
                self.assertTrue(client.diagnostics(FILE[:-3] + "csp", 1))
                place = client.at("definition", FILE[:-3] + "csp",
                                  *((line + 1, 9) if right == "reaches" else (line + 2, 8)))
                self.assertEqual(place["range"]["start"], {"line": line, "character": 0})

    def verdicts(self, name):
        """Of each assertion what is found, and in how many states."""
        out = self.run_program("verify", "--json", name).out
        return [(found["line"], found["verdict"], found["states"], found["transitions"])
                for found in map(json.loads, out.splitlines())]

    def test_renamed_models_say_the_same(self):
        seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
        chance = random.Random(seed)
        small = [path for path in MODELS if path.stem in ("register", "peterson", "spsc_ring",
                                                          "alternating_bit", "programs")]
        with self.subTest(seed=seed), Client() as client:
            for path in small:
                text, uri = path.read_text(), uri_of(path)
                self.file(path.name, text)
                expected = self.verdicts(path.name)
                client.open(uri, text, language=path.suffix[1:])
                symbols = flat(client.about("documentSymbol", uri))
                for symbol in chance.sample(symbols, min(4, len(symbols))):
                    start = symbol["selectionRange"]["start"]
                    try:
                        edits = client.at("rename", uri, start["line"], start["character"],
                                          newName="renamed_name")["changes"][uri]
                    except Failed as failed:
                        self.assertIn("built-in", str(failed), (path, symbol["name"]))
                        continue
                    self.file(path.name, apply(text, edits))
                    self.assertEqual(self.verdicts(path.name), expected, (path, symbol["name"]))


    def answers(self, client, uri, text, places):
        """What is said at these places, and the outline; what one may not be asked is an error."""
        found = [client.about("documentSymbol", uri)]
        for line, column in places:
            for method, more in (("hover", {}), ("definition", {}), ("references", {}),
                                 ("rename", {"newName": "renamed_name"})):
                try:
                    found.append(client.at(method, uri, line, column, **more))
                except Failed as failed:
                    found.append(str(failed))
        return found

    def test_random_edits_and_back(self):
        """Nothing that is typed ends the server, and what is undone leaves no trace."""
        seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
        rounds = int(os.environ.get("ROUNDS", 1))
        chance = random.Random(seed)
        pieces = ["", "", "x", "{", "}", "(", ";", '"', "/*", "*/", "//", "\n", "#include \"x\"\n",
                  "ü", "🙂", "op ", "-> ", "= ", "state ", "automaton ", "|||", "\r\n", "$", "\\"]
        files = MODELS + sorted((SOURCE / "examples" / "rules").glob("*.lin"))
        with self.subTest(seed=seed), Client() as client:
            for path in chance.sample(files, min(len(files), 8 * rounds)):
                text, uri = path.read_text(), uri_of(path)
                lines = text.split("\n")
                places = [(line, chance.randrange(len(lines[line]) + 1))
                          for line in (chance.randrange(len(lines)) for _ in range(6))]
                client.open(uri, text, language=path.suffix[1:])
                expected = self.answers(client, uri, text, places)
                made, version, undo = text, 1, []
                for _ in range(12):
                    lines = made.split("\n")
                    line = chance.randrange(len(lines))
                    start = chance.randrange(len(lines[line]) + 1)
                    end = min(len(lines[line]), start + chance.choice([0, 0, 1, 3, 20]))
                    if any(ord(c) > 127 for c in lines[line]) or "\r" in lines[line]:
                        continue
                    piece = chance.choice(pieces)
                    version += 1
                    undo.append(made)
                    client.change(uri, version, edit(line, start, end, piece))
                    at = sum(len(text) + 1 for text in lines[:line])
                    made = made[:at + start] + piece + made[at + end:]
                    if chance.random() < 0.5:
                        self.answers(client, uri, made, [(line, start)] + places[:1])
                        client.at("completion", uri, line, start)
                        client.at("signatureHelp", uri, line, start)
                        client.about("foldingRange", uri)
                again = uri + ".again" + path.suffix  # a text that came so, and one that was sent
                self.assertEqual(
                    json.dumps(self.answers(client, uri, made, places)),
                    json.dumps(self.reopened(client, again, made, path, places)).replace(again, uri))
                client.change(uri, version + 1, text)
                self.assertEqual(self.answers(client, uri, text, places), expected, path)

    def reopened(self, client, uri, text, path, places):
        client.open(uri, text, language=path.suffix[1:])
        found = self.answers(client, uri, text, places)
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        return found


class Words(Case):
    """Of CSP#: names that no declaration of the file stands behind."""
    TEXT = ('#import "PAT.Lib.Queue";\n#import "PAT.Lib.List";\nvar<Queue> q;\nvar<List> l;\n'
            "P(i) = inv.push.i -> put{q.Enqueue(1); l.Add(1)} -> res.push.i -> Skip;\n"
            "Q(i) = inv.pop.i -> get{q.Dequeue(); l$Field = q.Count()} -> res.pop.i -> Skip;\n"
            "System() = P(0) ||| Q(1);\n#define used l$Field == 0 && q.Count() == 0;\n"
            "#assert System() reaches used;\n"
            '#assert System() |= [] ("inv.push.0" -> <> "res.push.0");\n')
    URI = FILE[:-3] + "csp"

    def places(self, word):
        return [(i, match.start()) for i, line in enumerate(self.TEXT.splitlines())
                for match in re.finditer(rf"(?<![\w]){word}\b", line)]

    def test_operations_fields_and_methods(self):
        with Client() as client:
            client.open(self.URI, self.TEXT, language="csp")
            self.assertEqual(client.diagnostics(self.URI, 1), [])
            for word, builtin, says in (("push", False, "operation `push`"),
                                        ("pop", False, "operation `pop`"),
                                        ("Field", True, "built-in field `Field`"),
                                        ("Count", True, "built-in method `Count`"),
                                        ("Enqueue", True, "built-in method `Enqueue`")):
                places = self.places(word)
                self.assertTrue(places, word)
                for line, column in places:
                    found = client.at("references", self.URI, line, column,
                                      context={"includeDeclaration": True})
                    self.assertEqual([(f["range"]["start"]["line"],
                                       f["range"]["start"]["character"]) for f in found],
                                     places, word)
                    hover = client.at("hover", self.URI, line, column)["contents"]["value"]
                    self.assertIn(says, hover)
                    goal = client.at("definition", self.URI, line, column)
                    if builtin:
                        self.assertIsNone(goal)
                    else:
                        self.assertEqual((goal["range"]["start"]["line"],
                                          goal["range"]["start"]["character"]), places[0])
                    with self.assertRaises(Failed) as failed:
                        client.at("rename", self.URI, line, column, newName="other")
                    self.assertIn("built in" if builtin else "in the specification",
                                  str(failed.exception))
            names = {s["name"] for s in flat(client.about("documentSymbol", self.URI))}
            self.assertFalse(names & {"push", "pop", "Field", "Count"})
            # the list itself is still a name of its own
            self.assertEqual(len(client.at("references", self.URI, 3, 10)), 4)


class Rules(Case):
    """The names of rules and of violation automata."""

    def occurrences(self, text, word):
        return [(i, m.start()) for i, line in enumerate(text.splitlines())
                for m in re.finditer(rf"\b{word}\b", line.split("//")[0])]

    def test_each_name_of_rules(self):
        """Each word means one thing wherever it stands, and `box` the specification."""
        text = ("spec box {\n    value held = null;\n    op put(value v) { held = v; return ok; }\n"
                "    op take() { return held; }\n}\n\n"
                "rules box {\n    input Put = put(value);\n    method Take = take() -> value;\n"
                "    rule None: empty;\n"
                "    rule One: u v where u in Put*, v in {Put, Take}* => u Put v;\n}\n\n"
                "automaton early of box {\n    violates One;\n    input Put = put(value);\n"
                "    method Take = take() -> value;\n    initial state begin {\n"
                "        call Put(1), Take(2) -> stop;\n        others -> begin;\n    }\n"
                "    accepting state stop {\n        marked others -> stop;\n    }\n}\n")
        with Client() as client:
            client.open(FILE, text)
            for word in ("box", "Put", "Take", "One", "early", "begin", "stop", "u", "put"):
                places = self.occurrences(text, word)
                for line, column in places:
                    found = client.at("references", FILE, line, column,
                                      context={"includeDeclaration": True})
                    starts = [(f["range"]["start"]["line"], f["range"]["start"]["character"])
                              for f in found]
                    self.assertEqual(starts, places, (word, line))
            names = {s["name"]: s["detail"] for s in flat(client.about("documentSymbol", FILE))}
            self.assertEqual((names["early"], names["begin"], names["Take"], names["One"]),
                             ("automaton", "state", "method", "rule"))

    def test_renamed_automata_are_read_alike(self):
        """Every name of shipped rules and automata is renamed wherever it stands."""
        for name in ("queue", "stack", "mutex"):
            path = SOURCE / "examples" / "rules" / f"{name}.lin"
            text, uri = path.read_text(), uri_of(path)
            with Client() as client:
                client.open(uri, text)
                self.assertEqual(client.diagnostics(uri, 1), [])
                for symbol in flat(client.about("documentSymbol", uri)):
                    start = symbol["selectionRange"]["start"]
                    if symbol["detail"] == "operation":  # those of the built-in specification
                        continue
                    edits = client.at("rename", uri, start["line"], start["character"],
                                      newName="Renamed")["changes"][uri]
                    self.assertEqual(len(edits), len(self.occurrences(text, symbol["name"])),
                                     symbol["name"])
                line = next(i for i, t in enumerate(text.splitlines()) if t.startswith("rules"))
                with self.assertRaises(Failed) as failed:
                    client.at("rename", uri, line, 7, newName="other")
                self.assertIn("is built in", str(failed.exception))


class Offers(Case):
    def labels(self, client, line, character):
        return {item["label"] for item in client.at("completion", FILE, line, character)}

    def test_what_is_in_scope(self):
        text = REGISTER.replace("word = v;", "int local = 1; word = v; wo", 1)
        line = next(i for i, t in enumerate(text.splitlines()) if " wo" in t and "local" in t)
        with Client() as client:
            client.open(FILE, text)
            found = self.labels(client, line, len(text.splitlines()[line]))
            self.assertLessEqual({"word", "v", "local", "cell", "one_word", "while"}, found)
            self.assertNotIn("wo", found)
            found = self.labels(client, line + 5, 8)  # in another operation
            self.assertIn("word", found)
            self.assertNotIn("v", found)
            self.assertNotIn("local", found)
            client.change(FILE, 2, "// wor\n" + REGISTER)
            self.assertEqual(self.labels(client, 0, 6), set())

    def test_every_word_is_one_of_the_language(self):
        """What is offered as a word of the language the manual knows."""
        with Client() as client:
            for uri in (FILE, FILE[:-3] + "csp"):
                client.open(uri, " ", language=uri[-3:])
                page = (SOURCE / "docs" / "manual" / f"{uri[-3:]}.md").read_text()
                for item in client.at("completion", uri, 0, 0):
                    self.assertRegex(page, rf"\b{item['label']}\b", item["label"])

    def test_signatures_folds_symbols(self):
        text = ("spec s {\n    int add(int a, int b) {\n        return a + b;\n    }\n"
                "    op f() {\n        return add(1, 2);\n    }\n}\n/* of\n * two */\n")
        with Client() as client:
            client.open(FILE, text)
            found = client.at("signatureHelp", FILE, 5, 22)
            self.assertEqual((found["signatures"][0]["label"], found["activeParameter"]),
                             ("add(int a, int b)", 1))
            self.assertEqual([p["label"] for p in found["signatures"][0]["parameters"]],
                             ["int a", "int b"])
            self.assertIsNone(client.at("signatureHelp", FILE, 5, 9))
            self.assertEqual(
                [(f["startLine"], f["endLine"], f.get("kind"))
                 for f in client.about("foldingRange", FILE)],
                [(1, 2, None), (4, 5, None), (0, 6, None), (8, 9, "comment")])
            client.open(FILE + ".csp", "Stack = a -> Skip;\n", language="csp")
            found = client.request("workspace/symbol", {"query": "S"})
            self.assertEqual({(s["name"], s["location"]["uri"]) for s in found},
                             {("Stack", FILE + ".csp"), ("s", FILE)})


class Outline(Case):
    def outline(self, client, uri):
        return [(s["name"], [c["name"] for c in s["children"]])
                for s in client.about("documentSymbol", uri)]

    def test_declarations_stand_in_what_they_are_declared_in(self):
        text = ("const int N = 3;\nenum colour { red, green };\n"
                "spec cell {\n    value held = null, other = null; /* } */\n"
                "    op put(value x) { held = x; return ok; }\n"
                "    op get() {\n        if (held == null) { return empty; }\n"
                "        return held;\n    }\n}\n"
                "impl word {\n    struct node { value v; node next; }\n    shared node top = null;\n"
                "    op put(value x) { node n = new node; n.v = x; top = n; return ok; }\n"
                "    op get() { return null; } }\n")
        with Client() as client:
            client.open(FILE, text)
            self.assertEqual(client.diagnostics(FILE, 1), [])
            self.assertEqual(self.outline(client, FILE),
                             [("N", []), ("colour", ["red", "green"]),
                              ("cell", ["held", "other", "put", "get"]),
                              ("word", ["node", "top", "put", "get"])])
            cell = client.about("documentSymbol", FILE)[2]
            self.assertEqual((cell["range"]["start"], cell["range"]["end"]),
                             ({"line": 2, "character": 0}, {"line": 9, "character": 1}))
            get = cell["children"][3]
            self.assertEqual((get["range"]["start"], get["range"]["end"]),
                             ({"line": 5, "character": 4}, {"line": 8, "character": 5}))
            self.assertEqual(get["selectionRange"]["start"], {"line": 5, "character": 7})

    def test_blocks_of_events_are_part_of_a_process(self):
        text = ("#define N 2;\nenum {one, two};\nvar x[N] = [0(N)];\n"
                "P(i) = a.i{x[0] = 1; x[1] = 2;} -> (b -> Skip [] c -> P(1));\nQ() = d -> Q();\n")
        uri = FILE[:-3] + "csp"
        with Client() as client:
            client.open(uri, text, language="csp")
            self.assertEqual(client.diagnostics(uri, 1), [])
            names = [s["name"] for s in client.about("documentSymbol", uri)]
            self.assertEqual(names, [name for name in ("N", "one", "two", "x", "P", "Q")
                                     if name in names])
            self.assertLessEqual({"P", "Q", "x"}, set(names))
            p = next(s for s in client.about("documentSymbol", uri) if s["name"] == "P")
            self.assertEqual((p["range"]["start"], p["range"]["end"]),
                             ({"line": 3, "character": 0},
                              {"line": 3, "character": len(text.splitlines()[3])}))

    def test_ranges_nest_in_all_shipped_models_and_their_beginnings(self):
        """A child lies in its parent, what comes later behind what came before; each range holds the
        name."""
        def place(position):
            return position["line"], position["character"]

        def look(symbols, low, high, where):
            for symbol in symbols:
                start, end = place(symbol["range"]["start"]), place(symbol["range"]["end"])
                first = place(symbol["selectionRange"]["start"])
                last = place(symbol["selectionRange"]["end"])
                self.assertLessEqual(low, start, (where, symbol["name"]))
                self.assertLessEqual(start, first, (where, symbol["name"]))
                self.assertLessEqual(last, end, (where, symbol["name"]))
                self.assertLessEqual(end, high, (where, symbol["name"]))
                look(symbol["children"], start, end, where)
                low = end

        seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
        chance = random.Random(seed)
        with self.subTest(seed=seed), Client() as client:
            for path in MODELS:
                text, uri = path.read_text(), uri_of(path)
                client.open(uri, text, language=path.suffix[1:])
                for version in range(2, 5):
                    look(client.about("documentSymbol", uri), (0, 0), (1 << 30, 0), path)
                    client.change(uri, version, text[:chance.randrange(len(text))])


class Layout(Case):
    def test_lines_that_are_asked_for(self):
        options = {"tabSize": 4, "insertSpaces": True}
        messy = "spec s {\n  op f() {\n  return ok;\n  }\n  op g() {\n  return\n   ok; }\n}\n"
        with Client() as client:
            client.open(FILE, messy)

            def lay(first, last, column=0):
                return apply(messy, client.about(
                    "rangeFormatting", FILE, options=options,
                    range={"start": {"line": first, "character": 0},
                           "end": {"line": last, "character": column}}))

            lines = messy.splitlines(keepends=True)
            self.assertEqual(lay(2, 3), "".join(lines[:2]) + "        return ok;\n" +
                             "".join(lines[3:]))
            self.assertEqual(lay(1, 3, 1), lines[0] + "    op f() {\n        return ok;\n    }\n" +
                             "".join(lines[4:]))
            self.assertEqual(lay(6, 7), "".join(lines[:6]) + "            ok; }\n" + lines[7])
            self.assertEqual(lay(6, 7, 1), lay(6, 7))
            self.assertEqual(lay(0, 0), messy)
            client.change(FILE, 2, "spec s {")
            self.assertIsNone(client.about("rangeFormatting", FILE, options=options,
                                           range={"start": {"line": 0, "character": 0},
                                                  "end": {"line": 1, "character": 0}}))
            with self.assertRaises(Failed):
                client.about("rangeFormatting", FILE, options=options)

    def test_random_lines(self):
        """Lines that are not asked for stay, and those that are come out as in the whole file."""
        seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
        chance = random.Random(seed)
        options = {"tabSize": 4, "insertSpaces": True}
        with self.subTest(seed=seed), Client() as client:
            for path in [p for p in MODELS if p.suffix == ".lin"]:
                uri, text = uri_of(path), path.read_text()
                messy = "".join(chance.choice(["", "", " ", "  "]) + line.rstrip("\n") +
                                chance.choice(["\n", "\n", " \n", "\n\n"])
                                for line in text.splitlines(keepends=True))
                client.open(uri, messy, 0)
                whole = apply(messy, client.about("formatting", uri, options=options))
                lines, version = messy.splitlines(keepends=True), 1
                for _ in range(4):
                    first = chance.randrange(len(lines))
                    last = min(len(lines) - 1, first + chance.randrange(8))
                    edits = client.about("rangeFormatting", uri, options=options, range={
                        "start": {"line": first, "character": 0},
                        "end": {"line": last, "character": len(lines[last]) - 1}})
                    self.assertLessEqual(len(edits), 1)
                    made = apply(messy, edits)
                    self.assertEqual("".join(made.split()), "".join(messy.split()), path)
                    for each in edits:
                        self.assertLessEqual(each["range"]["start"]["line"], last, path)
                        self.assertGreaterEqual(each["range"]["end"]["line"], first, path)
                        self.assertIn(each["newText"], whole, path)
                    client.change(uri, version, made)
                    self.assertEqual(apply(made, client.about("formatting", uri,
                                                              options=options)), whole, path)
                    client.change(uri, version + 1, messy)
                    version += 2

    def test_as_fmt_does(self):
        options = {"tabSize": 4, "insertSpaces": True}
        messy = re.sub(r"(?m)^    ", "  ", REGISTER).replace("op get() {\n", "op get(){\n")
        with Client() as client:
            client.open(FILE, messy)
            edits = client.about("formatting", FILE, options=options)
            self.assertEqual(apply(messy, edits), REGISTER)
            client.change(FILE, 2, REGISTER)
            self.assertEqual(client.about("formatting", FILE, options=options), [])
            client.change(FILE, 3, "spec s {")
            self.assertIsNone(client.about("formatting", FILE, options=options))

    def test_random_blanks(self):
        seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
        chance = random.Random(seed)
        options = {"tabSize": 4, "insertSpaces": True}
        with self.subTest(seed=seed), Client() as client:
            for path in [p for p in MODELS if p.suffix == ".lin"]:
                text = path.read_text()
                messy = "".join(line[chance.choice([0, 0, 1, 2]):] if line.startswith("   ")
                                else line for line in text.splitlines(keepends=True))
                client.open(uri_of(path), messy)
                edits = client.about("formatting", uri_of(path), options=options)
                made = subprocess.run([str(PROGRAM), "fmt", "-"], input=messy.encode(),
                                      capture_output=True, env=ENVIRONMENT, check=True)
                self.assertEqual(apply(messy, edits), made.stdout.decode(), path)


class Lenses(Case):
    def titles(self, client):
        return [lens["command"]["title"] for lens in client.about("codeLens", FILE)]

    def test_running_assertions(self):
        can = {"window": {"workDoneProgress": True, "showDocument": {"support": True}},
               "workspace": {"codeLens": {"refreshSupport": True}}}
        with Client(can) as client:
            client.open(FILE, REGISTER)
            lenses = client.about("codeLens", FILE)
            self.assertEqual([(lens["range"]["start"]["line"], lens["command"]["title"])
                              for lens in lenses], [(26, "verify"), (27, "verify"), (28, "verify")])
            results = [client.request("workspace/executeCommand", {
                key: lens["command"][key] for key in ("command", "arguments")}) for lens in lenses]
            self.assertEqual([(r["verdict"], r["expected"], r["asExpected"]) for r in results],
                             [("holds", "holds", True), ("holds", "holds", True),
                              ("violated", "violated", True)])
            titles = self.titles(client)
            self.assertEqual(len(titles), 6)
            self.assertRegex(titles[1], r"^holds \([\d,]+ states?, as expected\)$")
            self.assertRegex(titles[3], r"^holds \([\d,]+ states?\)$")
            self.assertRegex(titles[5], r"^violated \([\d,]+ states?, as expected\)$")
            shown = client.command("showResult", FILE, 2)
            self.assertIn("violated", shown["report"])
            while not [r for r in client.requests if r["method"] == "window/showDocument"]:
                client.take()
            ask = [r for r in client.requests if r["method"] == "window/showDocument"][0]
            path = pathlib.Path(ask["params"]["uri"][len("file://"):])
            self.assertEqual(path.read_text(), shown["report"])
            kinds = [m["params"]["value"]["kind"] for m in client.notifications
                     if m["method"] == "$/progress"]
            self.assertEqual((kinds.count("begin"), kinds.count("end")), (3, 3))
            asked = [r["method"] for r in client.requests]
            self.assertIn("workspace/codeLens/refresh", asked)
            self.assertIn("window/workDoneProgress/create", asked)
            client.change(FILE, 2, REGISTER + "// more\n")
            self.assertIn(", before the last change", self.titles(client)[1])
        self.assertFalse(path.exists())

    def test_what_is_not_as_expected(self):
        with Client() as client:
            client.open(FILE, REGISTER.replace("expect: violated", "expect: holds"))
            self.assertEqual(client.diagnostics(FILE, 1), [])
            client.notifications.clear()
            self.assertEqual(client.command("verify", FILE, 2)["asExpected"], False)
            found = client.diagnostics(FILE, 1)
            self.assertEqual([d["range"]["start"]["line"] for d in found], [28])
            self.assertRegex(found[0]["message"], "violated .*, expected: holds")
            client.open(FILE, REGISTER.replace("expect: violated", "expect: maybe"))
            self.assertEqual(client.command("verify", FILE, 2)["verdict"], "error")

    def test_as_verify_says(self):
        """Verdicts and numbers of states are those of linchpin verify."""
        path = SOURCE / "examples" / "models" / "treiber.lin"
        done = subprocess.run([str(PROGRAM), "verify", "--json", str(path)], capture_output=True,
                              env=ENVIRONMENT, check=False)
        told = [json.loads(line) for line in done.stdout.decode().splitlines()]
        with Client() as client:
            client.open(uri_of(path), path.read_text())
            for index, expected in enumerate(told):
                found = client.command("verify", uri_of(path), index)
                self.assertEqual((found["verdict"], found["states"]),
                                 (expected["verdict"], expected["states"]))

    def test_cancelling_runs(self):
        path = SOURCE / "examples" / "models" / "ms_queue.lin"
        text = path.read_text() + ("\nassert ms_queue linearizes queue with threads = 4, "
                                   "ops = 6, values = 3;\n")
        text = re.sub(r"\bimpl (\w+)", r"impl \1", text)
        name = re.search(r"\bimpl (\w+)", text).group(1)
        text = text.replace("assert ms_queue linearizes queue with threads = 4",
                            f"assert {name} linearizes queue with threads = 4")
        with Client() as client:
            client.open(FILE, text)
            self.assertEqual(client.diagnostics(FILE, 1), [])
            count = len(client.about("codeLens", FILE))
            asked = [client.ask("workspace/executeCommand",
                                {"command": "linchpin.verify", "arguments": [FILE, count - 1],
                                 "workDoneToken": f"token {i}"}) for i in range(7)]
            client.notify("$/cancelRequest", {"id": asked[0]})
            client.notify("window/workDoneProgress/cancel", {"token": "token 1"})
            for number in asked[:2]:
                with self.assertRaises(Failed) as failed:
                    client.answer(number)
                self.assertEqual(failed.exception.code, -32800)
            client.command("cancel", FILE)
            for number in asked[2:]:
                with self.assertRaises(Failed):
                    client.answer(number)
        with Client(arguments=["--timeout", "10ms"]) as client:
            client.open(FILE, text)
            found = client.command("verify", FILE, count - 1)
            self.assertEqual(found["verdict"], "unknown")
        client = Client()  # ends while something runs
        client.open(FILE, text)
        client.ask("workspace/executeCommand",
                   {"command": "linchpin.verify", "arguments": [FILE, count - 1]})
        client.notify("exit")
        self.assertEqual(client.end(), (1, ""))


if __name__ == "__main__":
    main()
