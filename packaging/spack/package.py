# SPDX-License-Identifier: BSD-2-Clause
# A recipe for Spack: copy it to packages/heddle of a repository of your own. Untested: no Spack has run it.
from spack.package import *


class Heddle(MakefilePackage):
    """Routing and rank order for statically routed fabrics such as InfiniBand: routes from many algorithms, their proof,
    their bandwidth, and the tables and rank files to deploy."""

    homepage = "https://heddle.invalid/"
    url = "https://heddle.invalid/heddle-0.1.0.tar.gz"
    license("BSD-2-Clause")

    version("main", branch="main", git="https://heddle.invalid/heddle.git")

    variant("clp", default=True, description="Linear programs of the metric ratio")
    variant("metis", default=True, description="METIS among the orders that order --mesh compares with")
    variant("mpi", default=False, description="heddle-mpi: evaluation on many nodes, and measurement")
    variant("python", default=True, description="The package for Python")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("random123", type="build")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("clp", when="+clp")
    depends_on("metis@5:", when="+metis")
    depends_on("mpi", when="+mpi")
    extends("python", when="+python")
    depends_on("py-cffi", type=("build", "run"), when="+python")
    depends_on("py-numpy", type=("build", "run"), when="+python")
    depends_on("py-pandas", type="run", when="+python")

    def arguments(self, prefix):
        spec = self.spec
        args = [f"prefix={prefix}", f"CC={spack_cc}", "HAVE_OPENSM="]
        args.append("HAVE_CLP=" + ("1" if "+clp" in spec else ""))
        args.append("HAVE_METIS=" + ("1" if "+metis" in spec else ""))
        args.append("HAVE_MPI=" + ("1" if "+mpi" in spec else ""))
        args.append(f"PYTHON={python.path}" if "+python" in spec else "PYTHON=")
        if "+python" in spec:
            args.append(f"PYTHON_DIR={python_platlib}")
        return args

    def build(self, spec, prefix):
        make("all", *self.arguments(prefix))

    def install(self, spec, prefix):
        make("install", *self.arguments(prefix))
