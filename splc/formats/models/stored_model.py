"""Models as files hold them: what was read from a file, and what is written to one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from splc._version import __version__
from splc.data.measurements import DEFAULT_METRIC, ROOT_CALLPATH, Key, title
from splc.data.property_unit import unit_in_name
from splc.errors import OutputError, plural
from splc.formats.column_choice import ColumnChoice
from splc.io.json import declared
from splc.io.latex import one_line
from splc.io.numbers import percentage, rounded_text
from splc.learning.result import Intervals, LearningResult, Predictor
from splc.models.influence import InfluenceModel
from splc.models.parameters import Parameters
from splc.models.terms import exponent, exponent_text, quoted
from splc.system.variability import ROOT, VariabilityModel

if TYPE_CHECKING:
    from splc.scaling.result import ScalingModel


@dataclass(frozen=True)
class Subject:
    """The system and the property of a model."""

    system: str | None  # the name of the system, None if it is unknown
    nfp: str | None  # the property, None if it is unknown

    def differs(self, other: Subject) -> bool:
        """Return whether both name a system or a property, and it is another one; logs hold single spaces."""
        pairs = ((self.system, other.system), (self.nfp, other.nfp))
        return any(first is not None and two is not None and first.split() != two.split() for first, two in pairs)

    def __str__(self) -> str:
        return " of ".join(name for name in (self.nfp, self.system) if name is not None)


_LISTS = ("ignore", "options")


def stated_columns(stated: Any) -> ColumnChoice:
    """Return the roles of columns that a file states as `contexts` and `columns`; damaged content is ignored."""
    facts = declared(dict, stated, {})
    contexts, columns = (declared(dict, facts.get(key), {}) for key in ("contexts", "columns"))
    named = (declared(list, columns.get(role), []) for role in _LISTS)
    ignore, options = (tuple(name for name in names if isinstance(name, str)) for names in named)
    usual = {name: value for name, value in contexts.items() if isinstance(value, str)}
    constraints, mined = columns.get("constraints") is not False, columns.get("mined") is True
    return ColumnChoice(usual=usual, options=options, ignore=ignore, constraints=constraints, mined=mined)


def columns_object(contexts: Mapping[str, str], choice: ColumnChoice, *, mined: bool = False) -> dict[str, Any]:
    """Return the roles of columns in JSON's types, as far as there are any."""
    roles: dict[str, Any] = {"options": list(choice.options), "ignore": list(choice.ignore)}
    roles |= {"constraints": None if choice.constraints else False, "mined": mined or None}
    columns = {role: value for role, value in roles.items() if value not in (None, [])}
    return {key: value for key, value in (("contexts", dict(contexts)), ("columns", columns)) if value}


def choice_of(learned: Iterable[ColumnChoice]) -> ColumnChoice:
    """Return the roles that models give the columns of further measurements, which may lack them."""
    choices = [*learned]
    usual: dict[str, str | None] = {}  # a context has no usual value if the models were learned from different ones
    for name, value in (item for choice in choices for item in choice.usual.items()):
        usual[name] = value if usual.get(name, value) == value else None
    ignore, options = (dict.fromkeys(name for each in choices for name in getattr(each, role)) for role in _LISTS)
    constraints, mined = all(each.constraints for each in choices), any(each.mined for each in choices)
    choice = ColumnChoice(ignore=(*ignore,), options=(*options,), usual=usual, constraints=constraints, mined=mined)
    return choice.lenient


# The options of a term → the number of folds whose own models have a term of the same options, None if unknown.
Support = Mapping[frozenset[str], int | None]


@dataclass(frozen=True)
class StoredModel:
    """A model of a file, with the facts that the file states, or that it is to state."""

    model: InfluenceModel  # the performance-influence model; where there is a full model, the printed one
    nfp: str | None = None  # the property that it was learned from, None if the file does not name it
    kind: Literal["log", "json", "text"] = "text"  # its form; a model text is an analytical model, by an expert
    used: frozenset[str] = frozenset()  # the parameters that a model text uses
    name: str = ""  # a name in messages and tables: the file, with a number for one of several models
    file: str | None = None  # the file, None for a model that was not read from one
    sha256: str = ""  # the hash of the file's content
    full: Predictor | None = None  # the full model, which predicts; None if the file has none
    intervals: Intervals | None = None  # the prediction intervals of what predicts, None if the file has none
    printed_intervals: Intervals | None = None  # those of the printed model, None if the file has none
    notes: tuple[str, ...] = ()  # what is unusual about the file
    columns: ColumnChoice = field(default_factory=ColumnChoice)  # the stated roles of columns of its measurements
    system: VariabilityModel | None = None  # the system that it was learned from, None if the file does not describe it
    provenance: Mapping[str, Any] = field(default_factory=dict, hash=False)  # what produced it, if it is stated
    support: Support = field(default_factory=dict, hash=False)  # that of the printed terms, empty if it is not stated
    folds: int = 0  # the number of folds that support is counted in
    unused: str = ""  # why a full model that was written with the file is not used, empty otherwise
    companion: str | None = None  # the JSON file that was written with a log, None if it is not used
    stated_unit: str | None = None  # the unit of the property, None if the file does not state it
    expected_error: Mapping[str, Any] = field(default_factory=dict, hash=False)  # as `splc learn --json` has it
    callpath: str = ROOT_CALLPATH  # the call path of a scaling model
    scaling: ScalingModel | None = None  # the scaling model to write, None for other models and those that were read
    result: LearningResult | None = None  # the result of learning to write, with its history; None likewise
    further: Mapping[str, Any] = field(default_factory=dict, hash=False)  # further content of its JSON object to write

    @property
    def contexts(self) -> dict[str, str]:
        """Context (version, workload) → the value of the rows that it was learned from."""
        return {name: value for name, value in self.columns.usual.items() if value is not None}

    @property
    def unit(self) -> str | None:
        """The unit of the property: the one that the file states, else the one in the name of the property."""
        return self.stated_unit or (None if self.nfp is None else unit_in_name(self.nfp))

    @property
    def basis_of_unmeasured(self) -> str:
        """The kind of prediction for a value of a context of which nothing was measured; empty for other models."""
        from splc.learning.contexts.sources import SourceMixture
        from splc.learning.projection import Ensemble

        if isinstance(self.full, SourceMixture) and self.full.process is None:
            return "the order of configurations is predicted, not the level"
        block = self.full.basis.context if isinstance(self.full, Ensemble) else None
        return "it is predicted as a number" if block is not None and block.unmeasured else ""

    @property
    def predictor(self) -> Predictor:
        """The full model, or else the performance-influence model."""
        return self.model if self.full is None else self.full

    @property
    def printed(self) -> StoredModel:
        """The model without its full model: the printed one predicts, with its own intervals."""
        intervals = self.intervals if self.full is None else self.printed_intervals
        return replace(self, full=None, intervals=intervals, unused="")

    @property
    def key(self) -> Key:
        """The call path and the metric, which is the property."""
        return self.callpath, self.nfp or DEFAULT_METRIC

    @property
    def names(self) -> tuple[str, ...]:
        """The variables of the model."""
        if self.scaling is not None:
            return self.scaling.names
        return tuple(name for name in self.model.order if name in self.model.options)

    @property
    def errors(self) -> dict[str, float]:
        """The errors of a learned model in percent by name, the last one as tables show it."""
        if self.scaling is not None:
            return {"SMAPE": self.scaling.smape}
        explained = None if self.result is None else self.result.of_printed
        stated = () if explained is None else (("learning error", explained.learning_error), ("error", explained.error))
        return {name: value for name, value in stated if value is not None}

    @property
    def comment(self) -> str:
        """The title, and the data that the model rests on, in one line."""
        errors = ", ".join(f"{name} {percent_text(value)}" for name, value in self.errors.items())
        facts = errors if self.scaling is None else facts_text(self.scaling)
        return one_line(": ".join(text for text in (title(self.key), facts) if text))

    @property
    def lower(self) -> tuple[InfluenceModel, str, float] | None:
        """The model of the lower of two segments, the variable along which they differ, and where it ends."""
        if (scaling := self.scaling) is None or scaling.below is None or scaling.change is None:
            return None
        return scaling.below.model, scaling.changing or scaling.names[0], scaling.change


@dataclass(frozen=True)
class ModelFile:
    """The content of a file to write."""

    models: Sequence[StoredModel]  # the models, at least one
    about: str = ""  # where they come from, in one line; empty for a model that was read from a file
    facts: Mapping[str, Any] = field(default_factory=dict)  # further content of the JSON object
    # the error after each round on what models are judged by, for logs; None: only that of the last is known, on all
    test_errors: Sequence[float | None] | None = None
    companion: str | None = None  # the name of the JSON file that is written beside a log
    base: str = ROOT  # the option that represents the constant in a log

    def only(self, holds: str, cannot: str) -> StoredModel:
        """Return the only model, which has one segment."""
        if len(self.models) > 1:
            raise OutputError(f"{holds} one model", hint="write .json, .txt, .py or .tex")
        if self.models[0].lower is not None:
            raise OutputError(f"{cannot} a model of two segments", hint="write it as .json, .txt or .py")
        return self.models[0]


WhichRound = Literal["last", "best"] | int


@dataclass(frozen=True)
class ReadOptions:
    """Options of the reader of models."""

    parameters: Mapping[str, float] | Parameters | None = None  # the machine parameters of model text
    round: WhichRound = "last"  # which round of a log: 'last', 'best' or a number
    learning: int | None = None  # which learning of a log: 1, 2, …; None is the last, 0 all
    symbols: Collection[str] = ()  # the parameters that stay names in the terms of model text
    full: bool = False  # whether the model of a log has the full model of the JSON file that was written with it


def companion_of(log: str) -> str:
    """Return the name of the JSON file that is written beside a log."""
    return str(Path(log.removesuffix(".gz")).with_suffix(".json"))


def scaling_file(
    models: Mapping[Key, ScalingModel],
    origin: str,
    further: Mapping[Key, Mapping[str, Any]] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> ModelFile:
    """Return the file of scaling models, (call path, metric) → model; `further`: more content of the JSON of some."""
    stored = []
    for (callpath, metric), scaling in models.items():
        nfp, more = None if metric == DEFAULT_METRIC else metric, (further or {}).get((callpath, metric), {})
        stored.append(StoredModel(scaling.model, nfp, callpath=callpath, scaling=scaling, further=more))
    method = next(iter(models.values())).method
    kind = plural(len(models), "scaling model", "scaling models")
    return ModelFile(stored, f"{kind} of {origin}, by splc {__version__} (pmnf, method {method})", facts or {})


def learned_file(
    result: LearningResult,
    origin: str,
    test_errors: Sequence[float | None] | None = None,
    system: VariabilityModel | None = None,
) -> ModelFile:
    """Return the file of a learned model."""
    from splc.learning.result import FullPredictor

    about = f"model of {result.nfp} of {origin}, by splc {__version__} ({result.learner}, preset {result.preset})"
    if result.scaling is not None:
        about = scaling_file({(ROOT_CALLPATH, result.nfp): result.scaling}, origin).about
    stored = StoredModel(
        result.model if result.scaling is None else result.scaling.model,
        None if result.nfp == DEFAULT_METRIC else result.nfp,
        full=result.predictor if isinstance(result.predictor, FullPredictor) else None,
        intervals=result.intervals,
        printed_intervals=result.printed_intervals,
        system=system,
        provenance=result.provenance,
        scaling=result.scaling,
        result=result,
    )
    return ModelFile([stored], about, {}, test_errors)


def lead_text(model: ScalingModel) -> str:
    """Return the lead term of a model, with logarithms to the base 2: `p^(3/2) * log2(p)`; `1` if it is constant."""
    factors = []
    for name, (power, log) in model.lead.items():
        text = quoted(name, model.names)
        factors += [(text, power), (f"log2({text})", log)]
    return " * ".join(text + exponent_text(exponent(power)) for text, power in factors if power != 0) or "1"


def facts_text(model: ScalingModel) -> str:
    """Return the data of a scaling model, of both segments if two: `SMAPE 1.2 % at 5 points, p = 2 … 32`."""
    ends = (" … ".join(dict.fromkeys(rounded_text(end, 6) for end in pair)) for pair in model.ranges)
    ranges = ", ".join(f"{name} = {text}" for name, text in zip(model.names, ends, strict=True))
    points = f"{model.points} point{'' if model.points == 1 else 's'}"
    explained = "" if model.adjusted_r2 is None else f", adjusted R² {model.adjusted_r2:.6g}"
    segment_text = f"SMAPE {percent_text(model.smape)}{explained} at {points}, {ranges}"
    return segment_text if model.below is None else f"{facts_text(model.below)}; {segment_text}"


def percent_text(value: float, digits: int = 3) -> str:
    """Return a percentage; very small ones are shown as `< 0.001 %`."""
    return percentage(value, digits) if value == 0 or value >= 0.001 else "< 0.001 %"
