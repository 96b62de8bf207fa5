# SPDX-License-Identifier: BSD-2-Clause
"""The package for Python as a wheel and as a source archive: plain setuptools around the Makefile.

The extension module holds the library, so what is built is what `make` builds: HEDDLE_PACKAGE is a folder where that was
done already, as 'make wheel' sets it; without it make runs here. The module is for every Python 3.7 or later.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

VERSION = re.search(r"\((.*?)\)", Path("debian/changelog").read_text(encoding="utf-8")).group(1)


class BuildModule(build_ext):
    """Takes the module that make links."""

    def build_extension(self, ext):
        folder = os.environ.get("HEDDLE_PACKAGE")
        if not folder:
            folder = os.path.abspath(os.path.join(self.build_temp, "heddle"))
            module = f"{folder}/python/heddle/_heddle.abi3.so"
            jobs = f"-j{os.cpu_count() or 1}"
            subprocess.check_call(["make", "-s", jobs, f"PYTHON={sys.executable}", f"BUILD={folder}", "HAVE_MPI=", module])
            folder += "/python/heddle"
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(f"{folder}/_heddle.abi3.so", target)

    def get_ext_filename(self, fullname):
        return os.path.join(*fullname.split(".")) + ".abi3.so"


setup(
    name="heddle",
    version=VERSION,
    description="Routing and rank order for statically routed fabrics",
    long_description=Path("docs/python.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="BSD-2-Clause",
    packages=["heddle"],
    package_dir={"heddle": "python/heddle"},
    package_data={"heddle": ["py.typed"]},
    ext_modules=[Extension("heddle._heddle", [])],
    cmdclass={"build_ext": BuildModule},
    python_requires=">=3.7",
    install_requires=["cffi", "numpy"],
    extras_require={"tables": ["pandas"], "graphs": ["networkx"], "progress": ["tqdm"]},
    options={"bdist_wheel": {"py_limited_api": "cp37"}},
    zip_safe=False,
)
