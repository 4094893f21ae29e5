"""The types: of the package, and as a user's checker sees them. Skipped where there is no mypy."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import support

USER = """
import linchpin
from linchpin import Operation, Result

rows: list[Operation] = [Operation(0, "write", 1, called=0, returned=1)]
result: Result = linchpin.check(rows, "register", timeout=1.5)
order = result.linearization
if order is not None:
    first: Operation = order[0]
    page: str = result.to_html()

class Cell(linchpin.Specification):
    initial = 0

    def write(self, state: int, value: int) -> tuple[int, None]:
        return value, None

linchpin.check(rows, Cell)
linchpin.check(rows, timeout="soon")  # wrong
"""


class Types(support.Case):
    def mypy(self, *arguments, cwd):
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        return subprocess.run(["mypy", "--cache-dir", os.devnull, *map(str, arguments)], cwd=cwd,
                              capture_output=True, text=True, env=environment)

    def test_the_package_is_strict(self):
        done = self.mypy("linchpin", cwd=support.SOURCE / "bindings" / "python")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_users_are_told_what_is_wrong(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "user.py").write_text(USER)
            done = self.mypy("--strict", "user.py", cwd=folder)
        self.assertEqual(done.stdout.count("error:"), 1, done.stdout)
        self.assertIn("user.py:19:", done.stdout)


if __name__ == "__main__":
    if not shutil.which("mypy"):
        print("skipped: there is no mypy")
        sys.exit(77)
    support.main()
