"""Find the valid configuration that a model predicts to be best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sampling import Space
from sampling.space.optimum import Optimum, optimum
from sampling.space.space import LIMIT
from splc.formats.models.read import read_stored_model
from splc.project import Project
from splc.workflows.note import Note
from splc.workflows.parameters import require_used, stated_parameters


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request to optimize over the valid configurations.

    Attributes:
        model: the file of the model: a log, JSON or model text; `-` is standard input.
        maximize: whether the greatest predicted value is wanted, not the least.
        limit: the number of configurations to examine at most; None is two million.
        parameter: machine parameters that replace those of the project.
        system: the system description; None is the one of the project folder.
        parameters: the file of machine parameters; None is the one of the project folder.
    """

    model: str
    maximize: bool = False
    limit: int | None = None
    parameter: Mapping[str, float] = field(default_factory=dict)
    system: str | None = None
    parameters: str | None = None


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
    project = Project.load(system=request.system, parameters=request.parameters)
    space = Space(project.variability_model())
    stored = read_stored_model(request.model, space.model, parameters=stated_parameters(project, request.parameter))
    require_used(request.parameter, stored.used)
    limit = LIMIT if request.limit is None else request.limit
    found = optimum(stored.model, space, request.maximize, limit)
    text = "the model does not use some options: their values are valid, but no better than other valid ones"
    return Result(found, (Note(text),) if found.unused else ())
