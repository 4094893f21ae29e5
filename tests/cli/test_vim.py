#!/usr/bin/env python3
"""Vim and Neovim, the real ones, where they are installed: the colours of editors/vim; in Neovim the
tree-sitter grammars, and its own client with the language server; in Vim that of ALE."""
import json
import pathlib
import re
import shutil
import subprocess
import unittest

from program import ENVIRONMENT, PROGRAM, SOURCE, Case, main
from test_tree_sitter import lexer_keywords, models, words

EDITOR = SOURCE / "editors" / "vim"
SCRIPTS = pathlib.Path("/usr/share/vim-ale")  # where Debian has ALE
GRAMMARS = SOURCE / "editors" / "tree-sitter-linchpin"
MODEL = """impl counter {
    shared int top = 0;
    op inc() { atomic { top = top + 1; } return ok; }
}
spec plain {
    int n = 0;
    op inc() { n = n + 1; return ok; }
}
assert counter linearizes plain with threads = 1, ops = 3;
"""
# With ALE, a plugin that speaks the protocol: what is wrong with a file.
ALE = r"""
set nomore
let g:ale_linters = {'csp': ['linchpin']}
call ale#linter#Define('csp', {'name': 'linchpin', 'lsp': 'stdio', 'executable': $PROGRAM,
      \ 'command': '%e lsp', 'project_root': {buffer -> fnamemodify(bufname(buffer), ':p:h')}})
execute 'edit ' . fnameescape($FOLDER . '/wrong.csp')
let patience = 20000
while empty(getloclist(0)) && patience > 0
  sleep 10m
  let patience -= 1
endwhile
call writefile([json_encode(getloclist(0))], $FOLDER . '/wrong.json')
qall!
"""
# The colour of the first letter of each word that is no comment or string, as Vim sees it.
COLOURS = r"""
set nomore
syntax on
let lines = []
for place in json_decode(join(readfile($FOLDER . '/places.json'), ''))
  execute 'edit ' . fnameescape(place[0])
  call add(lines, [place[0], &filetype, map(copy(place[1]),
        \ 'synIDattr(synIDtrans(synID(v:val[0], v:val[1], 1)), "name")')])
endfor
call writefile([json_encode(lines)], $FOLDER . '/colours.json')
qall!
"""


class Vim(Case):
    @unittest.skipUnless(shutil.which("vim"), "no Vim")
    def test_keywords_have_colours(self):
        """Each keyword of the lexers, in every model, is coloured; what is declared is not."""
        texts, places = {}, []
        for language in ("lin", "csp"):
            keywords = lexer_keywords(language)
            for path in models(language):
                text = path.read_bytes().decode("latin-1")
                if len(text) > 20000:
                    continue
                found = [(word, text.count("\n", 0, first) + 1, first - text.rfind("\n", 0, first))
                         for word, first, _ in words(text) if word in keywords]
                texts[str(path)] = (language, [word for word, *_ in found])
                places.append([str(path), [place for _, *place in found]])
        self.file("places.json", json.dumps(places))
        self.file("colours.vim", COLOURS)
        done = subprocess.run(
            ["vim", "-u", "NONE", "-i", "NONE", "-n", "-es", "-N", "--cmd", "set rtp^=" + str(EDITOR),
             "--cmd", "filetype plugin on", "-S", self.folder / "colours.vim"],
            env=dict(ENVIRONMENT, FOLDER=str(self.folder)), stdin=subprocess.DEVNULL, capture_output=True, timeout=250)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        seen = json.loads((self.folder / "colours.json").read_text())
        self.assertEqual(len(seen), len(places))
        for path, filetype, colours in seen:
            language, keywords = texts[path]
            self.assertEqual(filetype, language)
            for word, colour in zip(keywords, colours):
                self.assertTrue(colour, (path, word))

    @unittest.skipUnless(shutil.which("vim") and SCRIPTS.exists(), "no Vim with ALE")
    def test_ale(self):
        self.file("wrong.csp", "P = a -> Q;\n#assert P deadlockfree;\n")
        self.file("ale.vim", ALE)
        done = subprocess.run(
            ["vim", "-u", "NONE", "-i", "NONE", "-n", "-es", "-N", "--cmd", "set rtp^=%s,%s" % (EDITOR, SCRIPTS),
             "--cmd", "filetype plugin on", "-c", "runtime plugin/ale.vim", "-S", self.folder / "ale.vim"],
            env=dict(ENVIRONMENT, PROGRAM=str(PROGRAM), FOLDER=str(self.folder)), stdin=subprocess.DEVNULL,
            capture_output=True, timeout=250)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        found = json.loads((self.folder / "wrong.json").read_text())
        self.assertEqual([(fault["lnum"], fault["type"]) for fault in found], [(1, "E")])
        self.assertIn("`Q`", found[0]["text"])

    @unittest.skipUnless(shutil.which("nvim") and shutil.which("cc"), "no Neovim, or no compiler")
    def test_neovim(self):
        self.file("model.lin", MODEL)
        self.file("model.csp", "P = a -> P;\n#assert P deadlockfree;\n")
        (self.folder / "site" / "parser").mkdir(parents=True)
        for language in ("lin", "csp"):
            part = GRAMMARS / language / "src"
            subprocess.run(["cc", "-shared", "-fPIC", "-I", part, *part.glob("*.c"), "-o",
                            self.folder / "site" / "parser" / (language + ".so")], check=True)
        environment = dict(ENVIRONMENT, PROGRAM=str(PROGRAM), FOLDER=str(self.folder))
        environment.update({"XDG_%s_HOME" % name: str(self.folder / name)
                            for name in ("CONFIG", "DATA", "STATE", "CACHE")})
        path = ",".join(map(str, (EDITOR, GRAMMARS, self.folder / "site")))
        done = subprocess.run(
            ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "--cmd", "set rtp^=" + path,
             "--cmd", "filetype plugin on", "-c", "luafile " + str(SOURCE / "tests/editors/neovim.lua")],
            env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=280)
        seen = self.folder / "seen.json"
        self.assertTrue(seen.exists(), done.stdout + done.stderr)
        seen = json.loads(seen.read_text())
        self.assertNotIn("failed", seen, done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((seen["filetype"], seen["csp_filetype"]), ("lin", "csp"))
        self.assertEqual(seen["colours"]["return"], "keyword.return")
        self.assertEqual(seen["colours"]["shared"], "keyword")
        self.assertEqual(seen["colours"]["top"], "variable")
        self.assertEqual(seen["csp_colours"]["deadlockfree"], "keyword")
        self.assertEqual(seen["csp_colours"]["a"], "label")
        self.assertIn("tip", seen["diagnostic"])
        self.assertIn("shared int top", seen["hover"])
        definition = seen["definition"][0] if isinstance(seen["definition"], list) else seen["definition"]
        self.assertEqual(definition["range"]["start"], {"line": 1, "character": 15})
        self.assertEqual(seen["renamed"] + "\n", re.sub(r"\btop\b", "height", MODEL))
        self.assertEqual(seen["lenses"], ["verify"])
        self.assertEqual(seen["decided"][0], "verify")
        self.assertTrue(seen["decided"][1].startswith("holds ("), seen["decided"])


main()
