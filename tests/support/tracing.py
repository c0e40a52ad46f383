"""Coverage of the first part of each test: tracing takes as long as the test, and repetitions reach no new lines."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

# Seconds of CPU of each test that are traced, where this is set (`make test TRACED=1`).
SECONDS = "SPLC_TRACED_SECONDS"


class Tracing:
    """The tracer of this process, which is coverage's, and the seconds of CPU of each test that it sees."""

    def __init__(self) -> None:
        self.tracer: Any = None
        self.seconds = float(os.environ.get(SECONDS, "0"))

    def suspend(self) -> None:
        """Stop tracing until a test is called; modules of tests, and what they import, were traced."""
        if self.seconds and sys.gettrace() is not None:
            self.tracer = sys.gettrace()
            sys.settrace(None)
            signal.signal(signal.SIGVTALRM, lambda *_: sys.settrace(None))

    def __call__(self, test: Callable[..., Any]) -> Callable[..., Any]:
        """Return the test, the first part of which is traced."""
        if self.tracer is None:
            return test

        # Tracing ends one frame below the one where it begins: the tracer counts calls and returns, and would take
        # lines of the outer frame for lines of the frame in which the timer ended tracing.
        @wraps(test)
        def traced(*arguments: Any, **named: Any) -> Any:
            try:
                return test(*arguments, **named)
            finally:
                sys.settrace(None)

        @wraps(test)
        def called(*arguments: Any, **named: Any) -> Any:
            signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds)
            sys.settrace(self.tracer)
            try:
                return traced(*arguments, **named)
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)

        return called


def untraced() -> dict[str, str]:
    """Return the environment of a process that coverage does not trace."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
