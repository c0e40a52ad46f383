"""Read scripts of SPL Conqueror: commands, one per line; `#` begins a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from splc.errors import InputError, Problem, Problems, SpecError, SplcError, unknown_name_hint
from splc.formats.scripts.commands import TABLE, Script, ScriptCommand, Usage
from splc.formats.scripts.samplings import sampling_of
from splc.formats.scripts.strategies import STRATEGIES
from splc.io.files import Source
from splc.io.settings import setting_name
from splc.learning.baselines.scikit_names import estimator_of
from splc.learning.stepwise.settings import Settings

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
    for check in _checks(command):
        try:
            check()
        except SplcError as error:
            problems += error.problems
    if problems:
        raise SpecError(problems)


def _checks(command: ScriptCommand) -> Iterator[Any]:
    values = dict(command.values)
    if command.name == "mlsettings":
        yield lambda: Settings().changed(values)
    elif command.name == "select-all-measurements":
        yield lambda: truth(command.words[0])
    elif command.name == "all" and "check" in values:
        yield lambda: truth(values["check"])
    elif command.name == "learn-splconqueror-opt":
        if command.words and command.words[0].casefold() != RANDOMIZED:
            word = command.words[0]
            yield lambda: _refuse(f"unknown argument {word!r}", hint=unknown_name_hint(word, [RANDOMIZED]))
        if not command.lists:
            yield lambda: _refuse("there are no settings to choose from", hint="write NAME=[VALUE,VALUE]")
        for name, choices in command.lists.items():
            for value in choices:
                yield lambda name=name, value=value: Settings().changed({name: value})
        yield from _search_checks(values)
    elif command.name == "learn-python":
        final = next((name for name in values if name.casefold() == FINAL_PREDICTIONS.casefold()), None)
        if final is not None:
            text = values.pop(final)
            yield lambda: truth(text)
        yield lambda: estimator_of(command.words[0], values)
    elif command.name == "learn-python-opt":
        yield lambda: estimator_of(command.words[0], {})
        for name, choices in command.lists.items():
            for value in choices:
                yield lambda name=name, value=value: estimator_of(command.words[0], {name: value})
        yield from _search_checks(values)


def _search_checks(values: Mapping[str, str]) -> Iterator[Any]:
    if "performWithOptimal" in values:
        yield lambda: truth(values["performWithOptimal"])
    for name, minimum in (("samples", 1), ("seed", 0)):
        if name in values:
            yield lambda name=name, minimum=minimum: whole_number(name, values[name], minimum)


def _refuse(message: str, hint: str) -> None:
    raise SpecError(message, hint=hint)


def whole_number(name: str, text: str, least: int) -> int:
    """Return a text as a whole number."""
    if not (text.isascii() and text.isdigit()) or int(text) < least:
        raise SpecError(f"{name} must be a whole number of at least {least}, not {text!r}")
    return int(text)


def truth(text: str) -> bool:
    """Return `true` or `false` as a truth value."""
    if text.casefold() not in ("true", "false"):
        raise SpecError(f"{text!r} is neither true nor false")
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
