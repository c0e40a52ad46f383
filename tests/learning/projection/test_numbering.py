"""Numbers of members: used where the evidence is for them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.learning.projection.full_model import fit_full_model
from splc.learning.projection.order import canonical_order, option_constants
from splc.learning.projection.predictor import Ensemble
from splc.learning.projection.variables import Variable, variables_of
from splc.system.options import BinaryOption
from splc.system.variability import VariabilityModel
from splc.types import Array
from tests.learning.projection.known_targets import group

NUMBERS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
NAMES = tuple(f"g_{number:g}" for number in NUMBERS)
PLAIN = VariabilityModel("plain", (*group(*NAMES), *(BinaryOption(f"b{at}") for at in range(4))))
OPTIONAL = VariabilityModel(
    "optional", (BinaryOption("p"), *(replace(each, parent="p") for each in group(*NAMES)), BinaryOption("b0"))
)
MEANING = np.log2(NUMBERS)
NONE = np.array([3.0, 1.0, 9.0, 4.0, 6.0, 0.0, 8.0, 2.0])


def values(configurations: Configurations, effects: Array) -> Array:
    """Return values that members multiply, with noise of 2 %."""
    selected = np.column_stack([configurations.column(name) for name in NAMES])
    noise = np.random.default_rng(0).normal(0, 0.02, len(configurations))
    return np.asarray((5 + selected @ effects) * (1 + 0.3 * configurations.column("b0")) * np.exp(noise))


def groups(variables: tuple[Variable, ...]) -> dict[str, dict[str, float]]:
    """Return the numbers of members of groups by name."""
    found = (variable for variable in variables if variable.kind == "group")
    return {each.name: dict(zip(each.members, each.values, strict=True)) if each.values else {} for each in found}


@pytest.mark.parametrize("system", [PLAIN, OPTIONAL])
@pytest.mark.parametrize(("effects", "used"), [(MEANING, True), (NONE, False)])
def test_numbers_are_used_where_the_evidence_is_for_them(system: VariabilityModel, effects: Array, used: bool) -> None:
    """Effects that follow the numbers are learned by them, others by members, as under names without numbers."""
    everything = Space(system).enumerate()
    rows = np.random.default_rng(1).permutation(len(everything))[:30]
    found = fit_full_model(everything[rows], values(everything[rows], effects), variables_of(system))
    if used:
        assert groups(found.basis.variables) == {"g_1": dict(zip(NAMES, NUMBERS, strict=True))}
    elif system is PLAIN:
        assert groups(found.basis.variables) == {"g_1": {}}
    else:
        assert groups(found.basis.variables) == {}
        assert set(NAMES) < {variable.name for variable in found.basis.variables}
    again = Ensemble.from_json(found.ensemble.as_json() or {}, system)
    np.testing.assert_allclose(again.predict(everything), found.predict(everything), rtol=1e-9)


def test_numbers_of_noise() -> None:
    """A property without influences is a constant, whether or not the members have numbers."""
    everything = Space(PLAIN).enumerate()
    rows = np.random.default_rng(1).permutation(len(everything))[:30]
    noise = np.exp(np.random.default_rng(2).normal(size=30))
    assert fit_full_model(everything[rows], noise, variables_of(PLAIN)).constant


def test_the_order_of_members() -> None:
    """The canonical order of members depends on the rows where they are selected, not on their names."""
    everything = Space(PLAIN).enumerate()
    y = values(everything, NONE)
    mirrored = dict(zip(NAMES, NAMES[::-1], strict=True))
    columns = {mirrored.get(name, name): everything.column(name) for name in PLAIN.names}
    other = Configurations.from_columns(PLAIN, columns)
    found = []
    for configurations in (everything, other):
        variables = canonical_order(variables_of(PLAIN), option_constants(configurations, y))
        assert [variable.kind for variable in variables] == [*["binary"] * 4, "group"]
        numbers = dict(zip(variables[-1].members, variables[-1].values, strict=True))
        assert numbers == dict(zip(NAMES, NUMBERS, strict=True))
        found.append(variables[-1].members)
    assert tuple(mirrored[name] for name in found[0]) == found[1]
