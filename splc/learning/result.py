"""The result of learning, the same for every learner: model, rounds, errors, and what produced them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pkgutil import resolve_name
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from splc.data.configurations import Configurations
from splc.data.property_unit import titled
from splc.errors import LearningError, Problem, plural, shorten
from splc.io.json import picked
from splc.io.numbers import percentage
from splc.io.presentation import Bars, Drawn, Reported, framed
from splc.learning.blocks import Blocks
from splc.learning.folds import CrossValidated, ErrorSample, Groups, JudgedRows, Judgement, PrintedErrors
from splc.models.basis.regression import sign_probability, t_quantile
from splc.models.influence import InfluenceModel, term_shares
from splc.models.terms import Term
from splc.models.text.log_grammar import term_text
from splc.system.variability import VariabilityModel
from splc.types import Array

if TYPE_CHECKING:
    from splc.scaling.result import ScalingModel

_LONGEST = 400  # the most characters of a model in a summary
LEVEL = 0.9  # the probability that an interval contains the true value


class Predictor(Protocol):
    """Anything that predicts a property of configurations."""

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions, shape (n,), of configurations or of a table that has them."""


@dataclass(frozen=True)
class LearnedTerm:
    """A term as the learner selected it; the model holds its canonical expansion."""

    term: Term  # its powers and logarithms
    influence: float  # its influence
    further: tuple[str, ...] = ()  # further factors in SPL Conqueror's log grammar: `( 64 - x )`, `log10( x * y )`
    further_occurrences: int = 0  # the number of option occurrences in these
    expansion: tuple[tuple[Term, float], ...] = ()  # the canonical terms it is the sum of, with weights; empty: itself

    @property
    def options(self) -> frozenset[str]:
        """The options that it is about."""
        return frozenset().union(self.term.options, *(term.options for term, _ in self.expansion))

    @property
    def occurrences(self) -> int:
        """The number of option occurrences: `x * x * log10(y)` has 3; a fractional exponent is rounded up."""
        return self.term.occurrences + self.further_occurrences

    @property
    def weights(self) -> tuple[tuple[Term, float], ...]:
        """The canonical terms that it is the sum of, with their weights in it."""
        return self.expansion or ((self.term, 1.0),)

    @property
    def expanded(self) -> tuple[tuple[Term, float], ...]:
        """The canonical terms that it is the sum of, with their influences."""
        return tuple((term, self.influence * weight) for term, weight in self.weights)

    def same_product(self, other: LearnedTerm) -> bool:
        """Return whether another term differs in its influence only."""
        return replace(self, influence=other.influence) == other

    def log_text(self, order: Sequence[str] = (), base: str = "1") -> str:
        """Return it in SPL Conqueror's log grammar; `order`: that of the options, `base`: stands for the constant."""
        return term_text(self.term, order, base, self.further)

    def text(self, order: Sequence[str] = ()) -> str:
        """Return it as model text; in the log grammar if it has further factors."""
        return self.log_text(order) if self.further else self.term.text(order)

    def times(self, factor: Term, binary: frozenset[str]) -> LearnedTerm:
        """Return it multiplied by a product of options; `binary`: those whose values are 0 and 1."""
        expansion = tuple((term * factor, weight) for term, weight in self.expansion)
        return replace(self, term=(self.term * factor).reduced(binary), expansion=expansion)


def merged_terms(terms: Iterable[LearnedTerm]) -> tuple[LearnedTerm, ...]:
    """Return terms with the influences of equal products added up, in order of first appearance."""
    totals: dict[LearnedTerm, float] = {}
    for term in terms:
        product = replace(term, influence=0.0)
        totals[product] = totals.get(product, 0.0) + term.influence
    return tuple(replace(product, influence=influence) for product, influence in totals.items())


@dataclass(frozen=True)
class Round:
    """One step of a learner that adds terms."""

    number: int  # 1, 2, …
    added: LearnedTerm  # the term that was added, with its influence after this round
    score: float  # its score: the drop of the error, divided by its number of options if that is penalised
    error: float  # the selection error after the round, in percent for the relative loss
    learning_error: float  # the mean relative error in percent on the learning set after the round
    terms: tuple[LearnedTerm, ...]  # the terms of the model after the round; the first is the constant
    seconds: float  # time since learning began
    removed: tuple[LearnedTerm, ...] = ()  # the terms that were removed in this round

    @property
    def complexity(self) -> int:
        """The number of option occurrences in all terms, the constant counting 1."""
        return sum(max(term.occurrences, 1) for term in self.terms)

    def line(self, order: Sequence[str] = ()) -> str:
        """Return the step in one line; `order`: the order of the options."""
        return f"round {self.number}: + {self.added.log_text(order)}, error {percentage(self.learning_error, 6)}"


@dataclass(frozen=True)
class Stage:
    """One step of a learner that does not add one term after the other."""

    number: int  # 1, 2, …
    text: str  # what was done
    seconds: float  # time since learning began

    def line(self, order: Sequence[str] = ()) -> str:
        """Return the step in one line."""
        return f"{self.text} ({self.seconds:.3g} s)"


# A step of any learner.
Step = Round | Stage


@dataclass(frozen=True)
class InfluenceEstimate:
    """The uncertainty of an influence."""

    term: Term  # the term
    influence: float  # its influence
    standard_error: float  # the standard error of the influence
    low: float  # the lower end of its 90 % interval (`LEVEL`)
    high: float  # the upper end
    sign_probability: float  # the probability that the influence has the sign that it is printed with
    folds: int | None = None  # in how many folds the fold's model has a term of the same options; None: unknown
    text: str = ""  # the term as it was selected; the number of a group has the stem of its members as name: `3 * ref`

    @classmethod
    def of(cls, term: Term, influence: float, error: float, freedom: int | None = None, **found: Any) -> Self:
        """Return the estimate by a standard error with degrees of freedom; None: of a normal distribution."""
        upper = (1 + LEVEL) / 2
        half_width = error * (NormalDist().inv_cdf(upper) if freedom is None else t_quantile(freedom, upper))
        sign = sign_probability(influence, error, freedom)
        return cls(term, influence, error, influence - half_width, influence + half_width, sign, **found)


@dataclass(frozen=True)
class Expected:
    """The expected differences between predictions and values of configurations that were not learned from."""

    within: float | None  # 90 % of runs differ by at most this factor (difference, if not all values are positive)
    percent: float | None = None  # the mean relative error of held-out configurations in percent, if all are positive
    difference: float | None = None  # their mean absolute difference, where not all values are positive
    unknown: str = ""  # why the error is unknown, empty if it is known
    run: float | None = None  # the mean relative error of single runs of these in percent; None without repetitions
    printed: float | None = None  # `percent` of the printed model, where another one predicts
    known: float | None = None  # of grouped folds, the mean relative error in percent at further rows of known groups


@dataclass(frozen=True)
class PathTerm:
    """A term of a model on the path."""

    term: str  # its text
    influence: float  # its influence


@dataclass(frozen=True)
class PathPoint:
    """A model on the path from few terms to many."""

    terms: int  # the number of terms
    error: float  # the expected error in percent of the model with so many terms
    added: str  # the term that was added last, as text
    distance: float | None = None  # the mean difference from the full model's predictions in percent; None without one
    formula: tuple[PathTerm, ...] = ()  # its terms; empty if the learner keeps only the one that was added


@dataclass(frozen=True)
class FormScore:
    """The best model of one form."""

    form: str  # 'sum', 'shapes' (a sum with thresholds, saturations and free signs), or 'product'
    terms: int  # the number of its terms
    score: float  # the mean of `cross_validated` and of the error that the full model and the distance to it give, in %
    cross_validated: float  # its mean error on held-out rows, in percent


class Intervals(Protocol):
    """Prediction intervals."""

    @property
    def level(self) -> float:
        """The probability that a measured value lies inside: 0.9."""

    def interval(self, configurations: Configurations | Any) -> tuple[Array, Array]:
        """Return the lower and upper ends, shapes (n,), in the unit of the property; also for a table."""


@runtime_checkable
class FullPredictor(Predictor, Intervals, Protocol):
    """A full model of any kind: it predicts where there is a printed model, and has intervals."""

    @property
    def options(self) -> frozenset[str]:
        """The options that predictions depend on."""

    @property
    def configurations(self) -> Configurations:
        """The configurations that it was learned from."""


# The classes of intervals by the value of `kind` in the JSON object. To add intervals that files of models keep, give
# them methods `as_json`, whose object has a `kind`, and `from_json`, and add a line here.
CLASSES: Mapping[str, str] = {
    "projection": "splc.learning.projection:Ensemble",
    "sum": "splc.learning.projection:EnsembleSum",
    "mixture": "splc.learning.contexts.sources:SourceMixture",
    "unmeasured": "splc.learning.contexts.sources:SourceMixture",
}
PRINTED: Mapping[str, str] = {"printed": "splc.learning.projection:PrintedIntervals"}


def intervals_object(intervals: Intervals | None) -> Mapping[str, Any] | None:
    """Return intervals in JSON's types, None if there are none or files of models do not keep them."""
    as_json: Callable[[], Mapping[str, Any]] | None = getattr(intervals, "as_json", None)
    return None if as_json is None else as_json()


def intervals_of(
    content: Any, owner: VariabilityModel | InfluenceModel | None, classes: Mapping[str, str] = CLASSES
) -> Intervals | None:
    """Return the intervals of a JSON object, None if there are none; `owner`: the system, or the printed model."""
    if owner is None or not isinstance(content, Mapping) or content.get("kind") not in classes:
        return None
    found: Intervals = resolve_name(classes[content["kind"]]).from_json(content, owner)
    return found


@dataclass(frozen=True, repr=False, kw_only=True)
class LearningResult(Drawn, Reported):
    """A learned model; errors are mean relative ones in percent, None where undefined."""

    # What predicts: the full model of the default learner, of most others the performance-influence model.
    predictor: Predictor
    intervals: Intervals | None = None  # its prediction intervals
    learning_error: float | None  # its error on the learning set
    error: float | None  # on the measured configurations outside of the learning set, or on the evaluation set
    error_all: float | None  # on all measured configurations
    cross_validated: CrossValidated | None = None  # on held-out folds of the learning set; None where it means nothing
    expected: Expected | None = None  # how far values are expected to be off; None where the learner does not know

    # What explains: the performance-influence model where it is not what predicts, its errors and its intervals.
    printed: InfluenceModel | None = None
    printed_errors: PrintedErrors | None = None
    printed_intervals: Intervals | None = None
    terms: tuple[LearnedTerm, ...] = ()  # in the order of selection; empty for a predictor without readable terms
    rounds: tuple[Round, ...] = ()  # the history; empty for learners without rounds and for averaged (bagged) models
    estimates: tuple[InfluenceEstimate, ...] = ()  # the uncertainty of each influence, in the order of the terms
    path: tuple[PathPoint, ...] = ()  # models from few terms to many, with their expected errors
    forms: tuple[FormScore, ...] = ()  # the best printed model of each form that was tried, the chosen one first
    folds: int = 0  # the number of folds that support of terms is counted in; 0 for none
    scaling: ScalingModel | None = None  # the scaling model with intervals, for learners that fit one

    # What judged it.
    nfp: str  # the property that was learned
    unit: str | None = None  # its unit; None if it is not known
    system: VariabilityModel | None = None  # the system of the measurements
    base: str  # the option that represents the constant in logs
    learning_configurations: int  # the size of the learning set
    left_out: int  # the number of measured configurations whose value is 0; relative errors leave them out
    rows: JudgedRows | None = field(default=None, compare=False)  # the measurements; None of a model from a file
    judgements: tuple[Judgement, ...] = field(default=(), compare=False)  # of what predicts, then of the printed model
    groups: Groups | None = field(default=None, compare=False)  # that folds keep together; None: each row is a group
    blocks: Blocks | None = field(default=None, compare=False)  # the blocks of the measured runs, where they have some

    # What produced it.
    learner: str  # the name of the learner
    preset: str  # the name of the preset
    settings: Mapping[str, Any] = field(hash=False)  # all settings by name
    seed: int = 0  # the seed
    termination: str  # why learning ended; the stepwise learner's reasons are in `splc.learning.stepwise.algorithm`
    seconds: float  # wall time of learning
    provenance: Mapping[str, Any] = field(default_factory=dict, hash=False)  # sampling, files with hashes, version
    notes: tuple[str, ...] = ()  # what the user should know

    @property
    def readable(self) -> bool:
        """True if there is a performance-influence model."""
        return self.printed is not None or isinstance(self.predictor, InfluenceModel)

    @property
    def model(self) -> InfluenceModel:
        """The performance-influence model: the printed one, where another one predicts; refused without terms."""
        if self.printed is not None:
            return self.printed
        if not isinstance(self.predictor, InfluenceModel):
            hint = "choose a learner that gives terms, such as stepwise"
            raise LearningError(Problem(f"the learner {self.learner} gives a predictor without terms", hint=hint))
        return self.predictor

    def predict(self, configurations: Configurations | Any) -> Array:
        """Return the predictions of what predicts, shape (n,), for configurations or a table that has them."""
        return self.predictor.predict(configurations)

    def conf_int(self) -> Any:
        """Return the 90 % intervals of the influences as a `pandas.DataFrame`: `low` and `high` of each term.

        Raises:
            LearningError: if the learner does not know the uncertainty of influences.
        """
        if not self.estimates:
            hint = "the default learner knows it"
            raise LearningError(Problem(f"the learner {self.learner} has no intervals of influences", hint=hint))
        return self.to_frame().set_index("term")[["low", "high"]]

    def get_prediction(self, table: Configurations | Any) -> Any:
        """Return predictions as a `pandas.DataFrame`: `predicted`, and 90 % intervals of a new run, `low` and `high`.

        Args:
            table: configurations, or a table that has them, whose index the rows keep; (n,) rows.

        Raises:
            LearningError: if the learner has no prediction intervals.
        """
        if self.intervals is None:
            raise LearningError(Problem(f"the learner {self.learner} has no prediction intervals"))
        low, high = self.intervals.interval(table)
        columns = {"predicted": self.predict(table), "low": low, "high": high}
        return framed(columns, getattr(table, "index", None))

    @property
    def samples(self) -> dict[str, ErrorSample]:
        """The samples that errors are computed on, by their names; other errors are those of all configurations."""
        return {
            name: ErrorSample(*sizes, *(judgement.standard_errors[name] for judgement in self.judgements))
            for name, sizes in ({} if self.rows is None else self.rows.samples).items()
        }

    @property
    def of_printed(self) -> LearningResult:
        """The result with the printed model as what predicts, and its errors; the result itself without one."""
        if self.printed is None:
            return self
        own = picked(self.printed_errors, "learning_error, error, error_all, cross_validated")
        own |= dict.fromkeys(("expected", "printed", "printed_errors", "printed_intervals"))
        own |= {"intervals": self.printed_intervals, "judgements": self.judgements[1:]}
        return replace(self, predictor=self.printed, **own)

    def summary(self) -> str:
        """Return the learner, the errors, the model and the notes as text."""
        learned = plural(self.learning_configurations, "configuration", "configurations")
        terms = f", {plural(len(self.model.terms), 'term', 'terms')}" if self.readable else ""
        lines = [f"model of {titled(self.nfp, self.unit)} by {self.learner} from {learned}{terms}"]
        lines.append(f"mean relative error: {self._errors()}")
        if self.printed is not None:
            lines.append(f"of the printed model: {self.of_printed._errors()}")
        if self.readable:
            text = shorten(self.model.text, _LONGEST)
            lines.append(f"{self.nfp} = exp({text})" if self.model.link == "log" else f"{self.nfp} = {text}")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def _errors(self) -> str:
        errors = {"on these": self.learning_error, "on all others": self.error}
        if self.cross_validated is not None:
            errors["cross-validated"] = self.cross_validated.mean
        if self.expected is not None and self.expected.run is not None:
            errors["cross-validated for single runs"] = self.expected.run
        texts = [f"{percentage(error, 3)} {name}" for name, error in errors.items() if error is not None]
        return ", ".join(texts) or "undefined"

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the terms with their influences; for the default learner also their uncertainty."""
        terms = self.model.terms if self.readable else ()
        columns: dict[str, Sequence[Any]] = {
            "term": [term.text(self.model.order) for term, _ in terms],
            "influence": [influence for _, influence in terms],
        }
        by_term = {estimate.term: estimate for estimate in self.estimates}
        for name in ("standard_error", "low", "high", "sign_probability", "folds") if by_term else ():
            columns[name] = [getattr(by_term.get(term), name, None) for term, _ in terms]
        return columns

    def _bars(self) -> Bars | None:
        if not self.readable or self.rows is None:
            return self.model.bars if self.readable else None
        # The shares of the terms; of a product, its influences.
        model, learned = self.model, self.rows.measured.configurations[self.rows.learned]
        shares = term_shares(model, learned)
        pairs = zip(model.terms, shares.values, strict=True)
        bars = [(term.text(model.order), share) for (term, _), share in pairs if share is not None]
        whole_text = "all contributions" if shares.absolute else "the mean prediction"
        title = f"share of {whole_text} on the configurations learned from, in percent"
        return Bars(title, bars) if bars else model.bars
