"""Coverage of the first part of each test: tracing takes as long as the test, and repetitions reach no new lines.

Cases of one test are repetitions, too: once some of them have reached nothing new, the others are not traced. Of the
processes that tests start, only those of the first case are traced: that takes as long as what most of them do.
"""

from __future__ import annotations

import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from functools import wraps
from typing import Any
from unittest.mock import patch

# Seconds of CPU of each test that are traced, where this is set (`make test TRACED=1`).
SECONDS = "SPLC_TRACED_SECONDS"
# Cases of a test without a new line or branch, after which its other cases are not traced.
REPETITIONS = 2


class Tracing:
    """The tracer of this process, which is coverage's, and the seconds of CPU of each test that it sees."""

    def __init__(self) -> None:
        self.tracer: Any = None
        self.seconds = float(os.environ.get(SECONDS, "0"))
        self.repetitions = Counter[str]()

    def suspend(self) -> None:
        """Stop tracing until a test is called; modules of tests, and what they import, were traced."""
        if self.seconds and sys.gettrace() is not None:
            self.tracer = sys.gettrace()
            sys.settrace(None)
            signal.signal(signal.SIGVTALRM, lambda *_: sys.settrace(None))

    def reached(self) -> int:
        """Return the number of lines and branches that were reached until now."""
        return sum(map(len, self.tracer.data.values()))

    def __call__(self, test: Callable[..., Any], name: str) -> Callable[..., Any]:
        """Return a case of the test of this name, the first part of which is traced."""
        if self.tracer is None:
            return test
        if name in self.repetitions:
            return _without_processes(test if self.repetitions[name] == REPETITIONS else self._traced(test, name))
        return self._traced(test, name)

    def _traced(self, test: Callable[..., Any], name: str) -> Callable[..., Any]:
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
            before = self.reached()
            signal.setitimer(signal.ITIMER_VIRTUAL, self.seconds)
            sys.settrace(self.tracer)
            try:
                return traced(*arguments, **named)
            finally:
                signal.setitimer(signal.ITIMER_VIRTUAL, 0)
                self.repetitions[name] += self.reached() == before

        return called


def _without_processes(test: Callable[..., Any]) -> Callable[..., Any]:
    """Return a test, the processes of which are not traced."""

    @wraps(test)
    def called(*arguments: Any, **named: Any) -> Any:
        with patch.dict(os.environ, untraced(), clear=True):
            return test(*arguments, **named)

    return called


def untraced() -> dict[str, str]:
    """Return the environment of a process that coverage does not trace."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
