"""The strategies of the sampling commands that logs echo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

# Parameters that are amounts, seeds or files, and do not change the strategy.
AMOUNTS = frozenset(
    ("numconfigs", "samplesize", "seed", "fromfile", "t", "measurements", "level", "k", "precision", "n")
)
_KINDS = frozenset(("binary", "numeric", "hybrid"))
OURS = "splc sampling:"
# Values that mean the same as no parameter.
_NOTHING = ("none", "false")


def strategies_of(samplings: Iterable[Sequence[str]]) -> dict[tuple[str, ...], str]:
    """Return sampling commands → the name of their strategy.

    The name has the parameters in which commands of the same name differ, apart from amounts, seeds and files:
    `distribution-aware` and `distribution-aware optimization:local`.
    """
    keys = list(dict.fromkeys(tuple(sampling) for sampling in samplings))
    parsed = {command: _parsed(command) for key in keys for command in key}
    variants: dict[str, list[Mapping[str, str]]] = {}
    for name, parameters in parsed.values():
        if parameters not in variants.setdefault(name, []):
            variants[name].append(parameters)
    differing = {
        name: {
            key
            for parameter_set in sets
            for key in parameter_set
            if len({other_set.get(key) for other_set in sets}) > 1
        }
        for name, sets in variants.items()
    }
    titles = {
        command: " ".join((name, *(f"{key}:{value}" for key, value in parameters.items() if key in differing[name])))
        for command, (name, parameters) in parsed.items()
    }
    return {key: " + ".join(titles[command] for command in key) for key in keys}


def _parsed(command: str) -> tuple[str, Mapping[str, str]]:
    """Return the name of a sampling command, and its parameters but for amounts."""
    if command.casefold().startswith(OURS):
        spec = command[len(OURS) :].strip()
        return "+".join(part.partition(":")[0] for part in spec.split("+")), {}
    words = command.split()
    if len(words) > 1 and words[0].casefold() in _KINDS:
        words = words[1:]
    parameters: dict[str, str] = {}
    for word in words[1:]:
        key, colon, value = word.partition(":")
        if key.casefold() not in AMOUNTS and value.casefold() not in _NOTHING:
            parameters[key] = value if colon else "true"
    return words[0].casefold(), parameters
