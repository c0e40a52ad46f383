"""Designs of binary parts against brute force, products and designs of some options, and the program's draws."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from sampling import Sample, Space, draw_sample, parse_spec, sample
from sampling.designs import binary, product
from sampling.draws import DotNetRandom
from sampling.space.parts import Parts, unrelated_subsets
from sampling.spec import BINARY
from splc.errors import SpaceError, SplcError, VariabilityError
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.conftest import PLANE, attempt, joined, selected, stated
from tests.support.examples import examples
from tests.support.golden_messages import check_calls
from tests.support.strategies import models
from tests.support.systems import group

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


# Without a only one value of x is valid, with it all four.
SYSTEM = VariabilityModel.of({"a": bool, "b": bool, "x": [1, 2, 3, 4]}, ["a | b", "x + 3 * a > 3"])


@pytest.mark.parametrize("block", [1, 7, 12, 24, 2**22])
def test_blocks_change_nothing(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The selected configurations are the same, in the same order, whatever is checked at once.

    As many as the limit allows are selected, and one more is an error.
    """
    whole = draw_sample(SYSTEM, "negoptionwise+ofat:3").configurations
    monkeypatch.setattr(product, "CHUNK", block)
    assert draw_sample(SYSTEM, "negoptionwise+ofat:3").configurations.indices.tolist() == whole.indices.tolist()
    count = len(draw_sample(SYSTEM, "all+cci").configurations)
    monkeypatch.setattr(product, "LIMIT", count)
    assert len(draw_sample(SYSTEM, "all+cci").configurations) == count
    monkeypatch.setattr(product, "LIMIT", count - 1)
    with pytest.raises(SpaceError, match=f"at least {count} configurations \\(the limit is {count - 1}\\)"):
        draw_sample(SYSTEM, "all+cci")


# Options a, b below p, c and a mandatory m that implies c or b, and x, y, z.
TREE = VariabilityModel(
    "tree",
    (
        BinaryOption("p"),
        BinaryOption("a", parent="p"),
        BinaryOption("b", parent="p"),
        BinaryOption("c"),
        BinaryOption("m", optional=False, implied=(("c", "b"),)),
        *(NumericOption(name, (1.0, 2.0, 3.0, 4.0, 5.0)) for name in ("x", "y", "z")),
    ),
)


def test_designs_of_some_options() -> None:
    """Other numeric options are at their centres, other binary ones as few as possible; what there are too few of."""
    plus = VariabilityModel.of({"c++": bool, "d": bool})
    check_calls("designs-of-some-options", selected, TREE=TREE, PLANE=PLANE, plus=plus)


@examples(30)
@given(models(), st.data())
def test_restricted_samples_are_valid_and_distinct(model: VariabilityModel, data: st.DataObject) -> None:
    """For any system and any options, the configurations are valid and distinct, and other values are fixed."""
    space = Space(model)
    assume(space.count)
    binary = [option.name for option in model.binary_options]
    numeric = [option.name for option in model.numeric_options]
    one = data.draw(st.lists(st.sampled_from(binary), min_size=1, unique=True)) if binary else []
    two = data.draw(st.lists(st.sampled_from(numeric), min_size=1, unique=True)) if numeric else []
    parts = [f"pairwise[{','.join(one)}]"] if one else []
    parts += [f"ff[{','.join(two)}]"] if two else []
    drawn = attempt(model, "+".join(parts))
    if not isinstance(drawn, Sample):
        # The centres or the parts excluded everything.
        assert "selects" in drawn
        return
    found = drawn.configurations
    assert len(found) == len(found.unique())
    assert space.check(found).all()
    for option in model.numeric_options:
        if option.name not in two:
            assert set(found.value(option.name)[~np.isnan(found.value(option.name))]) <= {option.center}


@pytest.mark.parametrize("name", BINARY)
def test_every_binary_design_can_be_restricted(name: str) -> None:
    """The options in brackets vary as in a system of their own, for every binary design."""
    usage = BINARY[name][0]
    spec = name + (":2" if "T" in usage or ":N" in usage else "")
    found = sample(TREE, f"{spec}[a,b]+ofat:3[x]")
    assert Space(TREE).check(found).all()
    assert len(found) == len(found.unique())
    assert set(found.value("y")) == {3.0}
    # Only m, which needs c or b, is selected because of other options.
    assert set(found.value("c")[found.value("b") == 1]) <= {0.0}
    with pytest.raises(SplcError, match="not a binary option"):
        sample(TREE, f"{spec}[nowhere]+ff")


@pytest.fixture
def mixed() -> VariabilityModel:
    """Return a system of both kinds of options with 18 valid configurations."""
    return VariabilityModel.of({"a": bool, "b": bool, "x": range(3), "y": [2, 4]}, ["a | b"])


@pytest.mark.parametrize(
    ("spec", "n", "part"),
    [("random:11", 11, slice(None)), ("random:3+ff", 3, slice(0, 2)), ("all+random:5", 5, slice(2, None))],
)
def test_draws_of_the_program(mixed: VariabilityModel, spec: str, n: int, part: slice) -> None:
    """`compat` draws as `list.RemoveAt(random.Next(list.Count))` does, of either part and of configurations.

    `compat=2018` draws positions in the whole list, as the program did before June 2023, and repeats again.
    """
    everything = list(dict.fromkeys(tuple(row[part]) for row in Space(mixed).enumerate().indices.tolist()))
    random = DotNetRandom(10)
    repeated = dict.fromkeys(random.below(len(everything)) for _ in range(200))
    expected = {"compat=2018": [everything[at] for at in list(repeated)[:n]]}
    random = DotNetRandom(10)
    expected["compat"] = [everything.pop(random.below(len(everything))) for _ in range(n)]
    assert expected["compat"] != expected["compat=2018"]
    for rule, rows in expected.items():
        found = sample(mixed, spec.replace(f":{n}", f":{n},{rule},seed=10")).indices.tolist()
        assert list(dict.fromkeys(tuple(row[part]) for row in found)) == rows


def test_limits_of_the_program(mixed: VariabilityModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other versions, lists that are too large, seeds of more than 32 bits, and right and wrong populations."""
    monkeypatch.chdir(tmp_path)

    def drawn(system: VariabilityModel, spec: str) -> tuple[int, tuple[str, ...]]:
        found = draw_sample(system, spec)
        return len(found.configurations), found.notes

    def chosen(system: VariabilityModel, spec: str, text: str) -> str:
        Path("all.csv").write_text(text, encoding="utf-8")
        found = draw_sample(system, spec.replace("FILE", "from=all.csv"))
        return " ".join(["".join(map(str, row)) for row in found.configurations.indices.tolist()] + [*found.notes])

    large = VariabilityModel.of({f"b{at}": bool for at in range(45)} | {"x": [1, 2]})
    small = VariabilityModel.of({"a": bool, "b": bool, "x": [1, 2]})
    check_calls("draws-of-the-program", drawn, chosen, mixed=mixed, large=large, small=small, PLANE=PLANE)
