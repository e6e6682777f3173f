"""The corpus' own modules (`tests/python/corpus` is a folder of programs, not a package)."""
from __future__ import annotations

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "corpus"
if str(FOLDER) not in sys.path:
    sys.path.insert(0, str(FOLDER))

import oracle  # noqa: E402
import toolset  # noqa: E402

__all__ = ["FOLDER", "oracle", "toolset"]
