"""Pairs of binary options whose values no measured configuration has."""

from __future__ import annotations

import numpy as np

from splc.data.configurations import Configurations
from splc.errors import plural
from splc.learning.full_predictor import FullPredictor
from splc.learning.result import Predictor
from splc.types import Array
from splc.workflows.note import Note, Rank

# Pairs that are shown.
SHOWN = 3
# With more options, all pairs of them would take far longer than the predictions, and 9 GB with 14,000 options; few of
# the pairs that no row has are impossible then.
MAX_OPTIONS = 2000
# Independence must predict so many measured configurations with a pair, unless a single configuration selects both.
EXPECTED = 1.0
_BLOCK = 1 << 12


def unmeasured_notes(
    found: Configurations, known: Configurations | None, full: Predictor | None, used: frozenset[str], what: str
) -> tuple[Note, ...]:
    """Return a note on pairs of values that configurations have and no measured one has, none if there are none.

    Pairs are not examined where more than `MAX_OPTIONS` options make a difference.
    """
    system = found.system
    options = [item for item in system.binary_options if item.name in used and item.name not in system.mandatory]
    positions = [system.positions[option.name] for option in options]
    measured = [table.indices[:, positions] for table in _measured(found, known, full)]
    rows = sum(map(len, measured))
    if not rows or not positions or len(positions) > MAX_OPTIONS:
        return ()
    literals = _literals(np.concatenate(measured))
    together, single = literals.T @ literals, literals.sum(axis=0)
    expected = np.outer(single, single) / rows
    only_one = len(found) == 1
    if not only_one:
        together[expected < EXPECTED] = 1
    selected = np.arange(len(single)) < len(options)
    together[(expected < EXPECTED) & ~np.outer(selected, selected)] = 1
    # Other notes are about values that were never measured.
    together[expected == 0] = 1
    pairs = np.zeros(together.shape, dtype=bool)
    having = np.zeros(len(found), dtype=bool)
    for start in range(0, len(found), _BLOCK):
        block = _literals(found.indices[start : start + _BLOCK, positions])
        new = (block.T @ block > 0) & (together == 0)
        pairs |= new
        having[start : start + _BLOCK] = ((block @ new) * block).any(axis=1)
    first, second = np.nonzero(np.triu(pairs, 1))
    if not len(first):
        return ()
    order = np.argsort(-expected[first, second], kind="stable")
    names = [option.name for option in options]
    texts = [_pair(names, int(first[at]), int(second[at])) for at in order[:SHOWN].tolist()]
    more = f" and {len(first) - SHOWN:,} more" if len(first) > SHOWN else ""
    some = f"the {what}" if only_one else f"{int(having.sum()):,} of {plural(len(found), what, f'{what}s')}"
    text = f"{some} {'has' if only_one or having.sum() == 1 else 'have'} {', '.join(texts)}{more}"
    return (
        Note(
            f"{text}: together in no {'configuration learned from' if known is None else 'measured configuration'}",
            details=("if they cannot be combined, state a constraint in the description (splc init writes one)",),
            about=Rank.LIMIT,
        ),
    )


def _measured(
    candidates: Configurations, measured: Configurations | None, full: Predictor | None
) -> tuple[Configurations, ...]:
    """Return the measured configurations that have the options of others."""
    learned = full.configurations if isinstance(full, FullPredictor) else None
    names = candidates.system.names
    return tuple(table for table in (measured, learned) if table is not None and table.system.names == names)


def _literals(selected: Array) -> Array:
    """Return which options are selected, and which are not, as numbers, shape (n, 2 options)."""
    return np.concatenate([selected == 1, selected != 1], axis=1).astype(np.float32)


def _pair(names: list[str], first: int, second: int) -> str:
    """Return a pair of literals in words; those of options that are not selected come last."""
    name, other = names[first % len(names)], names[second % len(names)]
    if second < len(names):
        return f"{name} with {other}"
    return f"{name} without {other}" if first < len(names) else f"neither {name} nor {other}"
