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
    found = (name for each in STRATEGIES if each.kind == kind for name in (each.name, *each.aliases))
    return tuple(dict.fromkeys(found))


_DOMAIN = re.compile(r"\[([^\]]*)\]")


def sampling_of(kind: Kind, arguments: str, line: str = "") -> Sampling:
    """Return the sampling of a command `binary`, `numeric` or `hybrid`.

    Raises:
        SpecError: naming what is wrong.
    """
    # Brackets that are not closed would each be followed to the end.
    closed = arguments.rfind("]") + 1
    domains = _DOMAIN.findall(arguments, 0, closed)
    words, values = [], {}
    for word in (_DOMAIN.sub(" ", arguments[:closed]) + arguments[closed:]).split():
        name, colon, value = word.partition(":")
        if colon:
            values[name.casefold()] = value
        else:
            words.append(word)
    validation = [word for word in words if word.casefold() == VALIDATION]
    words = [word for word in words if word.casefold() != VALIDATION]
    if not words:
        raise SpecError(f"{kind} names no sampling strategy", hint=f"known are: {', '.join(names(kind))}")
    chosen = _strategy(kind, words[0], values)
    if words[1:]:
        raise SpecError(f"{chosen.name} has no argument {words[1]!r}", hint=_usage(chosen))
    stated = _truth(VALIDATION, values.pop(VALIDATION)) if VALIDATION in values else False
    only = {
        name: _truth(name, values[name.casefold()]) for name in (ONLY_BINARY, ONLY_NUMERIC) if name.casefold() in values
    }
    part: Kind = "binary" if only.get(ONLY_BINARY) else "numeric" if only.get(ONLY_NUMERIC) else kind
    options = tuple(name.strip() for domain in domains for name in domain.split(",") if name.strip())
    spec, file = _spec(chosen, values)
    spec += f"[{','.join(options)}]" if options else ""
    _check(chosen, part, spec)
    return Sampling(part, spec, bool(validation) or stated, options, file, line)


def _strategy(kind: Kind, name: str, values: dict[str, str]) -> Strategy:
    own = [each for each in STRATEGIES if each.kind == kind and name.casefold() in (each.name, *each.aliases)]
    if not own:
        raise SpecError(f"unknown {kind} sampling strategy {name!r}", hint=unknown_name_hint(name, names(kind)))
    flags = {each.flag for each in own if each.flag}
    given = {flag: _truth(flag, values.pop(flag)) for flag in flags if flag in values}
    return next(each for each in own if not each.flag or given.get(each.flag))


def _spec(chosen: Strategy, values: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the spec of a strategy with its arguments, and the file that it draws from."""
    known = {name.casefold(): key for key in chosen.keys for name in (key.name, *key.aliases)}
    given: dict[str, str] = {}
    problems = []
    for name, value in values.items():
        if name not in known:
            spelled = [key.name for key in chosen.keys]
            hint = unknown_name_hint(name, spelled) if spelled else _usage(chosen)
            problems.append(Problem(f"{chosen.name} has no argument {name!r}", hint=hint))
        else:
            given[known[name].name] = value
    positional: list[str] = []
    named: dict[str, str] = {}
    for key in chosen.keys:
        stated = given.get(key.name, key.default)
        if stated is None:
            problems.append(Problem(f"{chosen.name} needs {key.name}", hint=_usage(chosen)))
        elif key.name == FROM_FILE and stated:
            if set(stated) & set(",+[]="):
                hint = "rename the file, without , + = [ ]"
                problems.append(Problem(f"{FROM_FILE}: the name {stated!r} has signs of samplings", hint=hint))
            named[key.ours] = FILE
        elif stated and not key.ignored and key.ours:
            # Arguments of designs are in small letters: NONE, RandomSelection, Manhattan.
            named[key.ours] = stated.casefold().removesuffix("selection")
        elif stated and not key.ignored:
            positional.append(stated)
    if problems:
        raise SpecError(problems)
    if named.get(WEIGHTS) == "0":
        # No option is counted, which turns the optimization off.
        named.pop(OPTIMIZATION, None)
    if named.get(OPTIMIZATION, "none") == "none":
        named.pop(WEIGHTS, None)
    arguments = ",".join((*positional, *chosen.fixed, *(f"{name}={value}" for name, value in named.items())))
    return f"{chosen.design}:{arguments}" if arguments else chosen.design, given.get(FROM_FILE)


def _check(chosen: Strategy, part: Kind, spec: str) -> None:
    """Check the spec of a strategy."""
    probe = spec.replace(BINARY_OPTIONS, "1").replace(FILE, "file.csv")
    try:
        parse_strategy(part, probe)
    except SplcError as error:
        raise SpecError(Problem(f"{chosen.name}: {each.message}", hint=each.hint) for each in error.problems) from None


def parse_strategy(kind: Kind, spec: str) -> None:
    """Check a spec of a binary, numeric or hybrid sampling.

    Raises:
        SpecError: if it is wrong.
    """
    if kind == "hybrid":
        parse_spec(spec)
    else:
        parse_spec(**{kind: spec})


def _usage(chosen: Strategy) -> str:
    keys = " ".join(f"{key.name}:…" for key in chosen.keys)
    return f"write {chosen.kind} {chosen.name} {keys}".rstrip()


def _truth(name: str, text: str) -> bool:
    if text.casefold() not in ("true", "false"):
        raise SpecError(f"{name}: {text!r} is neither true nor false")
    return text.casefold() == "true"


def spec_of(samplings: Sequence[Sampling], system: VariabilityModel, file: str = "") -> str:
    """Return the spec of one hybrid, or of at most one binary and one numeric sampling.

    The part of a system that has no sampling is taken in full.

    Args:
        samplings: the samplings.
        system: the system.
        file: the path of the file that one of them draws from.
    """
    found = {each.kind: each.resolved(len(system.binary_options), file) for each in samplings}
    if "hybrid" in found:
        return found["hybrid"]
    if "binary" in found and "numeric" not in found and system.numeric_options:
        found["numeric"] = "ff"
    if "numeric" in found and "binary" not in found and system.binary_options:
        found["binary"] = "all"
    return "+".join(found[kind] for kind in ("binary", "numeric") if kind in found)
