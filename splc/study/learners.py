"""The learners of a study file: tables `[learners.NAME]` of settings, observed variables and parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from splc.errors import Problems, SpecError, SplcError
from splc.io.toml import line_of, plain_text, toml_value
from splc.learning.registry import BASELINES, DEFAULT, LEARNERS, learner_name, learner_of
from splc.project.keys import FileKey
from splc.study.specification import StudyLearner

# Keys of a learner's table besides the settings.
LEARNER, PRESET, OBSERVED, SUM = "learner", "preset", "observed", "sum"
_NAMES = ", ".join(f"`{name}`" for name in LEARNERS if name not in BASELINES)
_BASELINES = ", ".join(f"`{name}`" for name in BASELINES)
KEYS: Mapping[str, FileKey] = {
    LEARNER: FileKey(
        f"the learner (SPL Conqueror's preset has its own): {_NAMES}, or a baseline: {_BASELINES}", f'`"{DEFAULT}"`'
    ),
    PRESET: FileKey("the settings to start from", '`"default"`'),
    OBSERVED: FileKey("names or patterns of observed variables to learn from", "`[]`"),
    SUM: FileKey("parts of the property whose models are added up", "`[]`"),
}
SETTINGS = "settings"
_EXAMPLES = {OBSERVED: 'write observed = "C_*"', SUM: 'write sum = "seconds_{}:level_{}"'}


class LearnersReader:
    """Reads the learners and collects problems.

    Args:
        problems: the problems of the file.
        lines: key → its line in the file.
    """

    def __init__(self, problems: Problems, lines: Mapping[str, int]) -> None:
        self.problems = problems
        self.lines = lines

    def learners(self, content: Any) -> tuple[StudyLearner, ...] | None:
        """Return the learners, None where the file names none."""
        if content is None:
            return None
        if not isinstance(content, dict) or not content:
            self.add("learners must be tables", "learners", hint="write [learners.NAME] and settings below")
            return None
        learners = []
        for name, table in content.items():
            key = f"learners.{name}"
            if not name.strip():
                self.add("a learner needs a name", key.rstrip())
            elif not isinstance(table, dict):
                self.add(f"{key} must be a table", key, hint=f"write [{key}] and settings below")
            else:
                learners.append(self.learner(name, table, key))
        return tuple(learners)

    def learner(self, name: str, table: dict[str, Any], place: str) -> StudyLearner:
        """Return one learner."""
        preset_name = plain_text(table.get(PRESET, "default"))
        kind = plain_text(table[LEARNER]) if LEARNER in table else learner_name(None, preset_name)
        settings = {key: value for key, value in table.items() if key not in KEYS}
        if kind in LEARNERS:
            checks = [(PRESET, preset_name, {}), (SETTINGS, "default", settings)]
        else:
            checks = [(LEARNER, "default", {})]
        for key, preset, changes in checks:
            try:
                learner_of(kind, preset, changes)
            except SplcError as error:
                for problem in error.problems:
                    # A message about a setting names it, in any case.
                    mentioned = (setting for setting in settings if setting.casefold() in problem.message.casefold())
                    line = line_of(f"{place}.{next(mentioned, '') if key == SETTINGS else key}", self.lines)
                    self.problems.include(SpecError(problem), line)
        return StudyLearner(
            name, kind, preset_name, settings, self.texts(table, OBSERVED, place), self.texts(table, SUM, place)
        )

    def texts(self, table: dict[str, Any], key: str, place: str) -> tuple[str, ...]:
        """Return the text, or the list of texts, that a learner's table has under a key."""
        value = table.get(key, [])
        texts = value if isinstance(value, list) else [value]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            message = f"{place}.{key} must be a text or a list of texts"
            self.add(message, f"{place}.{key}", text=toml_value(value), hint=_EXAMPLES[key])
            return ()
        return tuple(dict.fromkeys(texts))

    def add(self, message: str, key: str, *, text: str | None = None, hint: str | None = None) -> None:
        """Add a problem with a key."""
        self.problems.add(message, line_of(key, self.lines), text=text, hint=hint)
