"""Asynchronous code from synchronous code."""
from __future__ import annotations

import asyncio
import sys
import threading

from ._own import __builtins__


def run_coroutine(awaitable, on_thread=lambda: None):
    """The value of an awaitable, on an event loop of its own (in Pyodide: on the one there is, by stack switching).

    If a loop runs on this thread already, another thread does it meanwhile; `on_thread()` is called there first.
    """
    async def main():
        return await awaitable

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(main())
    if sys.platform == "emscripten":
        from pyodide.ffi import run_sync
        return run_sync(main())
    result: list = []

    def work():
        on_thread()
        try:
            result.append((True, asyncio.run(main())))
        except BaseException as e:
            result.append((False, e))

    thread = threading.Thread(target=work, name="pysolate-coroutine", daemon=True)
    thread.start()
    thread.join()
    ok, payload = result[0]
    if ok:
        return payload
    raise payload
