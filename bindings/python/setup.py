"""The package of Python. It calls the shared library through ctypes, so nothing is compiled for it;
in a checkout the library itself is built with CMake, if it is not there yet, and put into the
wheel; so is the one that LINCHPIN_LIBRARY names. A source distribution has none: its package uses
the library that is installed, or what LINCHPIN_LIBRARY named when it was."""
import os
import pathlib
import re
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    try:
        from wheel.bdist_wheel import bdist_wheel
    except ImportError as missing:
        raise SystemExit("linchpin: expected the package wheel, or setuptools 70.1 or later, found neither: make the "
                         "environment with /usr/bin/python3 -m venv --system-site-packages where Debian's "
                         "python3-wheel is installed, or pip install wheel into it") from missing

HERE = pathlib.Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
NAME = "liblinchpin.so.0"


def version():
    return re.search(r'^VERSION = "(.*)"', (HERE / "linchpin/_library.py").read_text(),
                     re.MULTILINE).group(1)


def find_library():
    """The library to put into the package; None: there is none."""
    if os.environ.get("LINCHPIN_LIBRARY"):
        return pathlib.Path(os.environ["LINCHPIN_LIBRARY"])
    if not (CHECKOUT / "CMakePresets.json").exists():
        return None
    built = CHECKOUT / "build" / NAME
    if not built.exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=CHECKOUT, check=True)
        subprocess.run(["cmake", "--build", "build", "--target", "linchpin_shared"], cwd=CHECKOUT,
                       check=True)
    return built


class Build(build_py):
    def run(self):
        super().run()
        library = find_library()
        if library and not self.editable_mode:
            target = pathlib.Path(self.build_lib) / "linchpin" / NAME
            shutil.copyfile(library.resolve(), target)


class Wheel(bdist_wheel):
    """For any Python 3, but of one platform if the library is in it."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = find_library() is None

    def get_tag(self):
        python, abi, platform = super().get_tag()
        return "py3", "none", platform


setup(
    name="linchpin",
    version=version(),
    description="Decides whether a concurrent object is linearizable",
    license="Apache-2.0",
    python_requires=">=3.9",
    packages=["linchpin"],
    package_data={"linchpin": ["py.typed"]},
    extras_require={"pandas": ["pandas"]},
    zip_safe=False,
    cmdclass={"build_py": Build, "bdist_wheel": Wheel},
)
