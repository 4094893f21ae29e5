#!/usr/bin/env python3
"""verify --stats: counts that agree with one another, whatever takes the steps."""
import json

from program import SOURCE, Case, main

MODELS = SOURCE / "examples/models"


class Stats(Case):
    def stats(self, *arguments):
        out = self.run_program("verify", "--json", "--stats", *arguments).out
        return [json.loads(line) for line in out.splitlines()]

    def check(self, found):
        """What must be so of every search."""
        stats, states = found["stats"], found["states"]
        self.assertEqual(set(stats["reductions"]) - set(found["reductions"]), set())
        if found["method"] == "reachability":
            if found["verdict"] == "holds" and " deadlockfree" in found["assertion"]:
                self.assertEqual(stats["found"], states)
                self.assertEqual(sum(stats["levels"]), states)
        elif found["verdict"] == "holds":
            gone = stats["reductions"].get("antichain", {"replaced": 0})["replaced"]
            self.assertEqual(stats["found"] - gone, states)
            self.assertEqual(sum(stats["levels"]), stats["found"])
            self.assertGreater(stats["specification"]["sets"], 0)
        self.assertGreaterEqual(found["memory_bytes"], sum(stats["bytes"].values()))

    def test_examples_agree(self):
        for model in ("treiber.lin", "ms_queue.lin", "stack.csp", "treiber.csp", "mailbox.csp"):
            for reduce in ("default", "none", "antichain"):
                options = [] if reduce == "default" else ["--reduce=" + reduce]
                counted = 0
                for found in self.stats(*options, MODELS / model):
                    if "stats" in found:
                        self.check(found)
                        counted += 1
                self.assertGreater(counted, 0)

    def test_no_edges_are_kept_of_states_with_one_pair(self):
        for jobs in ("-j1", "-j2"):
            for found in self.stats(jobs, MODELS / "ms_queue.lin"):
                if found["method"] == "linearizability" and "antichain" in found["reductions"]:
                    self.assertEqual(found["stats"]["bytes"]["edges"], 0)
                    if found["verdict"] == "holds":  # each pair that was taken up, and no other
                        self.assertLessEqual(found["stats"]["expanded"], found["stats"]["found"])

    def test_engines_agree(self):
        both = [self.stats("--engine=" + engine, MODELS / "treiber.lin")
                for engine in ("bytecode", "native")]
        for interpreted, compiled in zip(*both):
            if "stats" not in interpreted:
                continue
            for found in (interpreted, compiled):
                found["stats"].pop("native_from", None)
                found["stats"].pop("bytes")
            self.assertEqual(interpreted["stats"], compiled["stats"])

    def test_what_is_not_reduced_is_not_counted(self):
        found, = self.stats("--reduce=none", f"{MODELS}/treiber.lin:99")
        self.assertEqual(found["stats"]["reductions"], {})
        whole, = self.stats("--reduce=antichain", f"{MODELS}/treiber.lin:99")
        left = whole["stats"]["reductions"]["antichain"]
        # every pair of the full product is kept, replaced, or covered by a smaller one
        self.assertLess(whole["stats"]["found"], found["stats"]["found"])
        self.assertGreater(left["covered"] + left["replaced"], 0)

    def test_there_are_none_of_kept_answers(self):
        self.stats("--checkpoint=kept", f"{MODELS}/treiber.lin:99")
        found, = self.stats("--checkpoint=kept", f"{MODELS}/treiber.lin:99")
        self.assertTrue(found["resumed"])
        self.assertNotIn("stats", found)

    def test_in_words(self):
        result = self.expect(0, "verify", "--stats", f"{MODELS}/treiber.lin:99")
        for about in ("search:", "levels:", "symmetry:", "specification:", "bytes of each:"):
            self.assertIn("\n    " + about, result.out)
        result = self.expect(0, "verify", f"{MODELS}/treiber.lin:99")
        self.assertNotIn("search:", result.out)


if __name__ == "__main__":
    main()
