"""Products of a binary and a numeric design, in blocks of pairs."""

from __future__ import annotations

import pytest

from sampling import draw_sample
from sampling.designs import product
from splc.errors import SpaceError
from splc.system.variability import VariabilityModel

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
