"""Designs that are composed: products of a binary and a numeric design, and designs of some options."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sampling import Sample, Space, draw_sample, sample
from sampling.designs import product
from sampling.spec import BINARY
from splc.errors import SpaceError, SplcError
from splc.system.options import BinaryOption, NumericOption
from splc.system.variability import VariabilityModel
from tests.sampling.conftest import PLANE, attempt, selected
from tests.support.examples import examples
from tests.support.golden_messages import check_calls
from tests.support.strategies import models

# Without a only one value of x is valid, with it all four.
SYSTEM = VariabilityModel.of({"a": bool, "b": bool, "x": [1, 2, 3, 4]}, ["a | b", "x + 3 * a > 3"])


@pytest.mark.parametrize("block", [1, 7, 12, 24, 2**22])
def test_blocks_change_nothing(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The selected configurations are the same, in the same order, whatever is checked at once."""
    whole = draw_sample(SYSTEM, "negoptionwise+ofat:3").configurations
    monkeypatch.setattr(product, "CHUNK", block)
    assert draw_sample(SYSTEM, "negoptionwise+ofat:3").configurations.indices.tolist() == whole.indices.tolist()


@pytest.mark.parametrize("block", [1, 2**22])
def test_the_limit_holds_for_all_blocks(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many configurations as the limit allows are selected, and one more is an error, however they are split."""
    monkeypatch.setattr(product, "CHUNK", block)
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
