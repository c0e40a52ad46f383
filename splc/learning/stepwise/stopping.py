"""The rules that end learning, in SPL Conqueror's order."""

from __future__ import annotations

from splc.learning.stepwise.settings import Settings

MAX_LEVEL = 10

# Reasons in words; names in braces are settings, `unit` is the unit of the selection error.
REASONS = {
    "numberOfRounds": "after {numberOfRounds} rounds (numberOfRounds)",
    "learnTimeLimit": "the time limit was reached (learnTimeLimit)",
    "stopOnLongRound": "a round took more than an hour (stopOnLongRound)",
    "abortError": "the error fell below {abortError:g} {unit} (abortError)",
    "minImprovementPerRound": "the last score was below {minImprovementPerRound:g} (minImprovementPerRound)",
    "noCandidate": "no further term lowers the error",
    "interrupted": "interrupted",
    "parts": "the models of the parts were added up",
    "bagging": "{baggingNumbers} models were averaged (bagging)",
}


def stop_reason(
    settings: Settings, number: int, error: float, score: float, exact: float, elapsed: float, took: float, level: int
) -> str | None:
    """Return the rule that ends learning after a round, or None.

    `exact`: the largest error that is only a rounding error. `elapsed`: seconds since learning began. `took`: seconds
    of this round.
    """
    if number >= settings.numberOfRounds:
        return "numberOfRounds"
    if settings.learnTimeLimit and elapsed > settings.learnTimeLimit:
        return "learnTimeLimit"
    if settings.stopOnLongRound and number > 30 and took > 3600:
        return "stopOnLongRound"
    if error <= exact or error < settings.abortError:
        return "abortError"
    if score < settings.minImprovementPerRound and not (settings.withHierarchy and level < MAX_LEVEL):
        return "minImprovementPerRound"
    return None
