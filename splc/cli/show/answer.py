"""The first line about a learned model: how well it predicts, how long it is, and what it was learned from."""

from __future__ import annotations

from splc.cli.show.blocks import counted
from splc.workflows.learn import Result
from splc.workflows.learn.expected_error import EVERY

# The texts before the errors of models that are not good.
VERDICTS = {
    "poor": "poor model, hardly better than one value for all configurations",
    "rough": "rough model",
    "constant": "no influence found, one value for all configurations",
}


def answer(learned: Result) -> str:
    """Return the first line about a learned model."""
    result, expected = learned.result, learned.expected_error
    constant = result.termination == "constant"
    kind = VERDICTS.get("constant" if constant else expected.verdict, "")
    count, everything = result.learning_configurations, result.provenance["measured_configurations"]
    if expected.verdict == "unknown" and learned.knows_every:
        verdict = f"{kind}, " if kind else ""
        printed = None if constant or result.printed_errors is None else result.printed_errors.learning_error
        parts = [f"{EVERY}{verdict}{expected.of_learned(result.learning_error, printed)}"]
    else:
        values = learned.measured.measured(result.nfp).column(result.nfp)
        error = expected.text(values, result.unit, every=learned.knows_every)
        parts = [f"{kind}: {error}" if kind else error]
    if result.readable and not constant:
        parts.append(counted(len(result.model.terms), "term") if result.model.options else "a constant")
    parts.append(f"from {count:,} of {everything:,} measured" if count < everything else f"from {count:,} measured")
    return "; ".join(parts)
