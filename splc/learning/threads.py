"""The threads of linear algebra while a model is learned."""

from __future__ import annotations

from typing import Any


def one_thread(*, with_scipy: bool = True) -> Any:
    """Return a context in which linear algebra uses one thread.

    With several threads, sums differ in their last bits, and small matrices take longer.

    Args:
        with_scipy: whether scipy's linear algebra is used, which has a BLAS of its own.
    """
    if with_scipy:
        # Only libraries that are loaded have their threads limited.
        import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1)
