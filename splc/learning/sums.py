"""Learn the parts of a property one by one, and add up their models, as the levels of a multigrid solver (5.4.2).

A model of a part depends on few options, and small influences are found more exactly in a part than in the whole
(thesis, section 5.4.2; Grebhahn et al. 2016). A part that only some configurations have is multiplied by a variable
that is 1 in these.

In: measurements, and the parts (`learn_sum`). Out: the models of the parts and of the whole (`SumResult`), whose full
model is the sum of theirs (`EnsembleSum`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from splc.data.configurations import Configurations
from splc.data.measurements import Measurements
from splc.errors import LearningError, MeasurementError, SpecError, plural, unknown_name_hint
from splc.io.presentation import Presented
from splc.learning.learner import WHERE_ZERO, WITHOUT_VALUE, Learner, LearningProblem, influence_model, judged, rows_of
from splc.learning.projection import Ensemble, EnsembleSum, ProjectionLearner, Summand
from splc.learning.registry import learn, learner_of
from splc.learning.result import LearnedTerm, LearningResult, Step, merged_terms
from splc.models.subexpressions import by_name
from splc.models.terms import CONSTANT, Term, option_term
from splc.types import Array, Missing

EACH = "{}"  # the placeholder for the same text, such as the number of a level, in all names of a part


@dataclass(frozen=True)
class Part:
    """A property that is a part of a whole."""

    nfp: str  # the property
    where: str | None = None  # a binary option or observed variable, 1 in configurations with the part; None: all
    observed: tuple[str, ...] = ()  # observed variables to learn from, see `learn`


@dataclass(frozen=True, repr=False)
class SumResult(Presented):
    """The result of learning by parts."""

    whole: LearningResult  # the sum of the parts' models, judged by the values of the whole
    parts: tuple[tuple[Part, LearningResult | None], ...]  # None of a part that no learned configuration has

    def summary(self) -> str:
        """Return the summary of the whole."""
        return self.whole.summary()

    def to_columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the terms of the whole."""
        return self.whole.to_columns()


def parts_of(texts: Iterable[str], properties: Sequence[str], observed: Iterable[str] = ()) -> tuple[Part, ...]:
    """Return the parts that texts `NFP` or `NFP:WHERE` name; braces stand for the same text in all names of a part."""
    patterns, parts = tuple(observed), list[Part]()
    for text in texts:
        name, condition = text, ""
        if text not in properties:
            name, _, condition = text.strip().rpartition(":") if ":" in text else (text.strip(), "", "")
        values: list[str | None] = [None]
        if EACH in name:
            shape = re.compile("(.+)".join(map(re.escape, name.split(EACH, 1))).replace(re.escape(EACH), r"\1"))
            values = [match[1] for nfp in properties if (match := shape.fullmatch(nfp))]
        elif EACH in condition or any(EACH in pattern for pattern in patterns):
            hint = f"write it into the property: time_{EACH}"
            raise SpecError(f"{EACH} has no meaning for the part {text!r}", hint=hint)
        if not values or (values == [None] and name not in properties):
            hint = unknown_name_hint(name, list(properties))
            raise MeasurementError(f"the property {name!r} was not measured", hint=hint)
        for value in values:
            nfp, where, *own = (
                each if value is None else each.replace(EACH, value) for each in (name, condition, *patterns)
            )
            parts.append(Part(nfp, where or None, tuple(own)))
    names = [part.nfp for part in parts]
    if duplicates := [name for name in names if names.count(name) > 1]:
        raise SpecError(f"duplicate part {duplicates[0]!r}")
    return tuple(parts)


def learn_sum(
    measurements: Measurements,
    parts: Sequence[Part],
    nfp: str | None = None,
    preset: str | None = None,
    *,
    learning_set: Configurations | Array | None = None,
    settings: Mapping[str, Any] | None = None,
    learner: str | Learner | None = None,
    missing: Missing = "error",
    seed: int = 0,
    on_step: Callable[[Part, Step], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> SumResult:
    """Learn a model of each part of a property, and judge their sum by the values of the whole.

    Args:
        measurements: what was measured.
        parts: the parts (at least one).
        nfp: the whole; None is the only property. Its values are used for the errors only.
        preset: see `learn`, as for all further arguments.
        learning_set: the same for all parts; a part is learned from those configurations that have it.
        settings: settings that differ from the preset.
        learner: the learner of every part.
        missing: see `splc.learning.learner.match`.
        seed: seed of cross-validation folds and bags.
        on_step: called after every step of a part.
        should_stop: asked after every step; true ends the learning of this part and of all further ones.
        provenance: recorded in the result.

    Raises:
        SpecError: for an unknown preset, setting, policy or observed variable.
        MeasurementError: for an unknown property.
        ConfigurationError: for an unknown variable of a part.
        LearningError: if nothing can be learned, or the values of a part contradict its variable.

    Examples:
        >>> both = splc.Measurements(measured.configurations, {name: measured["time"] for name in ("one", "other")})
        >>> parts = [splc.learning.Part("one"), splc.learning.Part("other")]
        >>> len(splc.learning.learn_sum(both, parts, "one").parts)
        2
    """
    if not parts:
        raise LearningError("there are no parts to learn", hint="name at least one property that is a part")
    name = measurements.resolve_property(nfp)
    rows, remarks = rows_of(measurements, learning_set, missing)
    notes, system = [*remarks], measurements.system
    counting = [_counting(measurements, part) for part in parts]
    binary = frozenset(option.name for option in system.binary_options)
    chosen = learner_of(learner, preset, settings)
    if chosen.settings.get("form") == "auto":
        # Products of factors cannot be added up.
        chosen = learner_of(chosen.name, chosen.preset, {**chosen.settings, "form": "sum"})
    if isinstance(chosen, ProjectionLearner):
        chosen = replace(chosen, stacks=False)
    results, summands, terms = list[LearningResult | None](), list[Summand](), list[LearnedTerm]()
    for part, counts in zip(parts, counting, strict=True):
        part_rows = rows[counts[rows]]
        if len(part_rows) == 0:
            notes.append(f"{part.nfp}: no configuration learned from has this part, it is missing from the sum")
            results.append(None)
            continue
        result = learn(
            measurements,
            part.nfp,
            learning_set=part_rows,
            learner=chosen,
            observed=part.observed,
            seed=seed,
            on_step=None if on_step is None else partial(on_step, part),
            should_stop=should_stop,
        )
        if not result.readable:
            hint = "choose a learner that gives terms, such as stepwise"
            raise LearningError(f"models of {result.learner} have no terms, and cannot be added up", hint=hint)
        if result.model.link != "identity":
            reason = f"the model of the part {part.nfp} is a product, which cannot be a summand"
            raise LearningError(reason, hint="learn sums: the setting form=sum, or --form sum")
        results.append(result)
        if isinstance(result.predictor, Ensemble):
            everywhere = counts.all() and part.where in system.observed
            summands.append(Summand(result.predictor, None if everywhere else part.where))
        notes += [f"{part.nfp}: {note}" for note in result.notes if not note.startswith((WITHOUT_VALUE, WHERE_ZERO))]
        terms += [term.times(_factor(measurements, part, counts, term), binary) for term in result.terms]
    learned = [result for result in results if result is not None]
    if not learned:
        raise LearningError("no configuration learned from has any of the parts")
    pairs = tuple(zip(parts, results, strict=True))
    merged = merged_terms(terms)
    derived = by_name(each for result in learned for each in result.model.derived)
    model = influence_model(merged, system, derived=derived.values())
    full_model = EnsembleSum(tuple(summands)) if summands else None
    stopped = any(result.termination == "interrupted" for result in learned)
    part_facts = [_part_facts(*pair) for pair in pairs]
    observed = [*dict.fromkeys(name for facts in part_facts for name in facts["observed"])]
    facts = {**({"observed": observed} if observed else {}), "parts": part_facts, **(provenance or {})}
    everything = measurements.configurations
    result = judged(
        LearningProblem(measurements, name, np.unique(rows), everything, seed=seed, provenance=facts),
        chosen,
        full_model or model,
        termination="interrupted" if stopped else "parts",
        seconds=sum(result.seconds for result in learned),
        terms=merged,
        notes=notes,
        expected=learned[0].expected if len(learned) == 1 else None,  # errors of parts do not add up
        intervals=full_model,
        printed=None if full_model is None else model,
    )
    return SumResult(replace(result, groups=learned[0].groups), pairs)


def _factor(measurements: Measurements, part: Part, counts: Array, term: LearnedTerm) -> Term:
    """Return the factor with which a term contributes nothing to configurations that do not have its part."""
    configurations, observed = measurements.configurations, set(measurements.system.observed)
    if part.where is None:
        return CONSTANT
    if part.where in observed and (
        counts.all() or any(np.isnan(configurations.column(name)[~counts]).all() for name in term.options & observed)
    ):
        # All measured configurations have the part, or the term has an observed variable that is missing in the others.
        return CONSTANT
    return option_term(configurations.system.term_names[part.where])


def _counting(measurements: Measurements, part: Part) -> Array:
    """Return which configurations have a part, shape (n,)."""
    is_measured = ~np.isnan(measurements.column(part.nfp))
    if part.where is None:
        if not is_measured.all():
            count_text = plural(int((~is_measured).sum()), "configuration", "configurations")
            hint = f"say where it counts, as {part.nfp}:VARIABLE with a variable that is 1 there"
            raise LearningError(f"{count_text} have no value of the part {part.nfp}", hint=hint)
        return is_measured
    values = measurements.configurations.column(part.where)
    if not (np.isnan(values) | (values == 0) | (values == 1)).all():
        raise LearningError(f"{part.where} cannot say where {part.nfp} counts: it has values other than 0 and 1")
    counts: Array = values == 1
    # A part that a configuration does not have takes no time: 0 is treated as no value.
    present = is_measured & (measurements.column(part.nfp) != 0)
    wrongs = ((present & ~counts, "a value", "does not count"), (counts & ~is_measured, "no value", "counts"))
    for is_wrong, value_text, says in wrongs:
        if is_wrong.any():
            count_text = plural(int(is_wrong.sum()), "configuration", "configurations")
            message = f"the part {part.nfp} has {value_text} in {count_text} where, by {part.where}, it {says}"
            raise LearningError(message)
    return counts


def _part_facts(part: Part, result: LearningResult | None) -> dict[str, Any]:
    facts: dict[str, Any] = {"nfp": part.nfp, "where": part.where, "observed": [], "learning_configurations": 0}
    if result is not None:
        names = "learning_configurations", "learning_error", "error", "termination"
        facts |= {"observed": list(result.provenance.get("observed", ()))} | {n: getattr(result, n) for n in names}
        facts["rounds"] = len(result.rounds)
    return facts
