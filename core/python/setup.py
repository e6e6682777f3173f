"""Builds the wheel: the package's sources, and the native module as CMake builds it.

The module is compiled from the project's C++ sources two folders up, so a wheel is built from a whole checkout:

    python3 -m build --wheel --no-isolation core/python

PYSOLATE_CMAKE_DIR names an existing build folder to use instead of a fresh one.
"""
import os
import shutil
import subprocess
from glob import glob

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        folder = os.environ.get("PYSOLATE_CMAKE_DIR")
        if not folder:
            folder = os.path.abspath(os.path.join(self.build_temp, "cmake"))
            subprocess.check_call(["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
                                   "-DPYSOLATE_VIEWER=OFF", "-DPYSOLATE_TESTS=OFF"])
        subprocess.check_call(["cmake", "--build", folder, "--target", "pysolate_python"])
        built = glob(os.path.join(folder, "python", "pysolate", "_core*.so"))
        if len(built) != 1:
            raise RuntimeError(f"expected one native module in {folder}/python/pysolate, found {built or 'none'}")
        target = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(built[0], target)


setup(ext_modules=[Extension("pysolate._core", sources=[])], cmdclass={"build_ext": CMakeBuild})
