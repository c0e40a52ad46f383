"""Laws of all numeric designs, on random systems and on real ones."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sampling import Sample, Space, draw_sample, sample
from sampling.spec import NUMERIC
from splc.errors import SplcError
from splc.system.variability import VariabilityModel
from tests.sampling.designs.test_level_designs import integers
from tests.support.examples import examples
from tests.support.strategies import models

# Every numeric design, with its arguments: hash of its rows for three options with 5, 7 and 12 values.
GOLDEN = {
    "ff": "289e3bdc2881",
    "random:9": "2e3fc09571ce",
    "random:9,compat": "e28cb98d1efe",
    "pb:25,5": "f2b27ab8e805",
    "pb:25,5,compat": "8b6488ae3115",
    "cci": "996950c8b782",
    "cci:compat": "9237c5360b87",
    "bbd": "46d64d011099",
    "bbd:compat": "46d64d011099",
    "ofat:4": "2f1af81f068f",
    "ofat:4,compat": "0cbfa36cce8c",
    "factorial:3": "e90062b6c07f",
    "factorial:3,compat": "a4ae92c9f5f8",
    "hyper:40": "5629729ecbcd",
    "hyper:40,compat": "0e28a68d6b36",
    "dopt:20,k=4": "0c1ce0daed63",
    "lhs:9": "364974f5e99a",
    "sobol:9": "5765d82c99e3",
    "distaware:9": "eba3a43ea13d",
    "distpreserving:9": "d86be1847b7c",
}
DESIGNS = list(GOLDEN)


def digest(text: str) -> str:
    """Return the first digits of the hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def attempt(model: VariabilityModel, spec: str, seed: int, space: Space) -> Sample | str:
    """Return a sample, or the message why there is none."""
    try:
        return draw_sample(model, spec, seed, space=space)
    except SplcError as error:
        return str(error)


def test_every_design_is_in_the_catalogue() -> None:
    """A new numeric design joins these tests."""
    assert {spec.partition(":")[0] for spec in DESIGNS} == set(NUMERIC)


@pytest.mark.parametrize("spec", DESIGNS)
def test_rows_are_reproducible(spec: str) -> None:
    """The rows are the same on every machine."""
    assert digest(str(sample(integers(5, 7, 12), f"all+{spec}", seed=3).indices.tolist())) == GOLDEN[spec]


@examples(8)
@given(models(binary=2, numeric=3), st.integers(0, 5))
@pytest.mark.parametrize("spec", DESIGNS)
def test_samples_are_valid_and_distinct(spec: str, model: VariabilityModel, seed: int) -> None:
    """On any system, the configurations are valid, distinct and the same for the same seed, or there is a message."""
    space = Space(model)
    binary = "optionwise+" if model.binary_options else "all+"
    found = attempt(model, binary + spec, seed, space)
    again = attempt(model, binary + spec, seed, Space(model))
    if not isinstance(found, Sample) or not isinstance(again, Sample):
        assert found == again
        return
    configurations = found.configurations
    assert len(configurations) == len(configurations.unique()) > 0
    assert space.check(configurations).all()
    assert configurations == again.configurations


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["splc_examples", "exastencils"])
@pytest.mark.parametrize("spec", ["bbd", "ofat:3", "hyper:40", "dopt:40", "lhs:20", "sobol:20", "pb:49,7,compat"])
def test_real_systems(name: str, spec: str, real_model: Callable[[str], VariabilityModel]) -> None:
    """Designs of real systems are valid, distinct, and have the stated size or say why not."""
    model = real_model(name)
    space = Space(model)
    found = attempt(model, f"optionwise+{spec}", 0, space)
    if not isinstance(found, Sample):
        assert "only" in found or "more than" in found
        return
    assert len(found.configurations) == len(found.configurations.unique())
    assert space.check(found.configurations).all()
