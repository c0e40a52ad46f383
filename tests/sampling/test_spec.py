"""Sampling specs: parsing, and errors."""

from __future__ import annotations

import pytest

from sampling import parse_spec
from sampling.designs.random_part import RandomPart
from sampling.designs.whole.random import RandomWhole
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
    """`random` alone draws whole configurations; given as a part it draws that part."""
    assert isinstance(parse_spec("random:5").whole, RandomWhole)
    for spec, kind in ((parse_spec(binary="random:5"), "binary"), (parse_spec(numeric="random:5"), "numeric")):
        part = getattr(spec, kind)
        assert isinstance(part, RandomPart)
        assert part.kind == kind
    assert parse_spec(binary="pairwise", numeric="cci") == parse_spec("pairwise+cci")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("pb", r"pb: .*\n.*9,3  27,3  81,3  25,5  125,5  49,7"),
        ("pb:10,3", r"no design of 10 measurements with 3 levels\n.*9,3  27,3  81,3  25,5  125,5  49,7"),
        ("pb:9", "a number of measurements M and of levels L"),
        ("pb:a,b", "must be integers"),
        ("pb:9,3,left", "pb has no variant 'left'"),
        ("pb:9,3,seed=1", "a number of measurements M and of levels L"),
        ("cci:round", "cci has no variant 'round'"),
        ("ff:2", "the number of arguments must be 0, not 1"),
        ("random", "the number of arguments must be 1, not 0"),
        ("random:0", "at least 1, not '0'"),
        ("random:-3", "'-3' is not a number of configurations\n.*asOW"),
        ("random:10^9", "'10\\^9' is not a number of configurations"),
        ("random:1000000000", "1,000,000,000 configurations are too many \\(the limit is 1,000,000\\)"),
        ("all+sobol:1000000000", "1,000,000,000 configurations are too many"),
        ("bbd:3", "bbd has no variant '3'"),
        ("ofat:2", "the number of values must be an integer of at least 3, not '2'"),
        ("factorial", "the number of arguments must be 1, not 0"),
        ("hyper:101", "at most 100, not 101"),
        (f"dopt:5,k={'9' * 5000}", "k must be an integer of at least 1, not '999"),
        ("dopt:5,k=0", "k must be an integer of at least 1, not '0'"),
        ("pb:9,3,compat,x", "a number of measurements M and of levels L are expected"),
        ("lhs:5,compat", "the number of arguments must be 1, not 2"),
        ("random:asTW0", "'asTW0' is not a number of configurations"),
        ("random:5,seed=x", "the seed must be an integer of at least 0, not 'x'"),
        ("random:5,sed=1", "random has no argument 'sed'"),
        ("random:5,seed=1,seed=2", "'seed' is given twice"),
        ("random:5,", "empty argument"),
        ("pairwize", "unknown sampling 'pairwize'; did you mean 'pairwise'\\?\n.*optionwise"),
        (
            "tways:2",
            "unknown sampling 'tways'.*\n.*known are binary: all optionwise negoptionwise pairwise twise covering ",
        ),
        ("twise", "the number of arguments must be 1, not 0"),
        ("twise:0", "the number of options in a set must be an integer of at least 1, not '0'"),
        ("covering:2,3", "the number of arguments must be 1, not 2"),
        ("covering:x", "the number of options in a combination must be an integer of at least 1, not 'x'"),
        ("negoptionwise:last", "'last' is unknown\n.*write negoptionwise\\[:first\\]"),
        ("", "names no sampling"),
        ("pb:9,3+", "names no sampling"),
        ("pb:9,3+cci", "both parts are numeric"),
        ("all+pairwise", "both parts are binary"),
        ("measured:0", "at least 1, not '0'"),
        ("measured:x", "'x' is not a number of configurations"),
        ("measured:0%", "'0%' is not a percentage above 0 and up to 100"),
        ("measured:101%", "'101%' is not a percentage above 0 and up to 100"),
        ("measured:5,6", "the number of arguments must be 0 to 1, not 2"),
        ("measured:5,sed=1", "measured has no argument 'sed'"),
        ("measured:seed=1", "nothing is drawn"),
        ("measured:5+cci", "measured selects whole configurations and cannot be joined"),
        ("measured+cci", "measured selects whole configurations and cannot be joined"),
        ("all+cci+ff", "at most two parts"),
    ],
)
def test_wrong_specs(spec: str, message: str) -> None:
    """Unknown names and wrong arguments are errors that list the known ones."""
    with pytest.raises(SpecError, match=message):
        parse_spec(spec)


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


def test_exchanged_files_are_recognised() -> None:
    """A numeric design is unknown as a binary part; an empty spec and duplicate parts are errors."""
    with pytest.raises(SpecError, match="unknown binary sampling 'cci'"):
        parse_spec(binary="cci")
    with pytest.raises(SpecError, match="no sampling is given"):
        parse_spec()
    with pytest.raises(SpecError, match="given twice"):
        parse_spec("all", numeric="cci")


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
