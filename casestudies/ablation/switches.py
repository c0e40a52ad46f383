"""The switches: what is switched off, and the names of the program that have another value then.

A switch replaces functions, methods or constants for the time of a run. A constant gets the value that makes its rule
do nothing, or, as "plain" ones, the value that somebody would choose who had no measurements.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from splc.learning.projection import printed_model, without_numbers
from splc.learning.projection.constants import BOUNDS, START
from splc.learning.projection.submodels import PROJECTION

# What is switched off → name within `splc` of a function, a method or a constant → what it is replaced by.
Switches = Mapping[str, Mapping[str, Any]]


def _always(value: Any, *_: Any, **__: Any) -> Any:
    return value


def _within(package: str, switches: Switches) -> Switches:
    return {name: {f"{package}.{path}": value for path, value in changes.items()} for name, changes in switches.items()}


LEARNING = _within("learning.projection", {
    # The printed model.
    "printed: second blend": {"submodels.BLENDS": (PROJECTION,)},
    "printed: terms that folds agree on": {"printed_model.with_agreed_terms": lambda model, test: model},
    "printed: exact models": {"printed_model.exact_model": partial(_always, None)},
    "printed: preference for sums of costs": {"printed_model._preferred": printed_model._shortest},
    "printed: price of free signs and factors": {"printed_model.FURTHER_TERMS": 0},
    "printed: other choice with few rows": {"submodels.FEW_ROWS": 0},
    "printed: limits of the expected error of few rows": {
        "submodels.SPREADS": math.inf, "submodels.FEW_ROWS_ERROR": math.inf},
    "printed: positive over the valid space": {
        "printed_model._positive_over": partial(_always, True)},
    "printed: penalty of further factors": {"columns.PENALTY": 1.0},
    "printed: backward elimination": {"term_search.descent": partial(_always, ())},
    # What predicts.
    "hyperparameters of each fold (ensemble)": {"constants.REFIT_ITERATIONS": 0},
    "thresholds in half of the refits": {"basis.threshold_shapes": partial(_always, ())},
    "blend with the printed model": {"default_learner._stacked": lambda full, target, printed, model: (full, printed)},
    "blend: weights by held-out errors (plain: halves)": {"default_learner.weight_of": partial(_always, 0.5)},
    "blend: other odds with few rows": {"default_learner.FEW_ROWS_ODDS": 1.0},
    "blend: errors of chosen terms are raised": {
        "predictor.raised": partial(_always, 1.0), "default_learner.raised": partial(_always, 1.0)},
    "printed model of one effect with too few rows": {
        "default_learner.is_too_few": partial(_always, False)},
    "numbers in the names of members": {
        "full_model.with_supported_numbers": lambda variables, *_: without_numbers(variables)},
    "numbers: margins of evidence (plain: none)": {
        "constants.NUMBER_EVIDENCE": 0.0, "constants.EVIDENCE_PER_MEMBER": 0.0,
        "constants.FURTHER_NUMBER_EVIDENCE": 0.0},
    "scale of y": {"constants.ROWS_OF_SCALE": math.inf},
    "scale of y: growing noise": {"scales.Scale.grows": property(partial(_always, False))},
    "guard against noise": {"full_model.permutation_test": partial(_always, True)},
    "guard: other levels with few rows": {"constants.GUARD_ROWS": 0},
    "floor of predictions": {"scales.FLOOR": 1e9, "submodels.FLOOR": 1e9},
    "intervals: limits of errors of few rows": {"constants.INFLATION": (0.0, math.inf)},
    "intervals: quantile of errors": {"constants.CONFORMAL_ROWS": math.inf},
    "stationary part of the kernel": {"constants.BOUNDS": {**BOUNDS, "stationary": (-18.0, -18.0)}},
    "width of the stationary part (plain: 1)": {"constants.BOUNDS": {**BOUNDS, "width": (0.0, 0.0)}},
    "priors of hyperparameters": {"fit.penalty": lambda logarithms: (0.0, np.zeros_like(logarithms))},
    "start of the search (plain: 1)": {
        "constants.START_RELEVANCE": 1.0, "constants.START": dict.fromkeys(START, 1.0)},
    "printed: end of the search at a near sum": {"printed_model.is_enough": partial(_always, False)},
    "printed: unmeasured configurations in its target": {"order.UNMEASURED": 0},
    "printed: products": {"printed_model.LANGUAGES": {
        "auto": ("sum", "shapes"), "sum": ("sum", "shapes"), "product": ("product",)}},
    "strength of interactions (plain: 0.5)": {
        "constants.BOUNDS": {**BOUNDS, "interaction": (math.log(0.5), math.log(0.5))}},
})  # fmt: skip
CONTEXTS = _within("learning", {
    "limits of the weight of mapped values": {"contexts.sharing.WEIGHTS": (0.0, 1.0)},
    "learning alone where that is better": {"contexts.sharing.ALONE": 2.0},
    "weights of Student's distribution": {"contexts.sharing.ROWS_OF_WEIGHTS": 0},
    "contexts as numbers": {"contexts.sharing.numbers_of_contexts": partial(_always, ())},
    "limit of mapped values": {"contexts.sources.BEYOND": math.inf},
    "search of the variances of mapped values (plain: centres of priors)": {
        "contexts.sources.REACH": (0.0, 0.0)},
    "mixture with mapped values of other contexts": {"contexts.sharing.fit_mapped_model": partial(_always, None)},
})  # fmt: skip
SCALING = _within("scaling", {
    "growing noise": {"evidence._growing": partial(_always, np.zeros(0, dtype=int))},
    "partly absolute noise": {"evidence._SUSPICIOUS": math.inf},
    "weights of outliers among repetitions": {
        name: lambda values: (~np.isnan(values)).astype(float)
        for name in ("data.repetition_weights", "fit.repetition_weights")},
    "price of functions that one point decides": {"single._DECIDED": 1.0},
    "median of plausible functions": {"single._LIKELY": 1.0, "multi.default.LIKELY": 1.0},
    "price of negative coefficients": {"evidence.NEGATIVE": 1.0},
    "price of functions that become negative": {
        "evidence.log_excluded": partial(_always, 0.0), "multi.terms.log_excluded": partial(_always, 0.0)},
    "prior of exponents (plain: all alike)": {
        "single._DENOMINATORS": dict.fromkeys((1, 2, 3, 4, 5), 1.0),
        "single._MULTIPLIED": dict.fromkeys((1, 2, 3, 4), 1.0), "single._BY_LOGARITHM": (1.0, 1.0)},
    "prior of numbers of terms (plain: halves)": {
        "single.CONSTANT_SHARE": 0.5, "single.TWO_TERMS_SHARE": 0.5,
        "single.NO_CONSTANT_SHARE": 0.5, "multi.posterior.NO_CONSTANT_SHARE": 0.5,
        "multi.terms.CONSTANT_SHARE": 0.5},
    "tenths from seven points on": {"single._MANY_POINTS": 10**9},
    "prior of noise (plain: all sizes alike)": {"evidence._SHARES": np.full(6, 1 / 6)},
    "errors that repetitions of a point share": {"evidence._BETWEEN_POINTS": 1e-9, "evidence.COMMON_SHARE": 0.0},
})  # fmt: skip
SEVERAL = _within("scaling", {
    "exchange of terms": {"multi.default.with_exchanged": lambda bases, scores, found, z, noise: found},
    "misfit": {"multi.default.shared": lambda points, residuals: np.zeros(len(residuals))},
    "hidden products": {"multi.plausible._PROBABILITY": 1e-12},
    "hidden effects are more plausible": {"multi.plausible._HIDDEN": 1.0},
    "tempered weights": {"multi.plausible._TEMPER": {}, "multi.plausible._MIN_TEMPER": 1.0},
    "correction of errors for misfit": {"multi.plausible._misfitting": lambda noise, *_: np.ones(len(noise))},
    "tenths from many points on": {"multi.terms.DENSE": 10**9},
})  # fmt: skip
TUNING: Switches = {
    "least relevance of values not tried": {"learning.active.search_model._SEEN": 0},
    "numbers in the names of members": {"learning.active.search_model.NUMBER_EVIDENCE": -math.inf},
    "three sets of hyperparameters (plain: one)": {"learning.active.search_model.PARTS": 1},
    "first design that covers all values": {
        "learning.active.candidates.is_covered": lambda cells, pool, budget: len(cells) >= 10},
    "repeated runs of the best": {"tuning.tuner.REPEATED_STEP": 10**9},
    "least gain that is worth a run": {"tuning.proposal.least_gain": partial(_always, 0.0)},
    "candidates near the best runs": {"tuning.proposal.BEST": 0},
}  # fmt: skip
SWITCHES: Mapping[str, Switches] = {
    "learning": LEARNING, "contexts": CONTEXTS, "scaling": SCALING, "several": SEVERAL, "tuning": TUNING,
}  # fmt: skip


@contextmanager
def switched_off(changes: Mapping[str, Any]) -> Iterator[None]:
    """Run with other values of names; what functions have stored is forgotten before and after."""
    with ExitStack() as stack:
        for path, value in changes.items():
            stack.enter_context(patch(f"splc.{path}", value))
        _forget()
        stack.callback(_forget)
        yield


def _forget() -> None:
    for name, module in list(sys.modules.items()):
        for value in list(vars(module).values()) if name.startswith("splc.scaling") else ():
            if hasattr(value, "cache_clear"):
                value.cache_clear()
