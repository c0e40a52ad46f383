"""The learner's settings, by SPL Conqueror's names and with its program's defaults."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from splc.errors import Problem, SpecError, unknown_name_hint
from splc.io.toml import plain_text
from splc.models.basis.atom import function_names

# The presets that choose SPL Conqueror's algorithm where no learner is named.
SPLCONQUEROR, SPLCONQUEROR_2019 = "splconqueror", "splconqueror-2019"
# The setting that states the term of the first round.
FIRST = "first"
# The setting that states further functions.
FUNCTIONS = "functions"
_OWN = (FIRST, FUNCTIONS)
LOSSES = ("RELATIVE", "LEASTSQUARES", "ABSOLUTE")

# Settings of SPL Conqueror that are accepted and have no effect here, with the reason.
WITHOUT_EFFECT = {
    "parallelization": "candidates are scored together, not one task each",
    "outputRoundsToStdout": "the rounds are in the log and, with --verbose, on stderr",
    "debug": "it belongs to SPL Conqueror's python learners",
    "pythonInfluenceAnalysis": "it belongs to SPL Conqueror's python learners",
    "blacklisted": "it belongs to SPL Conqueror's numeric sampling; designs here vary every numeric option",
}
ALIASES = {"featuresizethreshold": "featureSizeTreshold", "learn_mirroredfunction": "learn_mirrowedFunction"}


@dataclass(frozen=True)
class Settings:
    """Settings of the stepwise learner.

    Attributes:
        lossFunction: what candidates are selected by: RELATIVE (mean relative error in percent), LEASTSQUARES (mean
            squared error) or ABSOLUTE (mean absolute error). Fitting is always ordinary least squares.
        epsilon: with considerEpsilonTube, a relative error of at most epsilon·100 percent (LEASTSQUARES: a squared
            error of at most epsilon; ABSOLUTE: an absolute one) counts as 0.
        considerEpsilonTube: see epsilon.
        bagging: learn baggingNumbers models on random parts of the learning set and average them.
        baggingNumbers: number of models.
        baggingTestDataFraction: percent of the learning set that each model draws from, with replacement.
        useBackward: after each round, remove terms whose removal raises the error by at most backwardErrorDelta.
        backwardErrorDelta: see useBackward; in units of the error.
        abortError: stop when the error is below it.
        limitFeatureSize: do not extend a term of featureSizeTreshold option occurrences.
        featureSizeTreshold: see limitFeatureSize and bruteForceCandidates.
        quadraticFunctionSupport: offer x^2 without x first.
        crossValidation: select candidates by their error on held-out folds of the learning set.
        crossValidation_k: number of folds.
        learn_logFunction: offer log10(x) of options whose values are all positive.
        learn_accumulatedLogFunction: offer log10(term) of the model's terms; needs learn_logFunction.
        learn_asymFunction: offer 1/x and term/x of options that are never 0, where the term has no binary option.
        learn_ratioFunction: offer term/x likewise.
        learn_mirrowedFunction: offer (max - x).
        learn_numeric_disabled: offer Disabledx of optional numeric options.
        numberOfRounds: stop after so many rounds.
        minImprovementPerRound: stop when the score of the round's best candidate is below it.
        withHierarchy: offer candidates of one option first; of one more whenever that brings too little.
        bruteForceCandidates: offer all products of up to featureSizeTreshold options that occur in the learning set.
        ignoreBadFeatures: leave the worse half of the candidates out for 3 rounds.
        stopOnLongRound: after round 30, stop when a round took more than an hour.
        candidateSizePenalty: divide a candidate's score by its number of distinct options.
        learnTimeLimit: stop after so many seconds (written HH:MM:SS); 0 is no limit.
        scoreMeasure: RELERROR, the only one.
        functions: further functions of numeric options that are offered, such as `sqrt`, separated by commas.
        first: the term of the first round, in SPL Conqueror's log grammar; empty is the best candidate. SPL Conqueror's
            program has no such setting: its version of 2018 takes an arbitrary one.
    """

    lossFunction: str = "RELATIVE"
    epsilon: float = 0.0
    considerEpsilonTube: bool = False
    bagging: bool = False
    baggingNumbers: int = 3
    baggingTestDataFraction: int = 50
    useBackward: bool = False
    backwardErrorDelta: float = 1.0
    abortError: float = 1.0
    limitFeatureSize: bool = False
    featureSizeTreshold: int = 4
    quadraticFunctionSupport: bool = True
    crossValidation: bool = False
    crossValidation_k: int = 5
    learn_logFunction: bool = False
    learn_accumulatedLogFunction: bool = False
    learn_asymFunction: bool = False
    learn_ratioFunction: bool = False
    learn_mirrowedFunction: bool = False
    learn_numeric_disabled: bool = True
    numberOfRounds: int = 70
    minImprovementPerRound: float = 0.1
    withHierarchy: bool = False
    bruteForceCandidates: bool = False
    ignoreBadFeatures: bool = False
    stopOnLongRound: bool = True
    candidateSizePenalty: bool = True
    learnTimeLimit: float = 0.0
    scoreMeasure: str = "RELERROR"
    functions: str = ""
    first: str = ""

    def changed(self, values: Mapping[str, Any]) -> Settings:
        """Return these settings with some changed.

        Args:
            values: name → value or its text; `-` and `_` are the same in names, case does not matter.

        Raises:
            SpecError: naming every unknown setting and every wrong value.
        """
        problems: list[Problem] = []
        fields = {spelling(field.name): field for field in dataclasses.fields(self)}
        changes: dict[str, Any] = {}
        for name, value in values.items():
            key = spelling(name)
            key = spelling(ALIASES.get(key, key))
            if key in {spelling(other) for other in WITHOUT_EFFECT}:
                continue
            if key not in fields:
                known = [field.name for field in fields.values()]
                problems.append(Problem(f"unknown setting {name!r}", hint=unknown_name_hint(name, known)))
                continue
            field = fields[key]
            try:
                changes[field.name] = converted(field.name, getattr(self, field.name), value)
            except ValueError as error:
                problems.append(Problem(f"setting {field.name}: {error}"))
        if problems:
            raise SpecError(problems)
        return dataclasses.replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """Return name → value, without those that SPL Conqueror's program has not, unless they are stated."""
        return {name: value for name, value in dataclasses.asdict(self).items() if name not in _OWN or value}


def spelling(name: str) -> str:
    """Return a setting's name in the form in which names are compared."""
    return name.strip().casefold().replace("-", "_")


def is_setting(name: str) -> bool:
    """Return whether a name is one of SPL Conqueror's settings, with or without effect here."""
    key = spelling(name)
    known = (*(field.name for field in dataclasses.fields(Settings)), *WITHOUT_EFFECT, *ALIASES)
    return key in {spelling(each) for each in known}


_MINIMA = {
    "baggingNumbers": 1,
    "baggingTestDataFraction": 1,
    "featureSizeTreshold": 1,
    "crossValidation_k": 2,
    "numberOfRounds": 1,
    "epsilon": 0,
    "abortError": 0,
    "learnTimeLimit": 0,
}


def converted(name: str, default: Any, value: Any) -> Any:
    """Return a value in the type of the setting's default."""
    text = plain_text(value).strip()
    if name == FIRST:
        return " ".join(text.split())
    if name == FUNCTIONS:
        return ",".join(function_names(text))
    if name in {"lossFunction", "scoreMeasure"}:
        allowed = LOSSES if name == "lossFunction" else ("RELERROR",)
        if text.upper() not in allowed:
            raise ValueError(f"{text!r} is not one of {', '.join(allowed)}")
        return text.upper()
    if isinstance(default, bool):
        if text.casefold() not in {"true", "false"}:
            raise ValueError(f"{text!r} is neither true nor false")
        return text.casefold() == "true"
    try:
        number = seconds(text) if name == "learnTimeLimit" else float(text)
        whole = int(number) == number
    except (ValueError, OverflowError):
        kind = "a duration HH:MM:SS" if name == "learnTimeLimit" else "a number"
        raise ValueError(f"{text!r} is not {kind}") from None
    if isinstance(default, int) and not whole:
        raise ValueError(f"{text!r} is not a whole number")
    if number < _MINIMA.get(name, float("-inf")):
        raise ValueError(f"{text} is less than {_MINIMA[name]}")
    if name == "baggingTestDataFraction" and number > 100:
        raise ValueError(f"{text} is more than 100 percent")
    return int(number) if isinstance(default, int) else number


def seconds(text: str) -> float:
    """Return the seconds of `HH:MM:SS`, `MM:SS` or a plain number of seconds."""
    total = 0.0
    for part in text.split(":"):
        total = total * 60 + float(part)
    return total


# The settings of the logs published with "Distance-Based Sampling of Software Configuration Spaces" (ICSE 2019).
OF_2019 = Settings(
    abortError=10.0,
    featureSizeTreshold=7,
    learn_logFunction=True,
    minImprovementPerRound=0.25,
    stopOnLongRound=False,
)
PRESETS: Mapping[str, Settings] = MappingProxyType(
    {SPLCONQUEROR: Settings(), SPLCONQUEROR_2019: OF_2019, "default": Settings()}
)


def preset(name: str) -> Settings:
    """Return a preset's settings."""
    if name not in PRESETS:
        raise SpecError(f"unknown preset {name!r}", hint=unknown_name_hint(name, list(PRESETS)))
    return PRESETS[name]


def without_effect(settings: Iterable[str]) -> tuple[str, ...]:
    """Return a note for each setting of SPL Conqueror that has no effect here."""
    reasons = {spelling(name): reason for name, reason in WITHOUT_EFFECT.items()}
    return tuple(
        f"the setting {name} has no effect: {reasons[spelling(name)]}" for name in settings if spelling(name) in reasons
    )
