"""The values of configurations as texts, which --fix reads again."""

from __future__ import annotations

from sampling import Space
from splc import VariabilityModel
from splc.data.configurations import Configurations, describe_configuration
from splc.data.value_texts import assignment_texts, value_texts
from splc.formats.measurements.selections import parse_configuration


def test_texts_are_read_again() -> None:
    """Every configuration is the one that its texts say; alternatives are values of one option."""
    system = VariabilityModel.of({"codec": ["lz4", "zstd -3", "a/b", "a:b"], "cache": bool, "x": [1, 2.5]})
    space = Space(system)
    every = Configurations(system, space.solutions.unrank(range(int(space.count))))
    assert len(every) == 16
    for row in range(len(every)):
        text = ",".join(assignment_texts(every.system, every.assignment(row)).values())
        assert parse_configuration(text, system).find(every[[row]])[0] == 0
        assert value_texts(every.system, every.assignment(row)).keys() == {"codec", "cache", "x"}
    assert describe_configuration(parse_configuration("codec=a:b,x=2.5", system), 0) == "codec=a:b, x=2.5"
