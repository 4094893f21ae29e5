"""What the tests of certificates share."""
import hashlib
import json
import subprocess

from program import ENVIRONMENT, PROGRAM, Case, Result

RECHECK = PROGRAM.parent / "linchpin-recheck"
# what a sanitizer finds must not look like a refusal
ENVIRONMENT["UBSAN_OPTIONS"] = "exitcode=99:" + ENVIRONMENT.get("UBSAN_OPTIONS", "")


def lines(objects):
    return "".join(json.dumps(one) + "\n" for one in objects)


def digest(content):
    return hashlib.sha256(content.encode()).hexdigest()


class ProofCase(Case):
    command = None

    def run_recheck(self, *arguments):
        ran = subprocess.run([RECHECK, *arguments], cwd=self.folder, env=ENVIRONMENT, capture_output=True,
                             stdin=subprocess.DEVNULL)
        return Result(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    def recheck(self, status, *arguments, where=""):
        said = self.run_recheck(*arguments)
        self.assertEqual(said.status, status, where + said.out[-2000:] + said.err)
        return said

    def prove(self, *arguments):
        answers = self.run_program(self.command, "--json", "--proof", "proof", *arguments).objects()
        return answers, [json.loads(line) for line in (self.folder / "proof").read_text().splitlines()]

    def survives_changes(self, draw, count, path, content):
        """Whatever becomes of a file, the answer is one of those that are documented."""
        marks = ["0", "-1", "9" * 20, "null", "[]", "{}", '"', ",", "\n", "[[0]]", "1.5", "true", "\\u0000"]
        for case in range(count):
            at = draw.randrange(len(content))
            put = draw.choice(marks) if draw.random() < 0.8 else content[draw.randrange(len(content)):][:20]
            self.file(path, content[:at] + put + content[at + draw.choice([0, 1, 1, 2, 5]):])
            ran = subprocess.run([RECHECK, "--limit", "1000", "proof"], cwd=self.folder, env=ENVIRONMENT, capture_output=True,
                                 stdin=subprocess.DEVNULL)
            self.assertIn(ran.returncode, (0, 1, 2, 3), (self.folder / path).read_text()[:3000] + ran.stderr.decode())
        self.file(path, content)

    def refused(self, claims, *more, where=""):
        self.file("spoiled", lines(claims))
        return self.recheck(1, "spoiled", *more, where=where).out
