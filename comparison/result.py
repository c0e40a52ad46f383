"""The results of comparing models: frozen values without any presentation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from comparison.measures import Reference
from comparison.places import Discrepancy
from splc.errors import listed, plural
from splc.io.numbers import percentage
from splc.io.presentation import Bars, Drawn, Presented, Reported
from splc.models.influence import InfluenceModel
from splc.models.terms import Term
from splc.types import Array

# The four cases of a term in two models (section 4.1 of the thesis), and influences of opposite sign, which the thesis
# scores as different ones.
Found = Literal["no class", "no term", "opposite sign", "different", "same"]


@dataclass(frozen=True)
class TermScore:
    """The score of one term that is in either of two models."""

    term: Term  # the term
    text: str  # the term as model text, factors in the order of the system's options
    score: float  # -2 (`no class`), -1 (`no term`), 1 (`opposite sign`), 1 to 2 (`different`: 1 + simValue), 2 (`same`)
    found: Found  # one of the five cases
    first: float | None  # its influence in the first model, None if the model does not have it
    second: float | None  # its influence in the second model, None if the model does not have it


class _Score(Protocol):
    """The score of u terms together, which are those of `_scores`."""

    @property
    def _scores(self) -> tuple[TermScore, ...]: ...

    @property
    def score(self) -> float:
        """The sum of the scores of the terms, in [-2u, 2u]."""
        return math.fsum(term.score for term in self._scores)

    @property
    def lower(self) -> float:
        """The least possible score of u terms, -2u."""
        return -2.0 * len(self._scores)

    @property
    def upper(self) -> float:
        """The greatest possible score of u terms, 2u."""
        return 2.0 * len(self._scores)

    @property
    def opposite(self) -> int:
        """The number of terms that are in both models with influences of opposite sign."""
        return sum(term.found == "opposite sign" for term in self._scores)

    @property
    def normalized(self) -> float | None:
        """The score mapped to [0, 1], (score + 2u) / 4u; None where there is no term."""
        return (self.score - self.lower) / (self.upper - self.lower) if self._scores else None


@dataclass(frozen=True)
class ClassScore(_Score):
    """The score of an equivalence class: all terms over the same set of options."""

    options: tuple[str, ...]  # the options, in the system's order; empty for the constant
    terms: tuple[TermScore, ...]  # the scores of its terms, in canonical order

    @property
    def _scores(self) -> tuple[TermScore, ...]:
        return self.terms


@dataclass(frozen=True)
class Unseen:
    """A subexpression that is compared as a whole, since the syntactic comparison cannot see into it."""

    text: str  # the subexpression, as `(nx + ny)`
    options: tuple[str, ...]  # the options in it, in the system's order
    models: tuple[Literal["first", "second"], ...]  # the models in which it occurs: 'first', 'second' or both


@dataclass(frozen=True)
class SyntacticComparison(_Score):
    """Two models compared by their terms."""

    classes: tuple[ClassScore, ...]  # the equivalence classes of both models, the constant first, in canonical order
    constant: bool = True  # whether the constant takes part, as a separate class
    unseen: tuple[Unseen, ...] = ()  # the subexpressions that are compared as a whole

    @property
    def _scores(self) -> tuple[TermScore, ...]:
        return tuple(term for group in self.classes for term in group.terms)

    @property
    def terms(self) -> int:
        """The number u of distinct terms in both models together."""
        return len(self._scores)

    @property
    def shares_class(self) -> bool:
        """True if both models have terms over one set of options, apart from the constant."""
        return any(term.found != "no class" for group in self.classes if group.options for term in group.terms)

    def options_of(self, of: Literal["first", "second"]) -> frozenset[str]:
        """Return the options in terms of one of the models."""
        having = (group for group in self.classes if any(getattr(term, of) is not None for term in group.terms))
        return frozenset(option for group in having for option in group.options)


@dataclass(frozen=True)
class SemanticComparison:
    """Two vectors of values (of models, or measurements and a model) compared on the same configurations."""

    configurations: int  # the number of configurations
    values: Mapping[str, float | None]  # key of a measure → its value, None if undefined; error rates in percent
    mean_power: Mapping[str, float | None]  # p → mean of |first - second|^p, without a root, as in the thesis
    left_out: int = 0  # the number of configurations that error_rate leaves out, because the first value is 0
    left_out_reversed: int = 0  # the same for error_rate_reversed and the second value
    negative: tuple[int, int] = (0, 0)  # the numbers of negative values of the first and of the second
    weights: str | None = None  # a description of the weights of the configurations, None where all weigh the same
    reference: Reference = "first"  # what directed measures are relative to; `error_rate` is always to the first


@dataclass(frozen=True)
class SetShare:
    """The shares of a set of options in the predictions of two models."""

    options: tuple[str, ...]  # the options, in the system's order; empty for the constant
    first: float  # the share in the first model, in [0, 1]
    second: float  # the share in the second model


@dataclass(frozen=True)
class ClassShare(SetShare):
    """The contributions of an equivalence class to the predictions of two models, and their similarity."""

    weight: float  # the mean of both shares
    syntactic: float  # the normalised syntactic score of the class, in [0, 1]
    semantic: float  # the similarity of its contributions, in [0, 1]


@dataclass(frozen=True)
class HybridComparison:
    """Terms and predictions together: each equivalence class weighs its share of the performance (thesis, 7.2)."""

    classes: tuple[ClassShare, ...]  # the classes with their shares and similarities

    @property
    def syntactic(self) -> float:
        """The classes' normalised syntactic scores, weighted by their shares, in [0, 1]."""
        # The weights may add up to slightly more than 1.
        return min(math.fsum(share.weight * share.syntactic for share in self.classes), 1.0)

    @property
    def semantic(self) -> float:
        """The similarity of the classes' contributions, weighted by their shares, in [0, 1]."""
        return min(math.fsum(share.weight * share.semantic for share in self.classes), 1.0)


@dataclass(frozen=True)
class OptionSets:
    """Two models compared by the shares of their sets of options."""

    of: Literal["mean", "variance"]  # shares are of the sum of mean absolute contributions, or of the variance
    sets: tuple[SetShare, ...]  # the sets of both models with their shares

    @property
    def overlap(self) -> float | None:
        """The sum over the sets of the smaller share, in [0, 1]; None if a model has no shares."""
        if not any(share.first for share in self.sets) or not any(share.second for share in self.sets):
            return None
        return min(1.0, math.fsum(min(share.first, share.second) for share in self.sets))


@dataclass(frozen=True)
class IntervalComparison:
    """Predictions with intervals compared (thesis, 7.2)."""

    level: float  # the level of the intervals
    overlapping: float  # the fraction of configurations where the two intervals overlap
    jaccard: float | None  # sum of the lengths of the overlaps / of the unions; None where all lengths are 0
    hausdorff: float  # mean distance of the two intervals: max(|low - low'|, |high - high'|)
    width: tuple[float, float]  # mean length of the intervals of the first and of the second


@dataclass(frozen=True, repr=False)
class Comparison(Drawn, Reported):
    """Two models compared."""

    first: str  # the name of the first model
    second: str  # the name of the second model
    syntactic: SyntacticComparison  # by their terms
    semantic: SemanticComparison | None = None  # by their predictions; None where there were no configurations
    hybrid: HybridComparison | None = None  # by both; None without configurations, or if a link makes shares senseless
    intervals: IntervalComparison | None = None  # by the intervals of their predictions, where there are any
    option_sets: OptionSets | None = None  # by the shares of their sets of options; None without configurations
    same_link: bool = True  # whether equal terms mean the same; else predictions and sets of options are compared
    discrepancy: Discrepancy | None = None  # how the second's predictions miss the first's; None: no factor

    def summary(self) -> str:
        """Return the syntactic score and the semantic measures as text."""
        lines = [f"{self.first} compared with {self.second}"]
        score = self.syntactic.normalized
        if score is not None and self.same_link:
            terms = plural(self.syntactic.terms, "term", "terms")
            opposite = f", {self.syntactic.opposite} of opposite sign" if self.syntactic.opposite else ""
            lines.append(f"syntactic: {score:.3g} of 1 ({terms} in either{opposite})")
        if self.semantic is not None:
            known = [f"{name} {value:.6g}" for name, value in self.semantic.values.items() if value is not None]
            lines.append(f"semantic: {listed(known)}, on {self.semantic.configurations:,} configurations")
        return "\n".join(lines)

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the terms of either model with their influences and scores."""
        rows = [(", ".join(group.options), term) for group in self.syntactic.classes for term in group.terms]
        columns: dict[str, Sequence[Any]] = {"options": [options for options, _ in rows]}
        attributes = {"term": "text"} | {name: name for name in ("first", "second", "found", "score")}
        return columns | {name: [getattr(term, of) for _, term in rows] for name, of in attributes.items()}

    def _bars(self) -> Bars:
        rows = [(term.text, term.score) for group in self.syntactic.classes for term in group.terms]
        return Bars("scores of the terms", rows)


@dataclass(frozen=True)
class Judged:
    """A model compared with measurements; these are the first values."""

    model: str  # the name of the model
    semantic: SemanticComparison  # the measured against the predicted values
    covered: float | None = None  # the fraction of measured runs within the model's intervals; None without intervals
    discrepancy: Discrepancy | None = None  # how predictions miss the measured values; None: no factor relates them


@dataclass(frozen=True, eq=False)
class ComparedModel:
    """A model in a comparison, with its source and its predictions."""

    name: str  # its name in tables and messages
    model: InfluenceModel  # the model
    bound: InfluenceModel  # the model with a number for every parameter, as the syntactic comparison needs it
    kind: Literal["text", "log", "json"] = "text"  # 'text' (an analytical model), 'log' or 'json' (a learned one)
    nfp: str | None = None  # the property that its file states, None without one
    file: str | None = None  # the file it was read from, None for a model that was not read
    sha256: str = ""  # the hash of the file's content
    contexts: Mapping[str, str] = field(default_factory=dict)  # context → the value learned from, if the file states it
    predicted: Array | None = None  # the predictions, shape (n,), read-only; None where there are no configurations
    intervals: Array | None = None  # lower and upper bounds of the predictions, shape (2, n), read-only
    single: Array | None = None  # lower and upper bounds of a new run, shape (2, n); None where there are none
    exact: bool = True  # whether predictions without intervals are exact; False means that their intervals are unknown


@dataclass(frozen=True, repr=False)
class Comparisons(Presented, Reported):
    """Several models: the first against each other one, and each against the measurements."""

    models: tuple[ComparedModel, ...]  # the models, the first one first
    comparisons: tuple[Comparison, ...]  # the first model against each other one, in order
    judged: tuple[Judged, ...] = ()  # each model against the measurements, in order; empty without measurements
    nfp: str | None = None  # the measured property, None without measurements
    constant: bool = True  # whether the constant takes part in the syntactic comparison
    weights: str | None = None  # a description of the weights of the configurations, None where all weigh the same
    level: float | None = None  # the level of the intervals, None where intervals are not compared

    def summary(self) -> str:
        """Return the first lines of all comparisons, and the errors against measurements, as text."""
        names = listed([model.name for model in self.models])
        lines = [f"comparison of {names}", *(comparison.summary() for comparison in self.comparisons)]
        for judged in self.judged:
            error = judged.semantic.values.get("error_rate")
            lines.append(f"{judged.model} against {self.nfp}: mean relative error {percentage(error, 3, 'undefined')}")
        return "\n".join(lines)

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return one row per comparison: the syntactic score and the semantic measures."""
        measures = [comparison.semantic.values if comparison.semantic else {} for comparison in self.comparisons]
        names = dict.fromkeys(name for values in measures for name in values)
        return {
            "first": [comparison.first for comparison in self.comparisons],
            "second": [comparison.second for comparison in self.comparisons],
            "syntactic": [comparison.syntactic.normalized for comparison in self.comparisons],
            **{name: [values.get(name) for values in measures] for name in names},
        }
