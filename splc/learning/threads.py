"""The threads of linear algebra while a model is learned."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any


def one_thread(*, with_scipy: bool = True) -> Any:
    """Return a context in which linear algebra uses one thread.

    With several threads, sums differ in their last bits, and small matrices take longer.
    """
    if with_scipy:
        # Only libraries that are loaded have their threads limited.
        import scipy.linalg  # noqa: F401

    return _libraries(len(sys.modules)).limit(limits=1)


@lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:
    """Return the libraries that are loaded; the look-up takes 3 ms. `modules`: another number of imported modules."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
