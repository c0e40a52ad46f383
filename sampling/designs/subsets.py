"""Minimal configurations of options and of subsets of options, for option-wise, pair-wise and t-wise sampling."""

from __future__ import annotations

import math

import numpy as np

from sampling.space.paths import literal
from sampling.space.completion import minimal, minimal_bits, selected, unpacked
from sampling.space.parts import Parts
from sampling.space.rows import without_repeated_bytes, without_repeats
from splc.errors import SpaceError
from splc.io.numbers import count_text
from splc.types import Array

# The subsets need a second or so per million, their configurations a byte per option.
MAX_SUBSETS, MAX_BYTES = 2_000_000, 600_000_000


def subset_minima(parts: Parts, t: int) -> tuple[Array, int]:
    """Return the distinct minimal configurations of all t-subsets of options, and the number of subsets without one.

    Subsets in which one option is an ancestor of another, or implies another one alone, are left out, and so are
    those that some configuration of a sample to be extended selects.
    """
    subsets = unrelated_subsets(parts, t)
    for known in parts.covered:
        subsets = subsets[~known[subsets].all(axis=1)]
    bits, possible = minimal_bits(parts, literal(0, 1) + 2 * subsets)
    return unpacked(parts, without_repeated_bytes(bits[possible])), int((~possible).sum())


def option_minima(parts: Parts) -> tuple[Array, list[str]]:
    """Return the minimal configurations of single options, distinct, and the options that none of them selects.

    The first one has the mandatory options only, if that is a configuration. Options that some configuration of a
    sample to be extended selects are left out.
    """
    top = [
        parts.system.positions[option.name]
        for option in parts.system.binary_options
        if option.parent is None and option.name in parts.system.mandatory
    ]
    base, valid = minimal(parts, [selected(*top)])
    first = base[valid & (base.sum(axis=1) == len(top)) & (len(parts.covered) == 0)]
    options = np.flatnonzero(~parts.covered.any(axis=0)).tolist()
    rows, possible = minimal(parts, [selected(*top, option) for option in options])
    never = [parts.selectable[option] for option, can in zip(options, possible, strict=True) if not can]
    return without_repeats(np.concatenate([first, rows[possible]])), never


def unrelated_subsets(parts: Parts, t: int) -> Array:
    """Return the t-subsets of options that are not related, in lexicographic order, shape (n, t)."""
    n = len(parts.selectable)
    count = math.comb(n, t)
    if count > MAX_SUBSETS or count * n > MAX_BYTES:
        raise SpaceError(
            f"{n:,} options have {count_text(count)} subsets of {t}, too many for a sample",
            hint="use smaller subsets, a covering array (covering:T), or random:N",
        )
    apart = np.ones((n, n), dtype=bool)
    for pair in parts.related():
        first, second = min(pair), max(pair)
        apart[[first, second], [second, first]] = False
    later = np.triu(apart, 1)
    subsets = np.zeros((1, 0), dtype=np.int64)
    # The options that may follow each subset: later ones that are not related to any of it.
    following = np.ones((1, n), dtype=bool)
    for needed in range(t, 0, -1):
        # An option with too few others behind it would end in a smaller subset.
        enough = np.cumsum(following[:, ::-1], axis=1, dtype=np.int32)[:, ::-1] >= needed
        row, option = np.nonzero(following & enough)
        subsets = np.concatenate([subsets[row], option[:, None]], axis=1)
        if needed > 1:
            following = following[row] & later[option]
    return subsets
