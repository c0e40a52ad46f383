"""The tables of keys and settings, which docs/site.py inserts into docs/reference/configuration.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from splc.io.settings import Setting
from splc.learning.registry import BASELINES, LEARNERS, PMNF, STEPWISE
from splc.learning.stepwise.settings import PRESETS, SPLCONQUEROR, SPLCONQUEROR_2019, WITHOUT_EFFECT
from splc.project.keys import PROJECT_KEYS, FileKey
from splc.scaling.methods import METHODS
from splc.study.specification import KEYS as STUDY_KEYS
from splc.study.specification import LEARNER_KEYS

NO_EFFECT = "without effect"
# The place of learners without a section of their own.
FURTHER = "further learners"
KEYS: Mapping[str, Mapping[str, FileKey]] = {
    "splc.toml": PROJECT_KEYS,
    "study.toml": STUDY_KEYS,
    "[learners.NAME]": LEARNER_KEYS,
}


def settings_tables() -> dict[str, str]:
    """Return name of a table → the table as Markdown."""
    kinds = {name: kind().settings for name, kind in LEARNERS.items()}
    tables = {
        learner: _table(
            ("setting", "default", "meaning"),
            ((f"`{name}`", setting.shown_default, setting.meaning) for name, setting in settings.items()),
        )
        for learner, settings in kinds.items()
        if learner not in BASELINES
    }
    return tables | {
        STEPWISE: _table(
            ("setting", "default", SPLCONQUEROR, SPLCONQUEROR_2019, "meaning"),
            ((f"`{name}`", *_in_presets(name, setting), setting.meaning) for name, setting in kinds[STEPWISE].items()),
        ),
        NO_EFFECT: _table(("setting", "reason"), ((f"`{name}`", reason) for name, reason in WITHOUT_EFFECT.items())),
        PMNF: _table(
            ("setting", "default", "methods", "meaning"),
            (
                (f"`{name}`", setting.shown_default, _methods(name), setting.meaning)
                for name, setting in kinds[PMNF].items()
            ),
        ),
        "baselines": _table(
            ("setting", "default", "meaning", "reason of the default"),
            (
                (f"`{name}` of `{learner}`", setting.shown_default, setting.meaning, setting.reason)
                for learner in BASELINES
                for name, setting in kinds[learner].items()
            ),
        ),
    }


def with_settings(page: str) -> str:
    """Return a page with a table for each of its lines `<!-- keys of FILE -->` and `<!-- settings of LEARNER -->`.

    Learners without such a line get a section each at `<!-- settings of further learners -->`.
    """
    tables = {f"keys of {name}": key_table(keys) for name, keys in KEYS.items()}
    settings = settings_tables()
    further = [name for name in LEARNERS if name in settings and _mark(f"settings of {name}") not in page]
    sections = [f"## Settings of the learner `{name}`\n\n{settings.pop(name)}" for name in further]
    tables |= {f"settings of {name}": table for name, table in settings.items()}
    tables[f"settings of {FURTHER}"] = "\n".join(sections)
    for name, table in tables.items():
        if _mark(name) not in page:
            raise ValueError(f"the page has no place for the table {name!r}")
        page = page.replace(_mark(name), table)
    return page


def _mark(name: str) -> str:
    """Return the line of a page that a table replaces."""
    return f"<!-- {name} -->\n"


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
