"""Findings about systems against brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given

from sampling.space.analysis import describe
from sampling.space.space import Space
from splc.system.options import NumericOption
from splc.system.variability import VariabilityModel
from tests.support.examples import examples
from tests.support.sampling_oracle import is_valid
from tests.support.strategies import all_assignments, models


@examples(40)
@given(models(binary=4, numeric=2, most_constraints=3))
def test_findings_are_those_of_brute_force(model: VariabilityModel) -> None:
    """Dead and always selected options, unused values, and constraints without effect are exactly the reported ones."""
    everything = all_assignments(model)
    valid = everything[np.array([is_valid(model, everything.assignment(row)) for row in range(len(everything))])]
    assume(len(valid))
    expected: list[tuple[str, tuple[str, ...]]] = []
    for option, column in zip(model.options, valid.indices.T, strict=True):
        values = set(column.tolist())
        if isinstance(option, NumericOption):
            used = values - {len(option.values)}
            if not used:
                expected.append(("dead option", (option.name,)))
                continue
            if option.optional and used == values:
                expected.append(("always selected", (option.name,)))
            if len(used) < len(option.values):
                expected.append(("unused values", (option.name,)))
        elif values == {0}:
            expected.append(("dead option", (option.name,)))
        elif values == {1} and option.name not in model.mandatory:
            expected.append(("always selected", (option.name,)))
    for constraint in model.constraints:
        rest = tuple(other for other in model.constraints if other is not constraint)
        if Space(VariabilityModel(model.name, model.options, rest)).count == len(valid):
            expected.append(("constraint never binds", constraint.names))
    found = describe(Space(model))
    assert found.count == len(valid)
    assert [(each.kind, each.options) for each in found.findings if each.kind != "text"] == expected
