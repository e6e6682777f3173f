"""Finds the built package: PYTHONPATH, else $PYSOLATE_BUILD/python, else build/native/python."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))

for folder in (os.path.join(os.environ.get("PYSOLATE_BUILD") or os.path.join(ROOT, "build", "native"), "python"),):
    try:
        import pysolate._core  # noqa: F401
    except ImportError:
        for name in [n for n in sys.modules if n.split(".")[0] == "pysolate"]:
            del sys.modules[name]
        sys.path.insert(0, folder)
sys.path.insert(0, HERE)

from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile("pysolate", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # no clock decides
settings.load_profile("pysolate")
