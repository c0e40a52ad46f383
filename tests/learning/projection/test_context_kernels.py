"""Kernels of changed contexts, against kernels that are computed from their columns."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from sampling import Space
from splc.data.configurations import Configurations
from splc.learning.projection.averages import predictions, weighted_sums
from splc.learning.projection.changed_contexts import MAX_ELEMENTS, ChangedContexts, KnownContexts
from splc.learning.projection.context_kernels import ContextKernels
from splc.learning.projection.ensemble import Ensemble
from splc.learning.projection.ensemble_sum import EnsembleSum, Summand
from splc.learning.projection.full_model import fit_full_model
from splc.learning.projection.kernel import kernel_matrix
from splc.learning.projection.variables import variables_of
from splc.types import Link
from tests.formats.models.programs.test_programs import MADE, effects

CHANGES = [("b0",), ("n",), ("maybe",), ("ref_1", "ref_5", "ref_9"), ("codec_lzma", "codec_none", "codec_zip", "b1")]


@cache
def full() -> Ensemble:
    """Return a full model of a system with all kinds of options."""
    known = Space(MADE).draw(60, np.random.default_rng(1))
    return fit_full_model(known, effects(known), variables_of(MADE)).ensemble


def changed(names: tuple[str, ...]) -> tuple[Configurations, Configurations, np.ndarray]:
    """Return contexts, configurations that differ from them in some options, and the context of each."""
    contexts = Space(MADE).draw(12, np.random.default_rng(2))
    others = Space(MADE).draw(30, np.random.default_rng(3))
    places = np.random.default_rng(4).integers(0, 12, 30)
    indices = contexts.indices[places].copy()
    for name in names:
        indices[:, MADE.positions[name]] = others.indices[:, MADE.positions[name]]
    return contexts, Configurations(MADE, indices), places


@pytest.mark.parametrize("names", CHANGES)
def test_kernels(names: tuple[str, ...]) -> None:
    """Exchanged factors and distances give the kernels of the changed configurations."""
    model = full()
    contexts, configurations, places = changed(names)
    kernels = ContextKernels(model, contexts)
    crosses, priors = kernels.crosses(configurations, places, names), kernels.priors(configurations, places, names)
    assert crosses is not None
    assert priors is not None
    designs = model.basis.designs(configurations)
    assert len(designs) == 2
    for part, cross, prior in zip(model.parts, crosses, priors, strict=True):
        own = designs[part.kind]
        np.testing.assert_allclose(cross, kernel_matrix(part.theta, part.design, own), rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(prior, kernel_matrix(part.theta, own, own), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("link", ["identity", "log"])
@pytest.mark.parametrize("known", [True, False])
def test_predictions_and_sums(link: Link, *, known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are those without known contexts, also where these would need too much memory."""
    module = "splc.learning.projection.changed_contexts.MAX_ELEMENTS"
    monkeypatch.setattr(module, MAX_ELEMENTS if known else 0)
    model = full()
    names = ("n", "b0")
    contexts, configurations, places = changed(names)
    found = ChangedContexts(KnownContexts(model, contexts), configurations, places, frozenset(names))[5:]
    expected = predictions(model, configurations[5:], link)
    np.testing.assert_allclose(found.predictions(link), expected, rtol=1e-10)
    weights = np.random.default_rng(5).normal(size=(3, 25))
    sums, plain = found.weighted_sums(weights, link), weighted_sums(model, configurations[5:], weights, link)
    np.testing.assert_allclose(sums.values, plain.values, rtol=1e-8)
    np.testing.assert_allclose(sums.covariance, plain.covariance, rtol=1e-6, atol=1e-12)


def test_sums_of_models() -> None:
    """A part that depends on an option counts where the change selects it."""
    model = EnsembleSum((Summand(full()), Summand(full(), "b0")))
    contexts, configurations, places = changed(("b0", "n"))
    found = ChangedContexts(KnownContexts(model, contexts), configurations, places, frozenset(("b0", "n")))
    np.testing.assert_allclose(found.predictions("identity"), model.predict(configurations), rtol=1e-10)
    weights = np.ones((1, len(configurations)))
    expected = weighted_sums(model, configurations, weights, "identity")
    sums = found.weighted_sums(weights, "identity")
    np.testing.assert_allclose(sums.values, expected.values, rtol=1e-8)
    np.testing.assert_allclose(sums.covariance, expected.covariance, rtol=1e-6)
