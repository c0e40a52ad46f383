"""The samplings that scripts ask for: arguments of `binary`, `numeric` and `hybrid`, checked and as specs."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sampling import parse_spec
from splc.errors import Problem, SpecError, SplcError, unknown_name_hint
from splc.formats.scripts.strategies import (
    BINARY_OPTIONS,
    FILE,
    FROM_FILE,
    ONLY_BINARY,
    ONLY_NUMERIC,
    OPTIMIZATION,
    STRATEGIES,
    VALIDATION,
    WEIGHTS,
    Kind,
    Sampling,
    Strategy,
)
from splc.system.variability import VariabilityModel


def names(kind: Kind) -> tuple[str, ...]:
    """Return the names of the strategies of a command, with the older ones."""
    spellings = (
        name for strategy in STRATEGIES if strategy.kind == kind for name in (strategy.name, *strategy.aliases)
    )
    return tuple(dict.fromkeys(spellings))


_DOMAIN = re.compile(r"\[([^\]]*)\]")


def sampling_of(kind: Kind, arguments: str, line: str = "") -> Sampling:
    """Return the sampling of a command `binary`, `numeric` or `hybrid`."""
    # Brackets that are not closed would each be followed to the end.
    end_of_domains = arguments.rfind("]") + 1
    domains = _DOMAIN.findall(arguments, 0, end_of_domains)
    words, values = [], {}
    for word in (_DOMAIN.sub(" ", arguments[:end_of_domains]) + arguments[end_of_domains:]).split():
        name, colon, value = word.partition(":")
        if colon:
            values[name.casefold()] = value
        else:
            words.append(word)
    validation = [word for word in words if word.casefold() == VALIDATION]
    words = [word for word in words if word.casefold() != VALIDATION]
    if not words:
        raise SpecError(f"{kind} names no sampling strategy", hint=f"known are: {', '.join(names(kind))}")
    strategy = _strategy(kind, words[0], values)
    if words[1:]:
        raise SpecError(f"{strategy.name} has no argument {words[1]!r}", hint=_usage(strategy))
    is_validation = _truth(VALIDATION, values.pop(VALIDATION)) if VALIDATION in values else False
    only = {
        name: _truth(name, values[name.casefold()]) for name in (ONLY_BINARY, ONLY_NUMERIC) if name.casefold() in values
    }
    restricted_kind: Kind = "binary" if only.get(ONLY_BINARY) else "numeric" if only.get(ONLY_NUMERIC) else kind
    options = tuple(name.strip() for domain in domains for name in domain.split(",") if name.strip())
    spec, file = _spec(strategy, values)
    spec += f"[{','.join(options)}]" if options else ""
    _check(strategy, restricted_kind, spec)
    return Sampling(restricted_kind, spec, bool(validation) or is_validation, options, file, line)


def _strategy(kind: Kind, name: str, values: dict[str, str]) -> Strategy:
    candidates = [
        strategy
        for strategy in STRATEGIES
        if strategy.kind == kind and name.casefold() in (strategy.name, *strategy.aliases)
    ]
    if not candidates:
        raise SpecError(f"unknown {kind} sampling strategy {name!r}", hint=unknown_name_hint(name, names(kind)))
    flags = {strategy.flag for strategy in candidates if strategy.flag}
    flag_values = {flag: _truth(flag, values.pop(flag)) for flag in flags if flag in values}
    return next(strategy for strategy in candidates if not strategy.flag or flag_values.get(strategy.flag))


def _spec(strategy: Strategy, values: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the spec of a strategy with its arguments, and the file that it draws from."""
    keys_by_name = {name.casefold(): key for key in strategy.keys for name in (key.name, *key.aliases)}
    values_by_key: dict[str, str] = {}
    problems = []
    for name, value in values.items():
        if name not in keys_by_name:
            spelled = [key.name for key in strategy.keys]
            hint = unknown_name_hint(name, spelled) if spelled else _usage(strategy)
            problems.append(Problem(f"{strategy.name} has no argument {name!r}", hint=hint))
        else:
            values_by_key[keys_by_name[name].name] = value
    positional: list[str] = []
    keywords: dict[str, str] = {}
    for key in strategy.keys:
        argument = values_by_key.get(key.name, key.default)
        if argument is None:
            problems.append(Problem(f"{strategy.name} needs {key.name}", hint=_usage(strategy)))
        elif key.name == FROM_FILE and argument:
            if set(argument) & set(",+[]="):
                hint = "rename the file, without , + = [ ]"
                problems.append(Problem(f"{FROM_FILE}: the name {argument!r} has signs of samplings", hint=hint))
            keywords[key.ours] = FILE
        elif argument and not key.ignored and key.ours:
            # Arguments of designs are in small letters: NONE, RandomSelection, Manhattan.
            keywords[key.ours] = argument.casefold().removesuffix("selection")
        elif argument and not key.ignored:
            positional.append(argument)
    if problems:
        raise SpecError(problems)
    if keywords.get(WEIGHTS) == "0":
        # No option is counted, which turns the optimization off.
        keywords.pop(OPTIMIZATION, None)
    if keywords.get(OPTIMIZATION, "none") == "none":
        keywords.pop(WEIGHTS, None)
    arguments = ",".join((*positional, *strategy.fixed, *(f"{name}={value}" for name, value in keywords.items())))
    return f"{strategy.design}:{arguments}" if arguments else strategy.design, values_by_key.get(FROM_FILE)


def _check(strategy: Strategy, kind: Kind, spec: str) -> None:
    """Check the spec of a strategy."""
    probe = spec.replace(BINARY_OPTIONS, "1").replace(FILE, "file.csv")
    try:
        parse_strategy(kind, probe)
    except SplcError as error:
        raise SpecError(
            Problem(f"{strategy.name}: {problem.message}", hint=problem.hint) for problem in error.problems
        ) from None


def parse_strategy(kind: Kind, spec: str) -> None:
    """Check a spec of a binary, numeric or hybrid sampling."""
    # A random part alone would draw whole configurations.
    parse_spec({"binary": f"{spec}+ff", "numeric": f"all+{spec}", "hybrid": spec}[kind])


def _usage(strategy: Strategy) -> str:
    keys = " ".join(f"{key.name}:…" for key in strategy.keys)
    return f"write {strategy.kind} {strategy.name} {keys}".rstrip()


def _truth(name: str, text: str) -> bool:
    if text.casefold() not in ("true", "false"):
        raise SpecError(f"{name}: {text!r} is neither true nor false")
    return text.casefold() == "true"


def spec_of(samplings: Sequence[Sampling], system: VariabilityModel, file: str = "") -> str:
    """Return the spec of one hybrid, or of at most one binary and one numeric sampling.

    The part of a system that has no sampling is taken in full.
    """
    specs = {sampling.kind: sampling.resolved(len(system.binary_options), file) for sampling in samplings}
    if "hybrid" in specs:
        return specs["hybrid"]
    if "binary" in specs and "numeric" not in specs and system.numeric_options:
        specs["numeric"] = "ff"
    if "numeric" in specs and "binary" not in specs and system.binary_options:
        specs["binary"] = "all"
    return "+".join(specs[kind] for kind in ("binary", "numeric") if kind in specs)
