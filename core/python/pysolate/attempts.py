"""One physical execution of a tool, its outcome as data.

What a tool raises is stripped of everything that depends on where and when the attempt ran: the runtime's own frames,
and the exception that the program happened to handle meanwhile. So an early attempt and a reached one fail alike.
"""
from __future__ import annotations

import os
import sys

from ._own import __builtins__
from .contracts import GENERATED
from .session import inside

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def perform(session, attempt: int, function, bound: dict):
    """Runs `function(bound)` here and now as `attempt`. -> (ok, value or exception). Never raises."""
    handled = sys.exc_info()[1]
    token = inside.set((session, attempt))
    try:
        return True, function(bound)
    except BaseException as e:
        return False, cleaned(e, handled)
    finally:
        inside.reset(token)


async def perform_async(session, attempt: int, function, bound: dict):
    """The same for a tool that returns an awaitable. Cancellation passes through as CancelledError."""
    import asyncio
    inside.set((session, attempt))  # a task has a context of its own
    try:
        return True, await function(bound)
    except asyncio.CancelledError as e:
        task = asyncio.current_task()
        if task is not None and getattr(task, "_pysolate_cancelled", False):
            raise
        return False, cleaned(e, None)  # the tool cancelled itself: an outcome like any other
    except BaseException as e:
        return False, cleaned(e, None)


def cleaned(error: BaseException, handled: BaseException | None) -> BaseException:
    """`error` without our frames on top of its traceback, and without `handled` at the end of its contexts."""
    tb = error.__traceback__
    while tb is not None and is_ours(tb.tb_frame.f_code):
        tb = tb.tb_next
    error.__traceback__ = tb
    if handled is not None:
        node, seen = error, set()
        while node is not None and id(node) not in seen:
            seen.add(id(node))
            if node.__context__ is handled:
                node.__context__ = None
                break
            node = node.__context__
    return error


def is_ours(code) -> bool:
    """Is this code of the runtime (and not of a tool or a program)?"""
    name = code.co_filename
    return name == GENERATED or name.startswith(_PACKAGE)
