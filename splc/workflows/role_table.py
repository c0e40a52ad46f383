"""The roles that the columns of a table were given without a description, with the option that changes each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from splc.errors import listed

if TYPE_CHECKING:
    from splc.formats.measurements.inference import Inference


def role_table(inference: Inference) -> tuple[str, ...]:
    """Return the lines of the table: a line for each role, and for each reason to leave columns out."""
    rows = list(_rows(inference))
    widths = [max(len(row[at]) for row in rows) for at in (0, 1)]
    return tuple(f"{role:<{widths[0]}}  {columns:<{widths[1]}}  {change}".rstrip() for role, columns, change in rows)


def _rows(inference: Inference) -> Iterator[tuple[str, str, str]]:
    yield "options", listed(inference.columns), "--context NAME, --ignore NAME"
    nfp, *further_nfps = inference.properties
    main = inference.main
    if main in further_nfps:
        nfp, further_nfps = main, [name for name in inference.properties if name != main]
    if main is None and further_nfps:
        yield "properties", listed([nfp, *further_nfps]), "--property NAME uses one"
    else:
        yield "property", nfp, ""
        if further_nfps:
            yield "also measured", listed(further_nfps), "--property NAME"
    if inference.contexts:
        yield "contexts", listed(inference.contexts), "--options NAME, --ignore NAME"
    reasons: dict[str, list[str]] = {}
    for name, reason in inference.ignored.items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        change = "" if reason == "as requested" else "--property NAME, --options NAME, --context NAME"
        yield "left out", f"{listed(names)} ({reason})", change
