"""Sampling specs, messages about them, configurations as command lines, and extensions of existing samples."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from sampling import Space, command_strings, draw_sample, parse_spec, sample
from sampling.space.analysis import describe
from sampling.space.parts import Parts, unrelated_subsets
from sampling.spec import BINARY, NUMERIC, WHOLE
from splc import read_variability_model
from splc.data.configurations import Configurations
from splc.errors import SpaceError, SpecError
from splc.formats.measurements.csv import write_configurations
from splc.system.options import BinaryOption, NumericOption, Presentation
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.sampling.conftest import selected
from tests.sampling.designs.test_binary_designs import literals, valid_selections
from tests.support.examples import examples
from tests.support.golden_messages import check_calls, check_lines, check_messages
from tests.support.strategies import models


def parsed(spec: str) -> str:
    """Return the parts of a spec in normal form, and the seed of each; studies repeat a sampling whose seed is None."""
    found = parse_spec(spec)
    parts = (("whole", found.whole), ("binary", found.binary), ("numeric", found.numeric))
    own = (f"{kind} {part.text} {getattr(part, 'seed', 0)}" for kind, part in parts if part is not None)
    return f"{found.text}: {'; '.join(own)}"


def test_parts_of_specs() -> None:
    """Names decide the kinds of the parts, in any order; parts are in normal form, brackets last."""
    check_calls("parts-of-specs", parsed)


@pytest.mark.parametrize("name", sorted({*BINARY, *NUMERIC, *WHOLE}))
def test_wrong_arguments(name: str) -> None:
    """Missing and superfluous arguments, and keys that a sampling does not have, are errors, whatever else is given."""
    usage = next(table[name][0] for table in (WHOLE, BINARY, NUMERIC) if name in table)
    required = ":" in usage.partition("[")[0]
    for text in ([name] if required else []) + [f"{name}:{','.join('9' * 9)}"]:
        with pytest.raises(SpecError, match=r"argument|number|variant"):
            parse_spec(text)
    if not required:
        assert parse_spec(name).text == name
    for count in range(4):
        with pytest.raises(SpecError, match=r"no argument 'sead'|number|variant"):
            parse_spec(f"{name}:{','.join([*'2' * count, 'sead=1'])}")


SYSTEM = VariabilityModel.of({"a": bool, "b": bool, "c": bool, "x": [1, 2, 3]}, name="tool")


def test_messages() -> None:
    """The error states the problem of a spec and its cure."""
    check_messages("sampling", lambda spec: draw_sample(SYSTEM, spec))
    found = draw_sample(SYSTEM, "pairwise", seed=4)
    first, note = found.summary().splitlines()
    assert first == "9 configurations of tool, sampled by pairwise with seed 4"
    assert note == "note: no numeric sampling is given: all combinations of numeric values are taken (ff)"
    assert found.to_columns()["x"].tolist() == [1, 2, 3] * 3


def test_findings() -> None:
    """Each suspicious part of a description is stated once, as a sentence with its line."""
    system = read_variability_model(Path(__file__).parent / "space" / "suspicious.xml")
    check_lines("findings", [f"{each.kind}: {each}" for each in describe(Space(system)).findings])


def test_command_strings_are_those_of_printconfigs() -> None:
    """Prefix, quoted key, output strings with their own prefixes and postfixes, postfix."""
    model = VariabilityModel(
        "strings",
        (
            BinaryOption("a", presentation=Presentation("--all", "[", "]")),
            BinaryOption("b", presentation=Presentation("noOutput", "-x")),
            BinaryOption("c"),
            NumericOption("x", (1.0, 2.5), presentation=Presentation(None, "x=", ";")),
            NumericOption("y", (4.0, 1e20), deselected_flag=-1.0, presentation=Presentation("noOutput")),
        ),
    )
    rows = Configurations(model, np.array([[1, 1, 1, 1, 0], [0, 0, 0, 0, 2], [0, 1, 0, 0, 1]]))
    assert command_strings(rows, "run", "> log") == [
        'run "root%;%a%;%b%;%c%;%x;2.5%;%y;4%;%" [--all] x=2.5; > log',
        'run "root%;%x;1%;%" x=1; > log',
        'run "root%;%b%;%x;1%;%y;1e+20%;%" x=1; > log',
    ]
    assert command_strings(rows[1:2]) == ['prefix "root%;%x;1%;%" x=1; postfix']
    assert command_strings(rows[1:2], "", "") == ['"root%;%x;1%;%" x=1;']


SPECS = ("random:2", "random:2+random:1", "pairwise", "optionwise", "twise:3", "covering:2", "negoptionwise", "all+ff")


def part(parts: Parts, found: Configurations) -> Array:
    """Return the binary parts of configurations."""
    return np.stack([found.column(name) for name in parts.selectable], axis=1).astype(int)


@given(models(binary=6, numeric=1, most_constraints=3), st.sampled_from(SPECS), st.integers(0, 2), st.integers(1, 6))
@examples(40)
def test_an_extension_is_new_and_valid(model: VariabilityModel, spec: str, seed: int, size: int) -> None:
    """Added rows are valid, distinct and new; a coverage design covers its combinations with them."""
    space = Space(model)
    parts = Parts(space)
    assume(len(parts.selectable) >= 2 and space.count >= 1 and (model.numeric_options or "+" not in spec))
    existing = sample(model, f"random:{min(size, space.count)},seed={seed}")
    try:
        found = draw_sample(model, spec, seed, space=space, existing=existing)
    except SpaceError:
        assert spec.startswith("random")
        return
    added = found.configurations
    assert found.extended == len(existing)
    assert space.check(added).all()
    assert (existing.find(added) < 0).all()
    assert len(added.unique()) == len(added)
    valid = np.array(sorted(valid_selections(parts)))
    together = np.concatenate([part(parts, existing), part(parts, added)])
    if spec == "covering:2":
        assert literals(together, 2) == literals(valid, 2)
    apart = set(map(tuple, unrelated_subsets(parts, 2).tolist()))
    for size_of_set in {"optionwise": (1,), "pairwise": (2,), "twise:3": (3,)}.get(spec, ()):
        for each in itertools.combinations(range(valid.shape[1]), size_of_set):
            if valid[:, each].all(axis=1).any() and apart.issuperset(itertools.combinations(each, 2)):
                assert together[:, each].all(axis=1).any()
    if spec == "random:2":
        assert len(added) == 2


def test_random_extensions_are_uniform() -> None:
    """Over many seeds every configuration that is not known is added about equally often."""
    model = VariabilityModel("line", (NumericOption("x", tuple(map(float, range(12)))),))
    known = Configurations(model, np.array([[2], [7]]))
    space = Space(model)
    drawn = [sample(model, "random:2", seed, space=space, existing=known).indices[:, 0] for seed in range(1000)]
    counts = np.bincount(np.concatenate(drawn), minlength=12)
    assert counts[[2, 7]].tolist() == [0, 0]
    others = np.delete(counts, [2, 7])
    # 2 of 10 without replacement: a standard deviation of about 12.6.
    assert abs(others - 200).max() < 55


@pytest.mark.real_data
def test_a_set_apart_covers_everything_again(real_model: Callable[[str], VariabilityModel]) -> None:
    """A set of its own has all rows of the design but those that are taken; random designs draw others."""
    model = real_model("x264")
    learned = sample(model, "random:100")
    apart = draw_sample(model, "pairwise", existing=learned, apart=True).configurations
    whole = sample(model, "pairwise")
    assert apart == whole[learned.find(whole) < 0]
    others = draw_sample(model, "random:200", existing=learned, apart=True).configurations
    assert len(others) == 200
    assert (learned.find(others) < 0).all()


@given(
    models(binary=6, numeric=0, most_constraints=2),
    st.sampled_from(("pairwise", "optionwise", "covering:2")),
    st.data(),
)
@examples(20)
def test_designs_of_some_options_extend_by_them(model: VariabilityModel, spec: str, data: st.DataObject) -> None:
    """An extension adds nothing for what the existing sample covers, and covers what it lacks among these options."""
    space = Space(model)
    assume(len(model.options) >= 2 and space.count >= 2)
    names = data.draw(st.lists(st.sampled_from(model.names), min_size=2, max_size=4, unique=True))
    try:
        whole = draw_sample(model, f"{spec}[{','.join(names)}]", space=space)
    except SpaceError:
        reject()
    configurations = whole.configurations
    # Selections that are in no valid configuration are left out, with what they alone would cover.
    assert whole.notes or not len(sample(model, whole.spec, space=space, existing=configurations))
    half = configurations[: len(configurations) // 2]
    together = Configurations.concatenate([half, sample(model, whole.spec, space=space, existing=half)])
    positions = [model.positions[name] for name in names]
    wanted, found = (each.indices[:, positions] for each in (configurations, together))
    for pair in itertools.combinations(range(len(names)), 2 if spec == "pairwise" else 1):
        assert wanted[:, pair].all(axis=1).any() <= found[:, pair].all(axis=1).any()


def test_known_extensions(tmp_path: Path) -> None:
    """Samples of free options, of rows of a file and of measured rows are extended as in the golden file."""
    line = VariabilityModel("line", (NumericOption("x", tuple(map(float, range(9)))),))
    write_configurations(Configurations(line, np.arange(9)[:, np.newaxis]), tmp_path / "rows.csv")

    def extended(system: VariabilityModel | int, spec: str, *rows: str, seed: int = 0, measured: str = "") -> str:
        if isinstance(system, int):
            system = VariabilityModel("free", tuple(BinaryOption(f"f{i}", optional=True) for i in range(system)))
        size = len(system.options)
        existing, known = (
            Configurations(system, np.array([list(map(int, row)) for row in texts], dtype=int).reshape(-1, size))
            for texts in (rows, measured)
        )
        return selected(system, spec, seed=seed, existing=existing if rows else None, measured=known)

    check_calls("extensions", extended, line=line, file=tmp_path / "rows.csv")
