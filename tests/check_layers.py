#!/usr/bin/env python3
"""Layers are a test: which folder may include which header (core/include/pysolate/* by name).

    pysolate_trace  <-  pysolate_core  <-  wasm/ (Embind), CLI, CPython module
    pysolate_trace  <-  viz model (no ImGui)  <-  viz ui (ImGui)  <-  native and web applications

Prints each include that goes against this, with file and line. Exit 1 if there is one.
"""
from __future__ import annotations

import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

TRACE = {"event", "trace", "trace_index", "trace_report", "explain", "ledger"}  # public headers that pysolate_trace may use
CORE = None                                # all public headers

# folder -> (public headers it may include, folders of ours it may include, third-party prefixes it may include)
RULES = {
    "core/include/pysolate": (CORE, {"core/include/pysolate"}, ()),
    "core/trace": (TRACE, {"core/trace"}, ("rapidjson/",)),
    "core/sched": (CORE, {"core/sched", "core/trace"}, ("rapidjson/",)),
    "core/sim": (CORE, {"core/sim", "core/sched", "core/trace"}, ("rapidjson/",)),
    "core/cli": (CORE, {"core/cli", "core/sim", "core/trace"}, ("rapidjson/", "CLI/")),
    "core/python": (CORE, {"core/python"}, ("pybind11/",)),
    "core/bench": (CORE, {"core/bench", "core/sched", "core/trace", "core/sim"}, ("tbb/", "oneapi/", "rapidjson/", "CLI/")),
    "wasm": (CORE, {"wasm", "core/sim"}, ("emscripten",)),
    "viz/model": (TRACE, {"viz/model"}, ("rapidjson/",)),
    "viz/ui": (TRACE, {"viz/ui", "viz/model"}, ("imgui", "misc/")),
    "viz/app": (TRACE, {"viz/app", "viz/ui", "viz/model"}, ("imgui", "backends/", "misc/", "GLFW/", "GLES", "GL/", "emscripten", "CLI/")),
}
# Trace-only public headers may not lean on the scheduler.
TRACE_HEADERS = {f"core/include/pysolate/{h}.h" for h in TRACE}
# The one seam between platforms, and the bindings.
PLATFORM_FOLDERS = ("viz/app", "wasm")

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def rule_of(path: str):
    best = max((f for f in RULES if path.startswith(f + "/")), key=len, default=None)
    return best, RULES.get(best)


def ours(path: str, name: str) -> str | None:
    """The repository path of an include in quotes, None if it isn't ours."""
    folder = os.path.dirname(path)
    for base in (folder, "core/include", "core", "viz", "viz/app", "wasm", "."):
        candidate = os.path.normpath(os.path.join(base, name))
        if os.path.exists(os.path.join(ROOT, candidate)) and candidate.split("/")[0] in ("core", "viz", "wasm", "tests"):
            return candidate
    return None


def check(path: str, text: str) -> list[str]:
    folder, rule = rule_of(path)
    if rule is None:
        return []
    headers, folders, third_party = rule
    if path in TRACE_HEADERS:
        headers, third_party = TRACE, ()
    bad = []
    for number, line in enumerate(text.splitlines(), 1):
        if "__EMSCRIPTEN__" in line and folder not in PLATFORM_FOLDERS:
            bad.append(f"{path}:{number}: __EMSCRIPTEN__ outside the platform seam")
        m = INCLUDE.match(line)
        if not m:
            continue
        name = m.group(2)
        if name.startswith("pysolate/"):
            if headers is not None and name[len("pysolate/"):-2] not in headers:
                bad.append(f"{path}:{number}: {folder} may not include <{name}>")
            continue
        target = ours(path, name) if m.group(1) == '"' else None
        if target is not None:
            if not any(target.startswith(f + "/") for f in folders):
                bad.append(f"{path}:{number}: {folder} may not include {target}")
        elif "/" in name or name.endswith(".h"):
            system = name.split("/")[0] in ("sys",) or name in ("unistd.h", "stdint.h", "string.h", "fcntl.h", "signal.h")
            if system and folder in ("core/cli", "core/bench", "viz/app"):
                continue
            if name == "pybind11/pybind11.h" and folder == "core/python":
                continue
            if not any(name.startswith(p) for p in third_party):
                bad.append(f"{path}:{number}: {folder} may not include <{name}>")
    return bad


def main() -> int:
    bad, files = [], 0
    for top in ("core", "viz", "wasm"):
        for base, dirs, names in os.walk(os.path.join(ROOT, top)):
            dirs[:] = [d for d in dirs if d not in ("node_modules", "build")]
            for n in sorted(names):
                if n.endswith((".h", ".cc", ".inc")):
                    path = os.path.relpath(os.path.join(base, n), ROOT)
                    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                        bad += check(path, f.read())
                    files += 1
    print("\n".join(bad) if bad else f"layers: {files} files keep to them")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
