"""Sampling specs: parsing, and errors."""

from __future__ import annotations

import pytest

from sampling import parse_spec
from sampling.designs.random import RandomWhole
from sampling.spec import BINARY, NUMERIC, WHOLE
from splc.errors import SpecError


@pytest.mark.parametrize(
    ("spec", "binary", "numeric"),
    [
        ("pb:9,3", None, "pb:9,3"),
        ("cci:compat", None, "cci:compat"),
        ("all", "all", None),
        ("pairwise+pb:25,5", "pairwise", "pb:25,5"),
        (" pb:25,5 + pairwise ", "pairwise", "pb:25,5"),
        ("random:5+pb:9,3", "random:5", "pb:9,3"),
        ("pb:9,3+random:5", "random:5", "pb:9,3"),
        ("all+random:5", "all", "random:5"),
        ("random:5,seed=2+all", "all", "random:5,seed=2"),
        ("random:5+random:6", "random:5", "random:6"),
        ("ff+optionwise", "optionwise", "ff"),
    ],
)
def test_parts_of_a_spec(spec: str, binary: str | None, numeric: str | None) -> None:
    """Names decide the kinds of the parts, in any order; missing parts are None."""
    found = parse_spec(spec)
    assert found.whole is None
    assert (found.binary.text if found.binary else None) == binary
    assert (found.numeric.text if found.numeric else None) == numeric
    assert found.text == "+".join(part for part in (binary, numeric) if part)


def test_a_single_random_draws_whole_configurations() -> None:
    """`random` alone draws whole configurations; beside another part it draws the rest."""
    assert isinstance(parse_spec("random:5").whole, RandomWhole)
    for spec, kind in ((parse_spec("random:5+ff"), "binary"), (parse_spec("all+random:5"), "numeric")):
        part = getattr(spec, kind)
        assert (part.text, part.kind) == ("random:5", kind)


@pytest.mark.parametrize(
    ("spec", "seed"),
    [
        ("random:5", None),
        ("random:5,seed=4", 4),
        ("random:5,compat+ff", None),
        ("all+lhs:5[a]", None),
        ("all+sobol:5,seed=0[a]", 0),
        ("all+dopt:5", None),
        ("all+bbd[a]", 0),
        ("all+bbd", 0),
    ],
)
def test_designs_that_draw_have_a_seed(spec: str, seed: int | None) -> None:
    """Studies repeat a sampling with several seeds if a part has a seed and the spec does not state it."""
    found = parse_spec(spec)
    part = found.whole or (found.binary if "all" not in spec else found.numeric)
    assert getattr(part, "seed", 0) == seed


@pytest.mark.parametrize("name", sorted({*BINARY, *NUMERIC, *WHOLE}))
def test_missing_and_superfluous_arguments(name: str) -> None:
    """Each sampling without the arguments that its usage requires, or with too many, is an error."""
    usage = next(table[name][0] for table in (WHOLE, BINARY, NUMERIC) if name in table)
    required = ":" in usage.partition("[")[0]
    for text in ([name] if required else []) + [f"{name}:{','.join('9' * 9)}"]:
        with pytest.raises(SpecError, match=r"argument|number|variant"):
            parse_spec(text)
    if not required:
        assert parse_spec(name).text == name


@pytest.mark.parametrize("name", sorted({*BINARY, *NUMERIC, *WHOLE}))
def test_unknown_keys(name: str) -> None:
    """No sampling takes a key that it does not have, whatever the number of its other arguments is."""
    for count in range(4):
        with pytest.raises(SpecError, match=r"no argument 'sead'|number|variant"):
            parse_spec(f"{name}:{','.join([*'2' * count, 'sead=1'])}")
