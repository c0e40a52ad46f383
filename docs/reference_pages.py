"""The reference pages of commands, and the tables of keys and settings, which site.py adds to the site."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from splc.cli.app import verb_of
from splc.cli.signature import fields_of_command, help_of
from splc.io.settings import Setting
from splc.io.tables import Markdown, Table, markdown_text
from splc.learning.registry import BASELINES, LEARNERS, PMNF, STEPWISE
from splc.learning.stepwise.settings import PRESETS, SPLCONQUEROR, SPLCONQUEROR_2019, WITHOUT_EFFECT
from splc.project.keys import PROJECT_KEYS, FileKey
from splc.scaling.methods import METHODS
from splc.study.specification import KEYS as STUDY_KEYS
from splc.study.specification import LEARNER_KEYS
from splc.workflows.fields import BoundField

NO_EFFECT = "without effect"
# The place of learners without a section of their own.
FURTHER = "further learners"
KEYS: Mapping[str, Mapping[str, FileKey]] = {
    "splc.toml": PROJECT_KEYS,
    "study.toml": STUDY_KEYS,
    "[learners.NAME]": LEARNER_KEYS,
}
HEADER = ("argument or option", "meaning", "default")
# The line of a page that a table replaces.
MARK = "<!-- {} -->\n".format


def command_page(name: str) -> str:
    """Return the page of a command as Markdown: what it does, examples, and all arguments and options."""
    verb = verb_of(name)
    examples = "\n".join(f"    {example}" for example in verb.examples)
    parts = [f"# splc {name}", _text(help_of(verb)), "## Examples", examples]
    fields = fields_of_command(verb)
    for panel in sorted({field.field.panel for field in fields}, key=[field.field.panel for field in fields].index):
        rows = tuple(
            (_spelling(field), field.field.help, field.shown_default) for field in fields if field.field.panel == panel
        )
        parts += [f"## {panel or 'Arguments and options'}", markdown_text(Table(HEADER, rows))]
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _text(text: str) -> str:
    return text.replace("*", "\\*").replace("<", "&lt;").replace("_", "\\_")


def _spelling(bound: BoundField) -> Markdown:
    field = bound.field
    if field.kind == "argument":
        return Markdown(f"`{field.metavar.strip('[]')}`")
    value = f" {field.metavar}" if field.kind == "option" else ""
    names = (name for names in bound.spellings for name in names.split("/"))
    return Markdown(", ".join(f"`{name}{value}`" for name in names).replace("|", "\\|"))


def settings_tables() -> dict[str, str]:
    """Return name of a table → the table as Markdown."""
    kinds = {name: kind().settings for name, kind in LEARNERS.items()}
    presets = ("default", SPLCONQUEROR, SPLCONQUEROR_2019)

    def in_preset(name: str, setting: Setting, preset: str) -> str:
        return replace(setting, default=getattr(PRESETS[preset], name)).shown_default

    def table(learner: str, *columns: str, cells: Callable[[str, Setting], tuple[str, ...]] | None = None) -> str:
        """Return the table of the settings of a learner, with the default where no cells are given."""
        rows = (
            (f"`{name}`", *(cells(name, setting) if cells else (setting.shown_default,)), setting.meaning)
            for name, setting in kinds[learner].items()
        )
        return _table(("setting", *(columns or ("default",)), "meaning"), rows)

    tables = {learner: table(learner) for learner in kinds if learner not in BASELINES}
    baselines = [(learner, name, setting) for learner in BASELINES for name, setting in kinds[learner].items()]
    return tables | {
        STEPWISE: table(
            STEPWISE,
            *presets,
            cells=lambda name, setting: tuple(in_preset(name, setting, preset) for preset in presets),
        ),
        NO_EFFECT: _table(("setting", "reason"), ((f"`{name}`", reason) for name, reason in WITHOUT_EFFECT.items())),
        PMNF: table(PMNF, "default", "methods", cells=lambda name, setting: (setting.shown_default, _methods(name))),
        "baselines": _table(
            ("setting", "default", "meaning", "reason of the default"),
            (
                (f"`{name}` of `{learner}`", setting.shown_default, setting.meaning, setting.reason)
                for learner, name, setting in baselines
            ),
        ),
    }


def with_settings(page: str) -> str:
    """Return a page with a table for each of its lines `<!-- keys of FILE -->` and `<!-- settings of LEARNER -->`.

    Learners without such a line get a section each at `<!-- settings of further learners -->`.
    """
    tables = {f"keys of {name}": key_table(keys) for name, keys in KEYS.items()}
    settings = settings_tables()
    further = [name for name in LEARNERS if name in settings and MARK(f"settings of {name}") not in page]
    sections = [f"## Settings of the learner `{name}`\n\n{settings.pop(name)}" for name in further]
    tables |= {f"settings of {name}": table for name, table in settings.items()}
    tables[f"settings of {FURTHER}"] = "\n".join(sections)
    for name, table in tables.items():
        if (mark := MARK(name)) not in page:
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


def _methods(name: str) -> str:
    having = [f"`{method}`" for method, method_settings in METHODS.items() if name in method_settings]
    everywhere = "" if name == "method" else "all"
    return ", ".join(having) if everywhere and 0 < len(having) < len(METHODS) else everywhere


def _table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |"]
    lines.append("|" + "---|" * (lines[0].count("|") - 1))
    lines += [("| " + " | ".join(row) + " |").replace("|  |", "| |").replace("|  |", "| |") for row in rows]
    return "\n".join(lines) + "\n"
