"""Installing: from a checkout, from a wheel and from a source distribution, without a network; then
what the documentation shows first, in an empty folder."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import support

PACKAGE = support.SOURCE / "bindings" / "python"
LIBRARY = os.environ["LINCHPIN_LIBRARY"]
FIRST = """
import linchpin, os
assert "site-packages" in linchpin.__file__, linchpin.__file__
assert os.path.exists(os.path.join(os.path.dirname(linchpin.__file__), "py.typed"))
print(linchpin.check([(0, "enqueue", 1, None, 0, 1), (1, "dequeue", None, 2, 2, 3)]).verdict)
"""


class Installed(support.Case):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.environment = {name: value for name, value in os.environ.items()
                            if name not in ("PYTHONPATH", "LINCHPIN_LIBRARY", "LD_PRELOAD")}

    def run_quietly(self, *command, **more):
        environment = {**self.environment, **more.pop("env", {})}
        done = subprocess.run(list(map(str, command)), env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, **more)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def checkout(self):
        """One with a build, as `make` leaves it."""
        checkout = self.folder / "checkout"
        ignored = shutil.ignore_patterns("__pycache__", "*.egg-info", "build", ".mypy_cache")
        shutil.copytree(PACKAGE, checkout / "bindings" / "python", ignore=ignored)
        shutil.copy(support.SOURCE / "CMakePresets.json", checkout)
        (checkout / "build").mkdir()
        shutil.copy(LIBRARY, checkout / "build" / "liblinchpin.so.0")
        return checkout

    def install(self, what, *options, **more):
        env = self.folder / "env"
        self.run_quietly(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", env)
        self.run_quietly(sys.executable, "-m", "pip", "--python", env / "bin" / "python", "install",
                         "-q", "--no-index", *options, what, **more)
        empty = self.folder / "empty"
        empty.mkdir()
        preload = {"LD_PRELOAD": os.environ.get("LD_PRELOAD", "")}
        printed = self.run_quietly(env / "bin" / "python", "-c", FIRST, cwd=empty,
                                   env={**preload, **more.get("env", {})})
        self.assertEqual(printed, "violation\n")

    def test_from_a_checkout(self):
        self.install(self.checkout() / "bindings" / "python", "--no-build-isolation")

    def test_from_a_wheel(self):
        checkout = self.checkout()
        self.run_quietly(checkout / "bindings" / "python" / "wheel", checkout / "build")
        wheels = list((checkout / "build").glob("*.whl"))
        self.assertEqual(len(wheels), 1)
        self.assertRegex(wheels[0].name, r"linchpin-[\d.]+-py3-none-linux_\w+\.whl")
        self.install(wheels[0])

    def test_from_a_source_distribution_beside_an_installed_library(self):
        package = self.checkout() / "bindings" / "python"
        self.run_quietly(sys.executable, "setup.py", "-q", "sdist", "--dist-dir", self.folder,
                         cwd=package)
        archive = next(self.folder.glob("linchpin-*.tar.gz"))
        self.install(archive, "--no-build-isolation", env={"LINCHPIN_LIBRARY": LIBRARY})

    def test_what_is_missing_is_said(self):
        """Where another Python comes first in PATH than the one that Debian's packages are for."""
        without = ("import runpy, sys; sys.argv = ['setup.py', '--version']; sys.modules['wheel'] = "
                   "sys.modules['setuptools.command.bdist_wheel'] = None; runpy.run_path('setup.py')")
        done = subprocess.run([sys.executable, "-c", without], cwd=PACKAGE, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertTrue(done.stdout.startswith("linchpin: expected the package wheel, or setuptools 70.1"), done.stdout)


if __name__ == "__main__":
    missing = [name for name in ("pip", "setuptools", "wheel")
               if importlib.util.find_spec(name) is None]
    if missing:
        print("skipped: there is no %s" % missing[0])
        sys.exit(77)
    support.main()
