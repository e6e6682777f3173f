"""What the scout and its host say to each other.

The scout is code derived from the program's AST that runs ahead of it, without any effect, and submits coming tool
calls early. The host owns the program, the scheduler and the clock. Everything that crosses this border is plain data
(exact `None, bool, int, float, str, bytes, list, tuple, dict, set, frozenset` of such) or a small positive integer.

Thread rule: one thread at a time; the scout runs only inside the calls that the host makes.
"""
from __future__ import annotations

from .._own import __builtins__

from dataclasses import dataclass
from typing import Any, Callable, Protocol


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """A tool as the scout has to know it.

    `early_ok`: `pure` or `immutable_read`, and not opted out. `bind(args, kwargs)` gives the parameters by name or
    raises `TypeError` exactly as the program's own call would; it must not start anything. `handle` is what to announce.
    `choose(args, kwargs)`, if there is one, gives the ToolInfo that holds for these arguments, and this one only says
    whether any of them may be early; it raises as `bind` does.
    """

    name: str
    early_ok: bool
    effect: str
    bind: Callable[[tuple, dict], dict]
    handle: str = ""
    choose: Callable[[tuple, dict], "ToolInfo"] | None = None


@dataclass(slots=True)
class Limits:
    """Fuel. A scout that runs out of it stops quietly and says so in a note.

    `clock` is a monotonic clock in seconds for the rule that scouts take at most `share` of the program's time unless
    it is blocked; None (virtual time) switches the rule off, so that runs are reproducible.
    """

    steps: int = 2_000_000          # statements and expressions over the whole run
    turn_steps: int = 100_000       # the same between two moments at which the program moved
    patience: int = 2_000           # of these for a loop that reaches no tool, before the scout goes on beside it
    guess_steps: int = 8_000        # of these for side lines (other arms, handlers, other values)
    bytes: int = 64 << 20           # payload allocated by evaluation, over the whole run
    value_bytes: int = 4 << 20      # the largest single value
    outstanding: int = 4096         # early calls announced and not settled
    backlog: int = 20_000           # further ones, found and kept back
    depth: int = 40                 # nested calls of the program's own functions
    window: int = 24                # unresolved guesses that one line of scouting may stack up
    ghosts: int = 160               # side lines (other arms, handlers) at a time
    share: float = 0.05             # of the program's time, while it is not blocked
    grace: float = 0.004            # seconds beyond the share that may be taken at once (the start needs some)
    slice: float = 0.010            # seconds at a time while it is blocked
    idle: float = 0.100             # seconds while it is blocked without finding a call; from then on: the share, too
    clock: Callable[[], float] | None = None


class Host(Protocol):
    """What the scout asks of its host. No settlement arrives from inside any of these."""

    def announce(self, tool: str, site: tuple, guess: bool, deps: list[int], order: str, scope: int) -> int:
        """An early call whose arguments are not known yet. -> call id, 0 if refused. `site` is (line, col, end_line,
        end_col), columns in UTF-8 bytes; `deps` the calls its arguments wait for; `order` compares bytewise as program
        order."""

    def supply(self, call: int, args: tuple, kwargs: dict) -> None:
        """Its arguments (fresh plain data). Raises `TypeError` if they do not bind; the call is dropped then."""

    def drop(self, call: int) -> None:
        """The call will not get arguments."""

    def listen(self, call: int) -> None:
        """Optional: from inside `reached`, a call that was not found early. Its outcome comes by `settled`, too."""

    def pressing(self) -> bool:
        """Whether something has happened while the program is blocked, so that a scout should pause."""

    def open_scope(self, parent: int, kind: str, line: int, pending: bool) -> int: ...

    def set_scope(self, scope: int, state: str) -> None:
        """`state`: 'active', 'dead' or 'closed'."""

    def note(self, line: int, text: str) -> None: ...


Payload = Any
