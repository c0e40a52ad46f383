"""The learner's settings, by SPL Conqueror's names and with its program's defaults."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

from splc.errors import SpecError, unknown_name_hint
from splc.io.settings import Setting, setting_name, settings_in, stated_values

# The presets that select SPL Conqueror's algorithm if no learner is named.
SPLCONQUEROR, SPLCONQUEROR_2019 = "splconqueror", "splconqueror-2019"
# The settings that state the term of the first round, and further functions.
FIRST, FUNCTIONS = "first", "functions"
_OWN = (FIRST, FUNCTIONS, "leastValue")
LOSSES = ("RELATIVE", "LEASTSQUARES", "ABSOLUTE")

# Settings of SPL Conqueror that are accepted and have no effect here, with the reason.
WITHOUT_EFFECT = {
    "parallelization": "candidates are scored together, not one task each",
    "outputRoundsToStdout": "the rounds are in the log and, with --verbose, on stderr",
    "debug": "it belongs to SPL Conqueror's python learners",
    "pythonInfluenceAnalysis": "it belongs to SPL Conqueror's python learners",
    "blacklisted": "it belongs to SPL Conqueror's numeric sampling; designs here vary every numeric option",
}
_IGNORED = {setting_name(name): reason for name, reason in WITHOUT_EFFECT.items()}
ALIASES = {"featuresizethreshold": "featureSizeTreshold", "learn_mirroredfunction": "learn_mirrowedFunction"}


def seconds(text: str) -> float:
    """Return the seconds of `HH:MM:SS`, `MM:SS` or a plain number of seconds."""
    total = 0.0
    try:
        for part in text.split(":"):
            total = total * 60 + float(part)
    except ValueError:
        total = math.nan
    if not math.isfinite(total):
        raise ValueError(f"{text!r} is not a duration HH:MM:SS")
    return total


def one_line(text: str) -> str:
    """Return a text with single spaces between its words."""
    return " ".join(text.split())


def stated_functions(text: str) -> str:
    """Return the names of functions in a text, with commas between them."""
    from splc.models.basis.atom import function_names

    return ",".join(function_names(text))


@dataclass(frozen=True)
class Settings:
    """Settings of the stepwise learner, with SPL Conqueror's names.

    Fitting is always ordinary least squares. SPL Conqueror's program has no settings `first` and `leastValue`: its
    version of 2018 takes an arbitrary first term, and leaves values below 1 out of the error.
    """

    lossFunction: Annotated[
        str,
        Setting(
            "the error that selects candidates: `RELATIVE` (mean relative error in percent), "
            "`LEASTSQUARES` or `ABSOLUTE`; influences are always fitted by least squares",
            choices=LOSSES,
        ),
    ] = "RELATIVE"
    epsilon: Annotated[float, Setting("with `considerEpsilonTube`: errors up to this value count as 0", least=0)] = 0.0
    considerEpsilonTube: Annotated[bool, Setting("see `epsilon`")] = False
    bagging: Annotated[bool, Setting("average models of random parts of the learning set")] = False
    baggingNumbers: Annotated[int, Setting("number of these models", least=1)] = 3
    baggingTestDataFraction: Annotated[
        int, Setting("percent of the learning set that each of them draws from, with replacement", least=1, most=100)
    ] = 50
    useBackward: Annotated[
        bool, Setting("remove terms after a round if the error rises by at most `backwardErrorDelta`")
    ] = False
    backwardErrorDelta: Annotated[float, Setting("see `useBackward`; in units of the error")] = 1.0
    abortError: Annotated[float, Setting("stop when the error is below it", least=0)] = 1.0
    limitFeatureSize: Annotated[bool, Setting("do not extend terms of `featureSizeTreshold` option occurrences")] = (
        False
    )
    featureSizeTreshold: Annotated[int, Setting("see `limitFeatureSize` and `bruteForceCandidates`", least=1)] = 4
    quadraticFunctionSupport: Annotated[bool, Setting("offer `x^2` without `x` first")] = True
    crossValidation: Annotated[bool, Setting("select candidates by their error on held-out folds")] = False
    crossValidation_k: Annotated[int, Setting("number of folds", least=2)] = 5
    learn_logFunction: Annotated[bool, Setting("offer `log10(x)` where all values are positive")] = False
    learn_accumulatedLogFunction: Annotated[bool, Setting("offer `log10(term)`; needs `learn_logFunction`")] = False
    learn_asymFunction: Annotated[
        bool, Setting("offer `1/x` and `term/x` where no value is 0 and the term has no binary option")
    ] = False
    learn_ratioFunction: Annotated[bool, Setting("offer `term/x` likewise")] = False
    learn_mirrowedFunction: Annotated[bool, Setting("offer `max - x`")] = False
    learn_numeric_disabled: Annotated[bool, Setting("offer `Disabledx` of optional numeric options")] = True
    numberOfRounds: Annotated[int, Setting("stop after this number of rounds", least=1)] = 70
    minImprovementPerRound: Annotated[float, Setting("stop when the best score of a round is below it")] = 0.1
    withHierarchy: Annotated[
        bool, Setting("offer single options first, products of one more option when that brings too little")
    ] = False
    bruteForceCandidates: Annotated[
        bool, Setting("offer all products of up to `featureSizeTreshold` options that occur")
    ] = False
    ignoreBadFeatures: Annotated[bool, Setting("leave out the worse half of the candidates for 3 rounds")] = False
    stopOnLongRound: Annotated[bool, Setting("stop after round 30 when a round took more than an hour")] = True
    candidateSizePenalty: Annotated[bool, Setting("divide a score by the number of distinct options")] = True
    learnTimeLimit: Annotated[
        float, Setting("stop after this time (`HH:MM:SS`); 0 is no limit", least=0, parse=seconds, shown="`00:00:00`")
    ] = 0.0
    scoreMeasure: Annotated[str, Setting("the only value", choices=("RELERROR",))] = "RELERROR"
    functions: Annotated[
        str,
        Setting(
            "[functions of one argument](../explanation/comparison.md#an-analytical-model), such as `sqrt,exp`, to "
            "offer besides the above; each counts as an option of its own",
            parse=stated_functions,
        ),
    ] = ""
    leastValue: Annotated[
        float, Setting("leave smaller values out of the error that selects candidates; 0: only the value 0", least=0)
    ] = 0.0
    first: Annotated[
        str, Setting("the term of the first round (`--first`); empty: the best candidate", parse=one_line)
    ] = ""

    def changed(self, values: Mapping[str, Any]) -> Settings:
        """Return these settings with some changed: name → value or its text, in any case, with `-` or `_`."""
        resolved = {ALIASES.get(setting_name(name), name): value for name, value in values.items()}
        effective = {name: value for name, value in resolved.items() if setting_name(name) not in _IGNORED}
        return replace(self, **stated_values(settings_in(Settings), effective))

    def as_dict(self) -> dict[str, Any]:
        """Return name → value, without those that SPL Conqueror's program has not, unless they are stated."""
        return {name: value for name, value in asdict(self).items() if name not in _OWN or value}


def is_setting(name: str) -> bool:
    """Return whether a name is one of SPL Conqueror's settings, with or without effect here."""
    return setting_name(name) in {*map(setting_name, (*settings_in(Settings), *ALIASES)), *_IGNORED}


# The settings of the logs published with "Distance-Based Sampling of Software Configuration Spaces" (ICSE 2019).
OF_2019 = Settings(
    abortError=10.0,
    featureSizeTreshold=7,
    learn_logFunction=True,
    leastValue=1.0,
    minImprovementPerRound=0.25,
    stopOnLongRound=False,
)
PRESETS: Mapping[str, Settings] = {SPLCONQUEROR: Settings(), SPLCONQUEROR_2019: OF_2019, "default": Settings()}


def preset(name: str) -> Settings:
    """Return a preset's settings."""
    if name not in PRESETS:
        raise SpecError(f"unknown preset {name!r}", hint=unknown_name_hint(name, list(PRESETS)))
    return PRESETS[name]


def without_effect(settings: Iterable[str]) -> tuple[str, ...]:
    """Return a note for each setting of SPL Conqueror that has no effect here."""
    pairs = ((name, _IGNORED.get(setting_name(name))) for name in settings)
    return tuple(f"the setting {name} has no effect: {reason}" for name, reason in pairs if reason)
