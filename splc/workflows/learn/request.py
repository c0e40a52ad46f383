"""The request of `splc learn`, and the learner that it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from sampling import SamplingSpec, parse_spec
from splc.data.measurements import Measurements
from splc.errors import RequestError
from splc.io.settings import setting_name
from splc.learning import registry
from splc.learning.learner import Learner
from splc.learning.projection import Form
from splc.learning.stepwise.settings import SPLCONQUEROR_2019
from splc.project import Project
from splc.types import Missing
from splc.workflows.fields import Sampling, Seed, flag, internal, option, policy, refuse, request, texts_of
from splc.workflows.inputs import TableInputs
from splc.workflows.note import Note

LEARNING, RESULTS = "Learning", "Results"
PRINTED = f"Model of the learner {registry.PROJECTION} (settings of the same names)"
_NAMES = (
    f"{name} (scaling models)" if name == registry.PMNF else name
    for name in registry.LEARNERS
    if name not in registry.BASELINES
)
_LEARNERS = f"The learner: {', '.join(_NAMES)}, or a baseline: {', '.join(registry.BASELINES)}."
# The fields that are settings of learners.
SETTINGS = ("first", "terms", "readable", "form")


@request
class Request(TableInputs):
    """Learn a performance-influence model, and write it to learned.log and learned.json.

    Without a sampling all measured configurations are learned from, and only cross-validation judges the model.
    Scaling models of profiles have their own command, splc scale.
    """

    learner: str | None = option(None, "NAME", LEARNING, default=registry.DEFAULT)(_LEARNERS)
    sampling: Sampling = None
    missing: Annotated[Missing, policy("missing", panel="")] = "error"
    seed: Seed = 0
    preset: str | None = option(None, "NAME", LEARNING)(
        "Where settings start: 'splconqueror' is SPL Conqueror's algorithm, 'splconqueror-2019' that of logs."
    )
    settings: Mapping[str, Any] = option({}, "NAME=VALUE", LEARNING, names="--set", parse=texts_of, repeated=True)(
        "A setting of the learner: 'terms=5', 'abortError=1'. Can be repeated. Overrides splc.toml and the preset."
    )
    given_terms: str | None = option(None, "FILE", LEARNING)("Fit the influences of these terms, one per line.")
    sources: tuple[str, ...] = option((), "MODEL", LEARNING, names="--from")("Learn from the rows of this model, too.")
    observed: tuple[str, ...] = option((), "PATTERN", LEARNING)(
        "Observed variables to learn from besides the options: 'C_*'. Can be repeated."
    )
    parts: tuple[str, ...] = option((), "NFP[:WHERE]", LEARNING, names="--sum")(
        "Learn this part of the property, and add up the models; WHERE is 1 where configurations have it. "
        "'seconds_{}:level_{}' is every level. Can be repeated."
    )
    evaluate_on: str | None = option(None, "FILE", LEARNING)("Measurements to judge the model by.")
    validation: str | None = option(None, "SPEC", LEARNING)("Judge by this sample, which is not learned from.")
    folds: int = option(0, "K", LEARNING, minimum=2, default="none")("Cross-validate with K folds.")
    group: str | None = option(None, "COLUMN", LEARNING)("Folds keep rows of one value together.")
    baselines: bool = flag("--baselines", LEARNING)("Compare with baselines, learned from the same rows.")
    output: str | None = option(
        None, "FILE", RESULTS, names="--output -o", default="learned.log and learned.json; of pmnf learned.json"
    )(
        "The only file of the model: .json (with the full model), .py, .program.json, .tex, otherwise a log; of pmnf "
        "also .txt."
    )
    plot: str | None = option(None, "FILE", RESULTS)(
        "A plot of predicted against measured values (.svg, .png, .pdf); with --by also one of what changed."
    )
    first: str | None = option(None, "TERM", LEARNING)("The first term of the learner stepwise.")
    terms: int | None = option(None, "N", PRINTED, minimum=1)("The largest number of terms.")
    readable: bool = flag("--readable", PRINTED)("At most 10 terms, for up to 10 % more error.")
    form: Form | None = option(None, "auto|sum|product", PRINTED, default="auto")("A sum of terms or a product.")
    path: bool = flag("--path", RESULTS)("Print models from few terms to many with errors.")
    by: str | None = option(None, "COLUMN", LEARNING)("One model per value of this context (version).")
    share: bool = flag("--share", LEARNING)("With --by: learn all values together.")
    companion: bool = internal(False, "Whether a log that `output` names is written with a JSON file, too.")
    write: bool = internal(True, "Whether the model and the plot are written.")
    folder: str = internal("", "The project folder.")

    @property
    def plain(self) -> Request:
        """The same request without second spellings: tables are its measurements, settings are in `settings`."""
        settings = {**self.settings, **{name: value for name in SETTINGS if (value := getattr(self, name))}}
        return self.with_tables(settings=settings, **{**dict.fromkeys(SETTINGS), "readable": False})

    @property
    def spec(self) -> SamplingSpec:
        """The sampling of the learning set."""
        return parse_spec("measured" if self.sampling is None else self.sampling)

    @property
    def of_rows(self) -> Request:
        """The request to learn from rows that are chosen already, and to judge the model by nothing else."""
        judging: dict[str, Any] = {"evaluate_on": None, "validation": None, "baselines": False, "folds": 0}
        return replace(self, sampling=None, sources=(), plot=None, **judging)

    def require_consistent(self) -> None:
        """Refuse fields that contradict each other."""
        set_fields = [name for name in ("learner", "preset", "settings") if getattr(self, name)]
        of_sum = "a sum of parts is judged by what was not learned from"
        twice = "a model is judged either by a file or by a validation set"
        no_terms = "baselines have no terms, so that models of parts cannot be added up"
        refuse(
            (self.parts and self.evaluate_on, of_sum, "evaluate_on"),
            (self.validation and self.evaluate_on, twice, "evaluate_on", "validation"),
            (self.parts and self.validation, of_sum, "validation"),
            (self.parts and self.baselines, no_terms, "baselines", "parts"),
            (self.given_terms and set_fields, "given terms are fitted, not learned", "given_terms", *set_fields[:1]),
            (self.folds and self.folds < 2, f"there must be at least 2 folds, not {self.folds}", "folds"),
            (self.share and self.by is None, "it needs the context, such as --by version", "share"),
        )

    def require_joint(self, learner: Learner, field: str) -> None:
        """Refuse what learns from the rows of the measurements only; `field` asks for further rows."""
        if learner.name != registry.PROJECTION:
            raise RequestError(f"the learner {learner.name} learns from these rows alone", field, "learner")
        for name in ("parts", "observed", "given_terms"):
            if getattr(self, name):
                raise RequestError("not together: this learns from these rows alone", field, name)

    def chosen_learner(self, project: Project) -> tuple[Learner, dict[str, Any]]:
        """Return the learner with its settings, and those that differ from its preset."""
        name, preset, stated = self.learner, self.preset, project.file
        if name is None and preset is None:
            preset = stated.preset
        settings = {**registry.own_settings(registry.learner_name(name, preset), stated.learning), **self.settings}
        learner = registry.learner_of(name, preset, settings)
        if "aggregate" in learner.settings and self.aggregate is not None:
            if "aggregate" in settings:
                raise RequestError("the setting 'aggregate' states it already", "aggregate")
            settings["aggregate"] = self.aggregate
            learner = registry.learner_of(name, preset, settings)
        return learner, settings


def with_deviation(
    learner: Learner, settings: Mapping[str, Any], measured: Measurements
) -> tuple[Learner, tuple[Note, ...]]:
    """Return a learner with the deviation that a measurement file states as its abortError, unless that is set."""
    # An error below the deviation of the measurements is noise; SPL Conqueror has the same rule.
    deviation = measured.report.deviation
    is_stated = learner.preset == SPLCONQUEROR_2019 or setting_name("abortError") in map(setting_name, settings)
    if deviation is None or is_stated or "abortError" not in learner.settings:
        return learner, ()
    source = measured.report.source
    text = f"abortError is {deviation:g}, as {source} states its deviation (--set abortError=… changes it)"
    return registry.learner_of(learner.name, learner.preset, {**settings, "abortError": deviation}), (Note(text),)
