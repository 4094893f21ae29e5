#!/usr/bin/env python3
"""The checker for Jepsen, with stand-ins of the two parts of Jepsen that it uses."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from program import ENVIRONMENT, PROGRAM, SOURCE, Case, main

JAR = pathlib.Path("/usr/share/java/clojure.jar")
EXAMPLE = SOURCE / "examples/adapters/jepsen"
CHECKER = "(ns jepsen.checker) (defprotocol Checker (check [checker test history opts]))"
STORE = """(ns jepsen.store (:require [clojure.java.io :as io]))
(defn path! [test & parts]
  (let [file (apply io/file (:folder test) (map str (remove nil? (flatten parts))))]
    (io/make-parents file)
    file))"""
# Operations are records, as Jepsen has them; the answer is printed.
SCRIPT = """(require '[clojure.edn :as edn] '[clojure.java.io :as io] '[jepsen.checker :as checker]
         '[linchpin.checker :as linchpin])
(defrecord Op [index time type process f value])
(defn history [file]
  (with-open [in (java.io.PushbackReader. (io/reader file))]
    (doall (map map->Op (take-while some? (repeatedly #(edn/read {:eof nil} in)))))))
(let [[file options subdirectory] *command-line-args*]
  (prn (try (checker/check (linchpin/checker (edn/read-string options)) {:folder "store"} (history file)
                           {:subdirectory (edn/read-string subdirectory)})
            (catch clojure.lang.ExceptionInfo e {:thrown (ex-message e) :exit (:exit (ex-data e))})))
  (shutdown-agents))
"""


@unittest.skipUnless(shutil.which("java") and JAR.exists(), "no Clojure")
class Jepsen(Case):
    def check(self, file, options="{}", subdirectory="nil"):
        for name, text in (("checker", CHECKER), ("store", STORE)):
            (self.folder / "jepsen").mkdir(exist_ok=True)
            self.file("jepsen/%s.clj" % name, text)
        self.file("script.clj", SCRIPT)
        bin_folder = self.folder / "bin"
        bin_folder.mkdir(exist_ok=True)
        if not (bin_folder / "linchpin").exists():
            (bin_folder / "linchpin").symlink_to(PROGRAM)
        done = subprocess.run(["java", "-cp", "%s:.:%s/src" % (JAR, EXAMPLE), "clojure.main", "script.clj",
                               str(file), options, subdirectory], cwd=self.folder, capture_output=True, text=True,
                              env=dict(ENVIRONMENT, PATH="%s:%s" % (bin_folder, os.environ["PATH"])))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_folder(self, number):
        return sorted((EXAMPLE / "store/register").iterdir())[number] / "history.edn"

    def test_linearizable(self):
        said = self.check(self.run_folder(0))
        self.assertIn(":valid? true", said)
        self.assertIn("<!DOCTYPE html>", (self.folder / "store/linchpin.html").read_text()[:100])
        self.assertIn(':page "store/linchpin.html"', said)

    def test_violation(self):
        said = self.check(self.run_folder(1), '{:spec "cas-register"}', '["independent" 5]')
        self.assertIn(":valid? false", said)
        self.assertIn("violation (cas-register", said)
        page = (self.folder / "store/independent/5/linchpin.html").read_text()
        self.assertIn("<!DOCTYPE html>", page[:100])

    def test_history_is_the_one_that_was_given(self):
        self.check(self.run_folder(1))
        written = (self.folder / "store/linchpin.edn").read_text()
        self.assertEqual(len(written.splitlines()), len(self.run_folder(1).read_text().splitlines()))
        again = self.run_program("check", "-q", "store/linchpin.edn").out
        first = self.run_program("check", "-q", str(self.run_folder(1))).out
        self.assertEqual(re.search(r"\(.*part", again).group(), re.search(r"\(.*part", first).group())

    def test_unknown(self):
        said = self.check(self.run_folder(0), '{:args ["--method=definition"] :timeout "1ms"}')
        self.assertIn(":valid? :unknown", said)

    def test_wrong_options_are_thrown(self):
        said = self.check(self.run_folder(0), '{:spec "regster"}')
        self.assertIn(":exit 2", said)
        self.assertIn("regster", said)

    def test_program_that_is_not_there(self):
        said = self.check(self.run_folder(0), '{:program "no-linchpin"}')
        self.assertIn("no-linchpin", said)
        self.assertIn("put linchpin on the PATH", said)


main()
