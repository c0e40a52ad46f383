"""The law of every command: documented exit codes, no traceback, no warning, limits of time and memory, whole files."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

from tests.fuzz.commands.child import SECONDS, Outcome
from tests.support.schemas import schema_errors

MEGABYTES = 1536
CODES = (0, 1, 2, 130)
# Those that did what was asked, 1 with a negative answer.
ACCEPTED = (0, 1)
# Commands whose finished work is kept when they end with an error; `describe` prints what does not need measurements.
KEEPING = ("describe", "measure", "run", "study")
_WARNING = re.compile(rb"^\S.*:\d+: (\w*Warning): .*", re.MULTILINE)
_TRACEBACK = re.compile(rb"^Traceback \(most recent call last\)|^Exception ignored in", re.MULTILINE)
_TEMPORARY = re.compile(r"(^|/)\.[0-9a-f]{16}\.tmp$")

Files = Mapping[str, bytes]


def violations(
    arguments: Sequence[str], outcome: Outcome, before: Files, after: Files, temporary: Sequence[str]
) -> list[str]:
    """Return how a command broke the law: the name and arguments, the files of its folder, and temporary ones left."""
    found = []
    if outcome.hung:
        found.append("it does not end")
    elif outcome.seconds > SECONDS:
        found.append(f"more than {SECONDS} s of CPU")
    elif outcome.code not in CODES:
        found.append(f"exit code {outcome.code}")
    if outcome.megabytes > MEGABYTES or b"there is not enough memory" in outcome.stderr:
        found.append(f"{outcome.megabytes} MB of memory")
    if _TRACEBACK.search(outcome.stderr):
        found.append("a traceback")
    if warned := _WARNING.search(outcome.stderr):
        found.append(f"a warning of Python: {warned[0].decode(errors='replace')}")
    if outcome.code == 2 and not outcome.stderr.strip():
        found.append("exit code 2 without a message")
    if outcome.code == 2 and outcome.stdout and arguments[0] not in KEEPING:
        found.append("exit code 2 with a result")
    if "--json" in arguments and outcome.code in ACCEPTED:
        found += _not_an_object(outcome.stdout)
    if strays := [*temporary, *(name for name in after if _TEMPORARY.search(name) and name not in before)]:
        found.append(f"temporary files: {', '.join(strays)}")
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    if outcome.code == 2 and changed and arguments[0] not in KEEPING:
        found.append(f"exit code 2 after writing {', '.join(changed)}")
    # `splc convert --to` writes any format into any file.
    known = "--to" not in arguments
    return found + [
        f"{name} is not whole" for name in changed if name in after and known and not _whole(name, after[name])
    ]


def _not_an_object(text: bytes) -> list[str]:
    """Return what is wrong with the JSON object that a command printed."""
    try:
        json.loads(text, parse_constant=_refused)
    except ValueError as error:
        return [f"the output of --json is not one JSON object: {error}"]
    try:
        errors = schema_errors(text.decode())
    except UnicodeDecodeError as error:
        return [f"the output of --json is not UTF-8: {error}"]
    return [f"the object of --json is not valid by its schema: {errors[0]}"] if errors else []


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _whole(name: str, content: bytes) -> bool:
    """Return whether a file that was written is complete, as far as its format tells."""
    text = content.rstrip()
    if name.endswith(".json"):
        try:
            json.loads(text, parse_constant=_refused)
        except ValueError:
            return False
    ends = {".xml": b">", ".svg": b"</svg>", ".pdf": b"%%EOF", ".png": b"IEND\xaeB`\x82"}
    suffix = next((each for each in ends if name.endswith(each)), None)
    # SPL Conqueror's programs write a log of errors, which is empty without any.
    return (bool(text) or name.endswith("_error")) and (suffix is None or text.endswith(ends[suffix]))
