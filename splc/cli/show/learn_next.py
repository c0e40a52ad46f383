"""The commands that follow from a learned model."""

from __future__ import annotations

from collections.abc import Iterator

from splc.cli.show.blocks import counted
from splc.io.files import STANDARD
from splc.learning.registry import PROJECTION
from splc.workflows.common_fields import inputs_of
from splc.workflows.inputs import SystemInputs
from splc.workflows.learn import Result
from splc.workflows.learn.contexts import Result as ByResult
from splc.workflows.view import NextStep

# The number of configurations to measure next, at most.
BUDGET = 10


def next_steps(learned: Result) -> Iterator[NextStep]:
    """Yield the commands that follow: more measurements where they help most, and the explanation of the model."""
    request, result = learned.request, learned.result
    inputs = inputs_of(request, SystemInputs)
    if inputs is None or learned.interrupted:
        return
    poor = learned.expected_error.verdict != "good"
    suggested = list(_suggestion(learned, inputs))
    if poor:
        yield from suggested
    # Observed variables cannot be chosen, so that models of them have no importance of options.
    if learned.output not in (None, STANDARD) and result.readable and result.scaling is None and not request.observed:
        yield from _explanation(learned)
    if not poor:
        yield from suggested


def next_steps_by(result: ByResult) -> Iterator[NextStep]:
    """Yield the commands that follow from the models of the values of a context: compare two, explain the last."""
    inputs = inputs_of(result.request, SystemInputs, policies=False)
    files = [model.output for model in result.models.values() if model.output not in (None, STANDARD)]
    files = [file for file in files if file is not None and file.endswith((".json", ".log"))]
    if inputs is None or not files or result.stopped:
        return
    if len(files) > 1:
        first, last = (list(result.models)[at] for at in (-2, -1))
        rows = ("--where", f"{result.request.by}={last}") if "--measurements" in inputs else ()
        yield NextStep(("compare", *files[-2:], *inputs, *rows), f"how {first} and {last} differ")
    yield NextStep(("explain", files[-1], *inputs), "which options matter, and how much")


def _suggestion(learned: Result, inputs: tuple[str, ...]) -> Iterator[NextStep]:
    """Yield the command that suggests measurements, where all measured configurations were learned from."""
    result, request = learned.result, learned.request
    everything = result.learning_configurations == result.provenance["measured_configurations"]
    usual = result.learner == PROJECTION and not request.observed and not request.parts
    if everything and learned.unmeasured and usual:
        count = min(BUDGET, learned.unmeasured)
        purpose = f"the {counted(count, 'configuration')} to measure next"
        yield NextStep(("suggest", *inputs, "--budget", str(count)), purpose)


def _explanation(learned: Result) -> Iterator[NextStep]:
    output = learned.output
    assert output is not None
    if output.endswith((".json", ".log")):
        inputs = inputs_of(learned.request, SystemInputs, policies=False) or ()
        yield NextStep(("explain", output, *inputs), "which options matter, and how much")
