"""The command that follows from the best configuration."""

from __future__ import annotations

from collections.abc import Iterator

from splc.data.configurations import Configurations
from splc.data.value_texts import DESELECTED, assignment_texts
from splc.io.files import STANDARD
from splc.workflows.common_fields import inputs_of
from splc.workflows.inputs import ModelInputs
from splc.workflows.objects import option_values
from splc.workflows.optimize import Request, Result
from splc.workflows.view import NextStep

# A command of more characters is not worth copying.
MAX_TEXT = 200


def next_steps(request: Request, result: Result) -> Iterator[NextStep]:
    """Yield the command that explains why the best configuration is better than the best measured one."""
    inputs = inputs_of(request, ModelInputs, policies=False)
    if len(request.models) != 1 or request.models[0] == STANDARD or inputs is None:
        return
    best, rated = result.candidates[0].configuration, result.best_measured
    words, purpose = [_text(best)], "why it is predicted so"
    if rated is not None and option_values(rated.configuration) != option_values(best):
        words, purpose = [*words, "--against", _text(rated.configuration)], "why it differs from the best measured one"
    # An empty text is no configuration.
    if not all(words) or sum(map(len, words)) > MAX_TEXT:
        return
    words += ["--printed"] if request.printed else []
    words += ["--property", request.properties[0]] if request.properties else []
    yield NextStep(("explain", request.models[0], *words, *inputs), purpose)


def _text(configuration: Configurations) -> str:
    """Return a configuration as an argument of commands: `cache,x=4`."""
    return ",".join(
        text
        for name, text in assignment_texts(configuration.system, configuration.assignment(0)).items()
        if text != f"{name}={DESELECTED}"
    )
