"""The tutorial, block by block: `python` is run, of `pycon` the output is compared."""
import doctest
import os
import re
import shutil
import sys
import tempfile

import support

try:
    import pandas  # noqa: F401
except ImportError:
    print("skipped: there is no pandas")
    sys.exit(77)

PAGE = support.SOURCE / "docs" / "tutorial" / "python.md"


class Tutorial(support.Case):
    def test_every_block(self):
        text = PAGE.read_text()
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        os.symlink(support.SOURCE / "examples", os.path.join(folder, "examples"))
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(folder)
        names, count, parser = {}, 0, doctest.DocTestParser()
        complaints = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        for match in re.finditer(r"^```(python|pycon)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
            line = text.count("\n", 0, match.start()) + 1
            if match.group(1) == "python":
                exec(compile("\n" * line + match.group(2), str(PAGE), "exec"), names)
            else:
                test = parser.get_doctest(match.group(2), names, PAGE.name, str(PAGE), line)
                runner.run(test, out=complaints.append, clear_globs=False)
                names.update(test.globs)
            count += 1
        self.assertEqual(runner.failures, 0, "".join(complaints))
        self.assertGreater(count, 15)


if __name__ == "__main__":
    support.main()
