"""The dask scheduler of a command."""

from __future__ import annotations

import typer


def scheduler_of(backend: str, scheduler: str | None) -> str | None:
    """Return the dask scheduler of a command, `local` to start one here, or None without dask.

    Raises:
        typer.BadParameter: if there is a scheduler without dask.
    """
    if backend == "dask":
        return scheduler or "local"
    if scheduler is not None:
        raise typer.BadParameter("a scheduler needs --backend dask", param_hint="--scheduler")
    return None
