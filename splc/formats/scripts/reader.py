"""Read scripts of SPL Conqueror: commands, one per line, and the samplings that they ask for; `#` begins a comment."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sampling import parse_spec
from splc.errors import InputError, Problem, Problems, SpecError, SplcError, unknown_name_hint
from splc.formats.scripts.commands import (
    BINARY_OPTIONS,
    FILE,
    FROM_FILE,
    ONLY_BINARY,
    ONLY_NUMERIC,
    OPTIMIZATION,
    STRATEGIES,
    TABLE,
    VALIDATION,
    WEIGHTS,
    Kind,
    Sampling,
    Script,
    ScriptCommand,
    Strategy,
    Usage,
)
from splc.io.files import Source
from splc.io.settings import setting_name
from splc.learning.baselines.scikit_names import estimator_of
from splc.learning.stepwise.settings import Settings
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
    is_validation = truth(values.pop(VALIDATION), VALIDATION) if VALIDATION in values else False
    binary, numeric = (truth(values.get(name.casefold(), "false"), name) for name in (ONLY_BINARY, ONLY_NUMERIC))
    restricted_kind: Kind = "binary" if binary else "numeric" if numeric else kind
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
    flag_values = {flag: truth(values.pop(flag), flag) for flag in flags if flag in values}
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
        # A random part alone would draw whole configurations.
        parse_spec({"binary": f"{probe}+ff", "numeric": f"all+{probe}", "hybrid": probe}[kind])
    except SplcError as error:
        raise SpecError(
            Problem(f"{strategy.name}: {problem.message}", hint=problem.hint) for problem in error.problems
        ) from None


def _usage(strategy: Strategy) -> str:
    keys = " ".join(f"{key.name}:…" for key in strategy.keys)
    return f"write {strategy.kind} {strategy.name} {keys}".rstrip()


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


# Older spellings: the strategies themselves were commands, and numeric ones followed `expdesign`.
_STRATEGIES = {name: strategy.kind for strategy in reversed(STRATEGIES) for name in (strategy.name, *strategy.aliases)}
_DESIGN = "expdesign"
_KEY = re.compile(r"([\w-]+):(\S*)")
_LIST = re.compile(r"(?<![\w-])([\w-]++)\s*+[=:]\s*\[([^\]]*)\]")
RANDOMIZED = "randomized"
FINAL_PREDICTIONS = "writeFinalPredictionResults"


def parse_script(source: Source) -> Script:
    """Return the commands of a script; their arguments are checked, the files that they name are not."""
    script, problems = parse_lines(source)
    if problems:
        raise InputError(problems)
    return script


def parse_lines(source: Source) -> tuple[Script, tuple[Problem, ...]]:
    """Return the commands of a script that can be read, and what is wrong in the other lines."""
    problems: list[Problem] = []
    commands = []
    for number, raw in enumerate(source.text().splitlines(), 1):
        text = raw.partition("#")[0].strip()
        if not text:
            continue
        try:
            commands.append(_command(text, number))
        except SplcError as error:
            line_problems = (
                Problem(problem.message, source.name, number, None, text, problem.hint) for problem in error.problems
            )
            problems += dict.fromkeys(line_problems)
    return Script(source.name, tuple(commands), source.sha256), tuple(problems)


def _command(text: str, line: int) -> ScriptCommand:
    first, *argument_texts = text.split(maxsplit=1)
    name, arguments = first.casefold(), argument_texts[0].strip() if argument_texts else ""
    if name not in TABLE and (name in _STRATEGIES or name == _DESIGN):
        kind = "numeric" if name == _DESIGN else _STRATEGIES[name]
        arguments = arguments if name == _DESIGN else f"{name} {arguments}"
        name = kind
    if name not in TABLE:
        raise SpecError(f"unknown command {first!r}", hint=unknown_name_hint(name, list(TABLE)))
    usage = TABLE[name]
    parts = _arguments(usage, arguments, text)
    words = parts.get("words", ())
    if len(words) < usage.least or (usage.most is not None and len(words) > usage.most):
        raise SpecError(f"wrong arguments of {usage.name}", hint=f"write {usage.name} {usage.arguments}".rstrip())
    command = ScriptCommand(usage.name, text, line, **parts)
    _check_values(command)
    return command


def _arguments(usage: Usage, text: str, line: str) -> dict[str, Any]:
    """Return the arguments of a command, by the fields of `ScriptCommand`."""
    match usage.form:
        case "sampling":
            return {"sampling": sampling_of(usage.name, text, line)}  # type: ignore[arg-type]
        case "nothing" | "words":
            return {"words": tuple(text.split())}
        case "file":
            values = {}
            while usage.keys and (match := _KEY.match(text)) and match[1].casefold() in usage.keys:
                values[match[1].casefold()] = match[2]
                text = text[match.end() :].strip()
            return {"words": (text,) if text else (), "values": values}
        case "pairs":
            return _pairs(text.split())
        case "lists":
            # Brackets that are not closed would each be followed to the end.
            end_of_lists = text.rfind("]") + 1
            matches = _LIST.findall(text, 0, end_of_lists)
            lists = {name: tuple(item.strip() for item in items.split(",")) for name, items in matches}
            pairs = _pairs((_LIST.sub(" ", text[:end_of_lists]) + text[end_of_lists:]).split())
            key_names = {name.casefold(): name for name in usage.keys or ()}
            for name in pairs["values"]:
                if name.casefold() not in key_names:
                    raise SpecError(
                        f"unknown argument {name!r}", hint=unknown_name_hint(name, list(key_names.values()))
                    )
            values = {key_names[name.casefold()]: value for name, value in pairs["values"].items()}
            return {"words": pairs["words"], "values": values, "lists": lists}


def _pairs(words: list[str]) -> dict[str, Any]:
    plain_words = tuple(word for word in words if ":" not in word)
    return {"words": plain_words, "values": dict(word.split(":", 1) for word in words if ":" in word)}


def _check_values(command: ScriptCommand) -> None:
    """Check the values of a command."""
    problems: list[Problem] = []
    values = dict(command.values)
    choices = [{name: value} for name, listed in command.lists.items() for value in listed]

    def check(function: Callable[..., Any], *arguments: Any) -> None:
        try:
            function(*arguments)
        except SplcError as error:
            problems.extend(error.problems)

    if command.name == "mlsettings":
        check(Settings().changed, values)
    elif command.name == "select-all-measurements":
        check(truth, command.words[0])
    elif command.name == "all" and "check" in values:
        check(truth, values["check"])
    elif command.name == "learn-splconqueror-opt":
        for word in command.words[:1]:
            if word.casefold() != RANDOMIZED:
                hint = unknown_name_hint(word, [RANDOMIZED])
                problems.append(Problem(f"unknown argument {word!r}", hint=hint))
        if not choices:
            problems.append(Problem("there are no settings to choose from", hint="write NAME=[VALUE,VALUE]"))
        for choice in choices:
            check(Settings().changed, choice)
    elif command.name == "learn-python":
        final = next((name for name in values if name.casefold() == FINAL_PREDICTIONS.casefold()), None)
        if final is not None:
            check(truth, values.pop(final))
        check(estimator_of, command.words[0], values)
    elif command.name == "learn-python-opt":
        for choice in ({}, *choices):
            check(estimator_of, command.words[0], choice)
    if command.usage.form == "lists":
        if "performWithOptimal" in values:
            check(truth, values["performWithOptimal"])
        for name, least in (("samples", 1), ("seed", 0)):
            if name in values:
                check(whole_number, name, values[name], least)
    if problems:
        raise SpecError(problems)


def whole_number(name: str, text: str, least: int) -> int:
    """Return a text as a whole number."""
    if not (text.isascii() and text.isdigit()) or int(text) < least:
        raise SpecError(f"{name} must be a whole number of at least {least}, not {text!r}")
    return int(text)


def truth(text: str, name: str = "") -> bool:
    """Return `true` or `false` as a truth value; `name`: that of the argument, for messages."""
    if text.casefold() not in ("true", "false"):
        raise SpecError(f"{name + ': ' if name else ''}{text!r} is neither true nor false")
    return text.casefold() == "true"


def settings_of(source: Source) -> dict[str, str]:
    """Return the settings of a file of `name value` (or `name:value`) lines."""
    problems = Problems(source.name)
    settings: dict[str, str] = {}
    for number, raw in enumerate(source.text().splitlines(), 1):
        line = raw.partition("#")[0].strip()
        if not line:
            continue
        name, *value_texts = re.split(r"[\s:]+", line, maxsplit=1)
        value = value_texts[0] if value_texts else ""
        try:
            Settings().changed({name: value})
        except SpecError as error:
            for problem in error.problems:
                problems.add(problem.message, number, text=line, hint=problem.hint)
            continue
        settings[setting_name(name)] = value
    problems.raise_if_any(InputError)
    return settings
