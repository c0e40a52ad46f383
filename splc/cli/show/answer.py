"""The first line about a learned model: how well it predicts, how long it is, and what it was learned from."""

from __future__ import annotations

from splc.cli.show.blocks import counted
from splc.data.property_unit import quantity, span
from splc.io.numbers import percentage
from splc.workflows.learn import Result
from splc.workflows.learn.expected_error import ROUGH_FACTOR, ExpectedError

# The texts before the errors of models that are not good.
VERDICTS = {
    "poor": "poor model, hardly better than one value for all configurations: ",
    "rough": "rough model: ",
    "constant": "no influence found, one value for all configurations: ",
}
DIGITS = 2
# Smaller errors in percent, such as rounding errors, are not distinguished.
EXACT = 0.001


def answer(learned: Result) -> str:
    """Return the first line about a learned model."""
    result, expected = learned.result, learned.expected_error
    constant = result.termination == "constant"
    kind = VERDICTS.get("constant" if constant else expected.verdict, "")
    count, everything = result.learning_configurations, result.provenance["measured_configurations"]
    parts = [f"{kind}{_error(expected, learned)}"]
    if expected.verdict == "unknown" and learned.unmeasured == 0 and count == everything:
        # There are no new configurations to be wrong about.
        exact = result.learning_error is not None and result.learning_error < EXACT
        error = f"below {EXACT} %" if exact else percentage(result.learning_error, DIGITS) or "unknown"
        parts = [f"{kind}every configuration is measured: typical error on these {error}"]
    if result.readable and not constant:
        parts.append(counted(len(result.model.terms), "term") if result.model.options else "a constant")
    parts.append(f"from {count:,} of {everything:,} measured" if count < everything else f"from {count:,} measured")
    return "; ".join(parts)


def _error(expected: ExpectedError, learned: Result) -> str:
    """Return the error to expect as text."""
    within, unit = "", learned.result.unit
    if expected.factor is not None:
        within = f"9 in 10 within a factor of {factor_text(expected.factor)}"
    elif expected.margin is not None:
        within = f"9 in 10 within {quantity(expected.margin, unit, DIGITS)}"
    if expected.percent is not None:
        error = percentage(expected.percent, DIGITS)
    elif expected.difference is not None:
        values = learned.measured.measured(learned.result.nfp).column(learned.result.nfp)
        ends = span(float(values.min()), float(values.max()), unit, DIGITS)
        error = f"{quantity(expected.difference, unit, DIGITS)} for values from {ends}"
    else:
        # From few measurements a learner cannot tell how close its predictions are, only that they are far off.
        far = expected.factor is not None and expected.factor >= ROUGH_FACTOR
        error = "unknown"
        within = f"{expected.reason}; {within}" if far else expected.reason
    return f"typical error on new configurations {error}" + (f" ({within})" if within else "")


def factor_text(factor: float) -> str:
    """Return a factor of at least 1 as text; of a factor close to 1, with the first digit of what is above 1."""
    return f"{factor:.3g}" if factor >= 1.01 else f"{1 + float(f'{factor - 1:.1g}'):g}"
