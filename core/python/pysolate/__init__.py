"""Pysolate runs an ordinary, synchronous-looking Python program that calls host tools, and overlaps the calls.

    import pysolate

    @pysolate.tool(effect="immutable_read")
    async def fetch(url): ...

    result = pysolate.run("a = fetch('x')\\nb = fetch('y')\\nprint(a, b)", [fetch])
    result.raise_for_exception()

The program keeps its order, values, exceptions and effects; only the waiting shrinks.
"""
from .contracts import Contract, ToolSpec, tool
from .errors import ToolError
from .fuzz import fuzz_orders
from .runtime import Run, run

__all__ = ["Contract", "Run", "ToolError", "ToolSpec", "fuzz_orders", "run", "tool"]
__version__ = "0.1.0"


def load_ipython_extension(shell):
    """`%load_ext pysolate`: the `%%pysolate` cell magic."""
    from .ipython import load_ipython_extension as load
    load(shell)
