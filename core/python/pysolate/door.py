"""What a program sees of its tools: the one frame between its own lines and the runtime.

A failing call shows exactly one frame of ours, the line `raise error` below, in every mode and on every host; above it
stands the program's line, below it the tool's own frames.
"""
from __future__ import annotations

from ._own import __builtins__

class Raise:
    """The answer of a session whose outcome is an exception: data until the door raises it, once.

    `context` is what `error.__context__` has to be: what the program was handling, behind the tool's own contexts.
    """
    __slots__ = ("error", "context")

    def __init__(self, error: BaseException, context: BaseException | None):
        self.error = error
        self.context = context


class Tool:
    """A tool as the program calls it. Its identity is stable within a run."""

    def __init__(self, name: str, reach, doc: str | None = None):
        self._reach = reach
        self.tool_name = self.__qualname__ = name
        self.__name__ = name.rpartition(".")[2]
        self.__doc__ = doc

    def __call__(self, /, *args, **kwargs):
        answer = self._reach(self, args, kwargs)
        if type(answer) is Raise:
            error, context = answer.error, answer.context
            try:
                raise error
            except BaseException:
                error.__context__ = context  # `raise` put what the program handles in front of the tool's own context
                raise
            finally:
                del answer, error, context  # no cycle through this frame
        return answer

    def __repr__(self):
        return f"<tool {self.tool_name}>"


class Namespace:
    """An object of the program whose methods are tools (`workspace.read_text`)."""

    def __init__(self, name: str, behind=None):
        self.__dict__["_name"] = name
        self.__dict__["_behind"] = behind

    def __getattr__(self, name):
        # Only what is no tool gets here: plain attributes of the object behind.
        behind = self.__dict__["_behind"]
        if behind is None or name.startswith("__"):
            raise AttributeError(f"{self._name!r} has no attribute {name!r}")
        return getattr(behind, name)

    def __repr__(self):
        return f"<{self._name}>"


def context_for(error: BaseException, handled: BaseException | None) -> BaseException | None:
    """The `__context__` that `error` has when it leaves a tool that was called while `handled` was being handled.

    As if the tool had run on the program's stack: its own chain of contexts stays, and ends in `handled`.
    """
    if handled is None:
        return error.__context__
    if handled is error:
        return error.__context__
    last, seen = error, {id(error)}
    while last.__context__ is not None and id(last.__context__) not in seen:
        if last.__context__ is handled:
            return error.__context__
        last = last.__context__
        seen.add(id(last))
    link, walked = handled, set()
    while link is not None and id(link) not in walked:  # never close a circle
        if id(link) in seen:
            return handled if last is error else error.__context__
        walked.add(id(link))
        link = link.__context__
    if last is error:
        return handled
    last.__context__ = handled
    return error.__context__


def globals_of(specs, reach, behind=None) -> dict:
    """The names that a program gets for its tools: `{"fetch": Tool, "workspace": Namespace}`."""
    names: dict = {}
    for dotted, spec in specs.items():
        made = Tool(dotted, reach, spec.doc)
        owner, _, method = dotted.rpartition(".")
        if not owner:
            names[dotted] = made
            continue
        if owner not in names:
            names[owner] = Namespace(owner, (behind or {}).get(owner))
        elif not isinstance(names[owner], Namespace):
            raise ValueError(f"{owner} is a tool and cannot have a method {method} too")
        names[owner].__dict__[method] = made
    return names
