"""Tools from an MCP server's tool list.

The server's annotations (`readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`) are hints: they are
believed only if you trust the server. The defaults are the protocol's: not read-only, destructive, not idempotent,
open world.

    trusted, read-only, closed world     immutable_read   (may be early, repeated, shared)
    trusted, read-only, open world       open_read        (in order, when reached)
    trusted, writes, closed world        private_write
    anything else, and every tool of an untrusted server: external_write
"""
from __future__ import annotations

import inspect
import keyword
import re
from typing import Callable, Iterable, Mapping

from ._own import __builtins__
from .contracts import Contract, ToolSpec, binder_of
from .errors import ToolError

_DEFAULTS = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}
_ABSENT = object()


def contract(annotations: Mapping | None, *, trusted: bool, root: str = "") -> Contract:
    """The contract that a tool's annotations amount to."""
    if not trusted:
        return Contract("external_write")
    hints = {**_DEFAULTS, **{k: v for k, v in (annotations or {}).items() if isinstance(v, bool)}}
    if hints["readOnlyHint"]:
        return Contract("open_read" if hints["openWorldHint"] else "immutable_read", root=root)
    return Contract("external_write" if hints["openWorldHint"] else "private_write", root=root)


def tools(listing: Mapping | Iterable[Mapping], call: Callable, *, trusted: bool = False, prefix: str = "",
          root: str = "") -> dict[str, ToolSpec]:
    """ToolSpecs for a `tools/list` result (or its `tools`).

    `call(name, arguments)` makes one `tools/call` request, synchronously or as a coroutine function. `prefix` makes the
    tools methods of one object ("github" -> `github.search_issues`). Names that are no identifiers get underscores.
    """
    entries = listing["tools"] if isinstance(listing, Mapping) else listing
    made: dict[str, ToolSpec] = {}
    is_async = inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(getattr(call, "__call__", None))
    for entry in entries:
        name = entry["name"]
        ours = re.sub(r"\W", "_", name)
        if not ours.isidentifier() or keyword.iskeyword(ours):
            ours = "_" + ours
        if prefix:
            ours = f"{prefix}.{ours}"
        if ours in made:
            raise ValueError(f"two MCP tools are called {ours} here: {name!r} is the second")
        made[ours] = ToolSpec(
            ours, contract(entry.get("annotations"), trusted=trusted, root=root), _binder(ours, entry),
            _performer(call, name, is_async), is_async, entry.get("description"))
    return made


def _binder(shown, entry):
    schema = entry.get("inputSchema") or {}
    properties, required = schema.get("properties") or {}, set(schema.get("required") or ())
    if any(not p.isidentifier() or keyword.iskeyword(p) for p in properties):
        def bind_any(args, kwargs):
            if args:
                raise TypeError(f"{shown}() takes keyword arguments only")
            missing = sorted(required - set(kwargs))
            if missing:
                raise TypeError(f"{shown}() missing required argument: {missing[0]!r}")
            return dict(kwargs)

        return bind_any
    kinds = inspect.Parameter
    ordered = [p for p in properties if p in required] + [p for p in properties if p not in required]
    signature = inspect.Signature([
        kinds(p, kinds.POSITIONAL_OR_KEYWORD, default=kinds.empty if p in required else _ABSENT) for p in ordered])
    bind, _ = binder_of(shown, signature, None)
    return lambda args, kwargs: {k: v for k, v in bind(args, kwargs).items() if v is not _ABSENT}


def _performer(call, name, is_async):
    if is_async:
        async def perform(bound):
            return result(await call(name, bound))
    else:
        def perform(bound):
            return result(call(name, bound))
    return perform


def result(answer):
    """The value of a `tools/call` result: its structured content, else its text; `isError` raises ToolError.

    What does not look like such a result is the value itself.
    """
    if not isinstance(answer, Mapping) or "content" not in answer:
        return answer
    text = "\n".join(part.get("text", "") for part in answer["content"] if part.get("type") == "text")
    if answer.get("isError"):
        raise ToolError(text or "the tool failed")
    if answer.get("structuredContent") is not None:
        return answer["structuredContent"]
    if all(part.get("type") == "text" for part in answer["content"]):
        return text
    return answer["content"]
