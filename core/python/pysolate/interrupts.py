"""SIGINT while a program runs: never inside the runtime's bookkeeping, always at a line of the program or a tool."""
from __future__ import annotations

import contextlib
import signal
import threading

from ._own import __builtins__


class InterruptGuard:
    """Mixin of a host: keeps an interrupt that arrives while the runtime is at work (`enter` to `leave`) until it can
    be raised at the program's own call. Steps in only where Python's own handler is installed."""

    def __init__(self):
        self._main = None                     # the main thread's id while we hold SIGINT
        self._busy = False
        self._pending: BaseException | None = None

    def wake(self) -> None:
        """Ends a wait of the main thread (called from the signal handler)."""

    @contextlib.contextmanager
    def running(self):
        ours = (threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        if ours:
            signal.signal(signal.SIGINT, self._on_sigint)
            self._main = threading.get_ident()
        try:
            yield
        finally:
            if ours:
                self._main = None
                if signal.getsignal(signal.SIGINT) == self._on_sigint:
                    signal.signal(signal.SIGINT, signal.default_int_handler)

    def _on_sigint(self, signum, frame):
        if not self._busy:
            raise KeyboardInterrupt
        self._pending = KeyboardInterrupt()
        self.wake()

    def enter(self) -> None:
        if self._main is not None and threading.get_ident() == self._main:
            self._busy = True

    def leave(self) -> BaseException | None:
        """-> the interrupt that came meanwhile, if any."""
        if self._busy and threading.get_ident() == self._main:
            self._busy = False
            return self.take_interrupt()
        return None

    def take_interrupt(self) -> BaseException | None:
        pending, self._pending = self._pending, None
        return pending
