"""Find the valid configuration that a model predicts to be best."""

from __future__ import annotations

from dataclasses import dataclass

from sampling import Space
from sampling.space.optimum import Optimum, optimum
from sampling.space.space import LIMIT
from splc.workflows.inputs import ModelInputs
from splc.workflows.note import Note


@dataclass(frozen=True, kw_only=True)
class Request(ModelInputs):
    """A request to optimize over the valid configurations.

    Attributes:
        model: the file of the model: a log, JSON or model text; `-` is standard input.
        maximize: whether the greatest predicted value is wanted, not the least.
        limit: the number of configurations to examine at most; None is two million.
    """

    model: str
    maximize: bool = False
    limit: int | None = None


@dataclass(frozen=True)
class Result:
    """The best configuration.

    Attributes:
        optimum: the configuration and its prediction.
        notes: what the user should know.
    """

    optimum: Optimum
    notes: tuple[Note, ...] = ()


def run(request: Request) -> Result:
    """Find the best configuration, exactly.

    Raises:
        InputError: if a file cannot be found or read.
        RequestError: if a stated parameter is not used by the model.
        SpaceError: if more configurations than the limit would have to be examined.
    """
    project = request.project()
    space = Space(project.variability_model())
    stored = request.read_model(request.model, project, space.model)
    limit = LIMIT if request.limit is None else request.limit
    found = optimum(stored.model, space, request.maximize, limit)
    text = "the model does not use some options: their values are valid, but no better than other valid ones"
    return Result(found, (Note(text),) if found.unused else ())
