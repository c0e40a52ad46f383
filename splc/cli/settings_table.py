"""The tables of keys and settings, which docs/site.py inserts into docs/reference/configuration.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from splc.io.settings import Setting, settings_in
from splc.learning.baselines.methods import METHODS as BASELINES
from splc.learning.projection import ProjectionSettings
from splc.learning.registry import PROJECTION, STEPWISE
from splc.learning.stepwise.settings import PRESETS, SPLCONQUEROR, SPLCONQUEROR_2019, WITHOUT_EFFECT, Settings
from splc.project.keys import PROJECT_KEYS, FileKey
from splc.scaling.methods import METHODS
from splc.scaling.settings import SETTINGS
from splc.study.reader import KEYS as STUDY_KEYS

NO_EFFECT = "without effect"
KEYS: Mapping[str, Mapping[str, FileKey]] = {"splc.toml": PROJECT_KEYS, "study.toml": STUDY_KEYS}


def settings_tables() -> dict[str, str]:
    """Return name of a table → the table as Markdown."""
    return {
        PROJECTION: _table(
            ("setting", "default", "meaning"),
            (
                (f"`{name}`", setting.shown_default, setting.meaning)
                for name, setting in settings_in(ProjectionSettings).items()
            ),
        ),
        STEPWISE: _table(
            ("setting", "default", SPLCONQUEROR, SPLCONQUEROR_2019, "meaning"),
            (
                (f"`{name}`", *_in_presets(name, setting), setting.meaning)
                for name, setting in settings_in(Settings).items()
            ),
        ),
        NO_EFFECT: _table(("setting", "reason"), ((f"`{name}`", reason) for name, reason in WITHOUT_EFFECT.items())),
        "pmnf": _table(
            ("setting", "default", "methods", "meaning"),
            (
                (f"`{name}`", setting.shown_default, _methods(name), setting.meaning)
                for name, setting in SETTINGS.items()
            ),
        ),
        "baselines": _table(
            ("setting", "default", "meaning", "reason of the default"),
            (
                (f"`{name}` of `{learner}`", setting.shown_default, setting.meaning, setting.reason)
                for learner, method in BASELINES.items()
                for name, setting in method.settings.items()
            ),
        ),
    }


def with_settings(page: str) -> str:
    """Return a page with a table for each of its lines `<!-- keys of FILE -->` and `<!-- settings of LEARNER -->`.

    Raises:
        ValueError: if the page has no place for one of the tables.
    """
    tables = {f"keys of {name}": key_table(keys) for name, keys in KEYS.items()}
    tables |= {f"settings of {name}": table for name, table in settings_tables().items()}
    for name, table in tables.items():
        mark = f"<!-- {name} -->\n"
        if mark not in page:
            raise ValueError(f"the page has no place for the table {name!r}")
        page = page.replace(mark, table)
    return page


def key_table(keys: Mapping[str, FileKey]) -> str:
    """Return a table of keys as Markdown."""
    return _table(
        ("key", "default", "meaning"), ((f"`{name}`", key.default, _meaning(key)) for name, key in keys.items())
    )


def _meaning(key: FileKey) -> str:
    words = ", ".join(f"`{word}`" for word in key.words)
    return " ".join(filter(None, (key.meaning, words and f"One of {words}.", key.details)))


def _in_presets(name: str, setting: Setting) -> Iterable[str]:
    """Return the values of a setting of the learner stepwise in each preset."""
    for preset in ("default", SPLCONQUEROR, SPLCONQUEROR_2019):
        yield replace(setting, default=getattr(PRESETS[preset], name)).shown_default


def _methods(name: str) -> str:
    """Return the methods that have a setting."""
    having = [f"`{method}`" for method, method_settings in METHODS.items() if name in method_settings]
    if name == "method":
        return ""
    return ", ".join(having) if 0 < len(having) < len(METHODS) else "all"


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |"]
    lines.append("|" + "---|" * (lines[0].count("|") - 1))
    lines += [("| " + " | ".join(row) + " |").replace("|  |", "| |").replace("|  |", "| |") for row in rows]
    return "\n".join(lines) + "\n"
