"""`tune`: find the best configuration with a function that measures configurations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sampling.space.space import Space
from splc.system.variability import VariabilityModel
from splc.tuning.result import TuningResult
from splc.tuning.tuner import Tuner


def tune(
    space: Space | VariabilityModel,
    function: Callable[[Mapping[str, float | None]], float | Mapping[str, float]],
    nfp: str,
    budget: int,
    default: Mapping[str, Any] | None = None,
    **settings: Any,
) -> TuningResult:
    """Return the best configuration that a function finds with a number of runs.

    Args:
        space: the system or its valid configurations.
        function: returns the value of a configuration (option → value), or property → value. An error that it raises
            is a failed run; `TimeoutError` and others that derive from `Exception` are.
        nfp: the property.
        budget: the number of calls.
        default: the configuration in use.
        settings: further arguments of `Tuner`.

    Raises:
        LearningError: if every call fails.
    """
    tuner = Tuner(space, nfp, budget, default, **settings)
    while (trial := tuner.ask()) is not None:
        try:
            value = function(trial.configuration)
        except Exception as error:
            tuner.tell(trial, failed=f"{type(error).__name__}: {error}")
        else:
            tuner.tell(trial, value)
    return tuner.report()
