"""Results of a package: counts, and survivors with the reasons that people wrote."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.mutations import Mutation

OPEN = "open: not examined"
HEAD = (
    '# Written by `make mutants`. Only `reason` is edited by hand: "equivalent: ..." or "open: ..."; reruns keep it.\n'
)


@dataclass(frozen=True)
class Outcome:
    """A mutation and what became of it: killed, timeout, survived or not executed."""

    mutation: Mutation
    status: str


def reasons(path: Path) -> dict[tuple[str, str, str], str]:
    """Return the reasons in a file of results, by file, operator and changed lines."""
    if not path.exists():
        return {}
    stored = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        (each["file"], each["operator"], each["change"].strip("\n")): each["reason"]
        for each in stored.get("survivor", []) + stored.get("former", [])
    }


def write(path: Path, package: str, seed: int, places: int, outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Write results, with the reasons of survivors that still exist; return the counts.

    Equivalent mutants of other samples are kept as `former`, so that their reasons are not lost.
    """
    known = reasons(path)
    survivors, present = "", set()
    counts = dict.fromkeys(("tried", "killed", "timeout", "survived", "not executed", "equivalent", "open"), 0)
    for outcome in sorted(outcomes, key=lambda each: (each.mutation.file, each.mutation.line, each.mutation.change)):
        one = outcome.mutation
        counts["tried"] += 1
        counts[outcome.status] += 1
        key = (one.file, one.operator, one.change)
        present.add(key)
        if outcome.status in {"survived", "not executed"}:
            reason = known.get(key, OPEN)
            counts["equivalent" if reason.startswith("equivalent") else "open"] += 1
            survivors += _entry("survivor", key, reason, f"line = {one.line}\nstatus = {_text(outcome.status)}\n")
    former = "".join(
        _entry("former", key, reason)
        for key, reason in sorted(known.items())
        if key not in present and reason.startswith("equivalent")
    )
    head = f"package = {_text(package)}\nseed = {seed}\nplaces = {places}\n"
    numbers = "".join(f"{name.replace(' ', '_')} = {number}\n" for name, number in counts.items())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{HEAD}{head}{numbers}{survivors}{former}", encoding="utf-8")
    return counts


def _entry(table: str, key: tuple[str, str, str], reason: str, rest: str = "") -> str:
    file, operator, change = key
    return (
        f"\n[[{table}]]\nfile = {_text(file)}\n{rest}operator = {_text(operator)}\n"
        f"change = '''\n{change}\n'''\nreason = {_text(reason)}\n"
        if "'''" not in change
        else f"\n[[{table}]]\nfile = {_text(file)}\n{rest}operator = {_text(operator)}\n"
        f"change = {_text(change)}\nreason = {_text(reason)}\n"
    )


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def share(counts: dict[str, int]) -> float:
    """Return the share of killed mutants among those that are not equivalent, in percent."""
    counted = counts["tried"] - counts["equivalent"]
    return 100 * (counts["killed"] + counts["timeout"]) / counted if counted else 100.0
