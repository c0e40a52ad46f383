"""Designs of binary parts against brute force, and on large systems."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sampling import Space, sample
from sampling.designs import binary
from sampling.space.parts import Parts, unrelated_subsets
from sampling.spec import parse_spec
from splc.errors import VariabilityError
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import group
from tests.sampling.conftest import PLANE, joined, selected, stated
from tests.support.examples import examples
from tests.support.golden_messages import check_calls
from tests.support.strategies import models

Selection = tuple[int, ...]


def valid_selections(parts: Parts) -> set[Selection]:
    """Return the binary parts of all valid configurations: binary options, then switches."""
    found = parts.space.enumerate()
    columns = [found.column(name) for name in parts.selectable]
    return set(zip(*(column.astype(int).tolist() for column in columns), strict=True)) if columns else set()


def smallest(selections: set[Selection], wanted: dict[int, int]) -> Selection | None:
    """Return the smallest selection with these values; of several the first in option order."""
    meeting = [s for s in selections if all(s[option] == value for option, value in wanted.items())]
    return min(meeting, key=lambda s: (sum(s), [-selected for selected in s]), default=None)


def systems(numeric: int = 1, **sizes: Any) -> st.SearchStrategy[Parts]:
    """Return the strategy of systems with something to select."""
    found = models(numeric=numeric, **sizes).map(lambda model: Parts(Space(model)))
    return found.filter(lambda parts: len(parts.selectable) > 0)


@given(systems(2, binary=6, most_constraints=4))
@examples(40)
def test_parts_are_the_projections_of_the_valid_space(parts: Parts) -> None:
    """A binary part is valid if some values make a configuration of it; a numeric one if some selection does."""
    model = parts.system
    assert set(map(tuple, parts.binary.enumerate(10**6).tolist())) == valid_selections(parts)
    valid = parts.space.enumerate()
    numeric = set()
    for row in valid.indices[:, len(model.binary_options) :].tolist():
        choices = [
            range(len(option.values)) if index == len(option.values) else [index]
            for index, option in zip(row, model.numeric_options, strict=True)
        ]
        numeric |= set(itertools.product(*choices))
    assert set(map(tuple, parts.numeric.enumerate(10**6).tolist())) == numeric


Read = Callable[[str], VariabilityModel]


def design_of(parts: Parts, spec: str, seed: int = 0) -> tuple[list[Selection], tuple[str, ...]]:
    """Return the rows of a binary design, before they are joined with numeric values, and its notes."""
    design = parse_spec(f"{spec}+ff").binary
    assert design is not None
    found = design.design(parts, seed)
    return [tuple(row) for row in found.rows.tolist()], found.notes


def rows_of(parts: Parts, spec: str, seed: int = 0) -> list[Selection]:
    """Return the rows of a binary design."""
    return design_of(parts, spec, seed)[0]


MANDATORY = BinaryOption("b", optional=False), BinaryOption("c", parent="b", optional=False)


@given(systems(binary=7, most_constraints=4), st.integers(1, 4))
@example(Parts(Space(stated([BinaryOption("a"), *MANDATORY]))), 1)
@examples(40)
def test_t_wise_is_the_smallest_selection_of_each_set(parts: Parts, size: int) -> None:
    """The rows are the smallest valid selections of all sets of T unrelated options, in order.

    Sets that cannot be selected are in a note. For T = 1, the mandatory options alone are the first row, if valid.
    """
    model, valid = parts.system, valid_selections(parts)
    apart = set(map(tuple, unrelated_subsets(parts, 2).tolist()))
    sets = [
        each
        for each in itertools.combinations(range(len(parts.selectable)), size)
        if apart.issuperset(itertools.combinations(each, 2))
    ]
    wanted = [smallest(valid, dict.fromkeys(each, 1)) for each in sets]
    missing = [each for each, row in zip(sets, wanted, strict=True) if row is None]
    top = [option for option in model.binary_options if option.parent is None and option.name in model.mandatory]
    if size == 1 and (base := smallest(valid, {})) is not None and sum(base) == len(top):
        wanted.insert(0, base)
    note = f"{len(missing)} {'pairs of' if size == 2 else f'sets of {size}'} options cannot be selected together"
    if size == 1:
        note = f"never selected in a valid configuration: {', '.join(parts.selectable[at] for (at,) in missing)}"
    rows = list(dict.fromkeys(row for row in wanted if row is not None))
    assert design_of(parts, f"twise:{size}") == (rows, (note,) if missing else ())


def literals(rows: Array, size: int) -> set[tuple[tuple[int, int], ...]]:
    """Return the combinations of `size` values that rows have, as pairs of option and value."""
    return {
        tuple(zip(each, values, strict=True))
        for each in itertools.combinations(range(rows.shape[1]), size)
        for values in set(map(tuple, rows[:, each].tolist()))
    }


@given(systems(2, binary=6, most_constraints=4), st.integers(1, 3), st.integers(0, 3))
@examples(20)
def test_covering_arrays_have_every_valid_combination(parts: Parts, size: int, seed: int) -> None:
    """Every combination of T values of a valid configuration occurs, in valid rows, of which each is needed."""
    assume(len(parts.selectable) >= size)
    valid = valid_selections(parts)
    rows = rows_of(parts, f"covering:{size}", seed)
    assert set(rows) <= valid
    assert len(set(rows)) == len(rows)
    if valid:
        wanted = literals(np.array(sorted(valid)), size)
        assert literals(np.array(rows), size) == wanted
        own = [list(itertools.combinations(enumerate(row), size)) for row in rows]
        counts = Counter(itertools.chain(*own))
        assert all(min(counts[each] for each in combinations) == 1 for combinations in own)
    assert rows_of(parts, f"covering:{size},seed={seed}", 9) == rows


@pytest.mark.real_data
@pytest.mark.parametrize("spec", ["covering:2", "pairwise"])
def test_pairs_of_a_large_system(real_model: Read, spec: str) -> None:
    """On copies of real systems, 10^12 configurations, the pairs are those of the copies and all between them."""
    systems = [real_model(name) for name in ("x264", "LLVM", "LLVM", "x264")]
    model = joined(systems)
    found = sample(model, spec)
    assert Space(model).check(found).all()
    assert len(found.unique()) == len(found)
    assert len(found) <= 24 or spec == "pairwise"
    parts = [pairs(Space(each).enumerate().indices) for each in systems]
    alive = np.concatenate([part.diagonal() for part in parts])
    expected, start = np.outer(alive, alive), 0
    for part in parts:
        expected[start : start + len(part), start : start + len(part)] = part
        start += len(part)
    # Of `pairwise`, the pairs of selected options.
    step = 1 if spec == "covering:2" else 2
    assert (pairs(found.indices) == expected)[step - 1 :: step, step - 1 :: step].all()


def pairs(rows: Array) -> Array:
    """Return which pairs of literals 2v + value occur in rows, shape (literals, literals), bool."""
    values = np.stack([rows == 0, rows == 1], axis=2).reshape(len(rows), -1).astype(int)
    return np.asarray(values.T @ values > 0)


def left_out(valid: set[Selection], model: VariabilityModel, first: bool) -> list[Selection]:
    """Return what negative option-wise sampling has, by brute force over the valid selections."""
    ordered = sorted(valid, key=lambda row: [-value for value in row])
    most = max(map(sum, ordered))
    largest = [row for row in ordered if sum(row) == most][: 1 if first else None]
    seen = [any(row[place] for row in largest) for place in range(len(ordered[0]))]
    for place, covered in enumerate(seen):
        having = [row for row in ordered if row[place]]
        if not covered and having:
            largest.append(max(having, key=sum))
    rows = list(dict.fromkeys(largest))
    optional = [place for place, option in enumerate(model.binary_options) if option.optional]
    for place in [*optional, *range(len(model.binary_options), len(ordered[0]))]:
        base = next((row for row in rows[: len(dict.fromkeys(largest))] if row[place]), None)
        without = [row for row in ordered if not row[place]]
        if base is not None and without:
            rows.append(
                min(without, key=lambda row: sum((-1 if old else 10) * new for old, new in zip(base, row, strict=True)))
            )
    return list(dict.fromkeys(rows))


@given(systems(binary=7, most_constraints=3), st.booleans())
@examples(30)
def test_negative_optionwise_leaves_out_each_option(parts: Parts, first: bool) -> None:
    """The largest selections, and for each option the closest one without it, are those of brute force."""
    spec = "negoptionwise:first" if first else "negoptionwise"
    if valid := valid_selections(parts):
        assert rows_of(parts, spec) == left_out(valid, parts.system, first)
    else:
        with pytest.raises(VariabilityError):
            rows_of(parts, spec)


def sizes(system: VariabilityModel, spec: str) -> dict[int, int]:
    """Return how many configurations of a sample select so many options."""
    return dict(Counter(sample(system, spec).indices.sum(axis=1).tolist()))


def free(size: int) -> VariabilityModel:
    """Return a system of optional options."""
    return VariabilityModel("free", tuple(BinaryOption(f"f{i}") for i in range(size)))


def test_made_up_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """Designs have the sizes and rows of the golden file; too large ones are errors that name other designs."""
    monkeypatch.setattr(binary, "MAX_LARGEST", 2)
    options = (*(BinaryOption(name) for name in ("a", "b0", "b1", "b2", "b3", "d", "e")), BinaryOption("f", parent="e"))
    one = VariabilityModel("one", group("a", "b", "c"))
    tied = stated(options, "!d | !e", *(f"!b{i} | a | d" for i in range(4)))
    check_calls("binary-designs", sizes, free, joined, selected, one=one, tied=tied, PLANE=PLANE)
