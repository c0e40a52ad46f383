"""A page: a title, an answer, and sections of texts, tables and charts; as HTML, and as Markdown with pictures.

A section is a function of what it is about (`ModelSubject`, the result of a workflow, a `StudyArchive`); it returns
None where there is nothing to say. Its name is that of its place in the page (`#sample`), and stays the same. It
computes nothing that a workflow has computed, and has no randomness. Texts from files are plain: what writes the page
escapes them. A chart is made by a function of `splc.plotting.charts`, of arrays and texts only, so that `--plot` and
notebooks draw it, too. The HTML file needs no network and no JavaScript.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any

from splc.errors import SpecError, unknown_name_hint
from splc.plotting.charts.chart import Chart
from splc.plotting.charts.drawing import chart_file
from splc.plotting.charts.svg import DARK_STYLE, STYLE, panel_svg
from splc.plotting.style import escaped, has_matplotlib, visible
from splc.types import Array
from splc.workflows.views import Column, Facts, Message, Rows, rendered


@dataclass(frozen=True)
class Steps:
    """One of several states that a slider chooses; without JavaScript all are listed."""

    label: str  # what the slider changes
    states: tuple[tuple[str, tuple[Block, ...]], ...]  # the name of each state, and its blocks
    chosen: int = 0  # the position of the state that is shown first


@dataclass(frozen=True)
class Explorer:
    """Controls for the options of a system, and the prediction of the chosen configuration."""

    content: Mapping[str, Any] = field(hash=False)  # what the page computes with: options, constraints, prediction


# A text is a paragraph, a message a warning.
Block = str | Message | Facts | Rows | Chart | Steps | Explorer


def text_table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str,
    name: str,
    words: Container[int] = (0,),
    keys: Sequence[int] = (),
) -> Rows:
    """Return a table of texts; those of all columns but `words` are numbers."""
    shown = [Column(title, at, right=at not in words) for at, title in enumerate(header)]
    return Rows(tuple(rows), shown, caption=caption, name=name, keys=keys)


def without_empty(table: Rows) -> Rows:
    """Return a table without columns that are empty."""
    used = [column for column in table.columns if not table.rows or any(column.texts(column.values(table.rows)))]
    return replace(table, columns=used)


@dataclass(frozen=True)
class Section:
    """A part of a page with a title of its own."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class RowTexts:
    """The texts of the rows of the measurements, which the points of charts are about."""

    words: tuple[str, ...] = ()  # the parts of texts
    rows: tuple[tuple[int, ...], ...] = ()  # the positions of the parts of each text
    values: tuple[tuple[float, float], ...] = ()  # the measured and the predicted value of each row

    @classmethod
    def of(cls, texts: Sequence[str], *values: Array) -> RowTexts:
        """Return the texts, whose parts are joined by commas, with the measured and predicted values in six digits."""
        words: dict[str, int] = {}
        rows = tuple(tuple(words.setdefault(part, len(words)) for part in text.split(", ")) for text in texts)
        shown = tuple((float(f"{first:.6g}"), float(f"{second:.6g}")) for first, second in zip(*values, strict=True))
        return cls(tuple(visible(word) for word in words), rows, shown)


@dataclass(frozen=True)
class Page:
    """A page."""

    title: str  # the title
    answer: tuple[str, ...]  # the most important results, one sentence each, the first one first
    sections: tuple[Section, ...]  # the sections
    warnings: tuple[str, ...] = ()  # what the reader has to know before the rest
    rows: RowTexts = RowTexts()  # what the points of charts are about
    reloaded: int | None = None  # after how many seconds a browser loads it again; None for never

    @property
    def charts(self) -> dict[str, Chart]:
        """Name → chart, in the order of the page; of several states the one that is shown first."""
        charts: dict[str, Chart] = {}
        blocks = [block for section in self.sections for block in section.blocks]
        while blocks:
            block = blocks.pop(0)
            if isinstance(block, Steps):
                blocks[:0] = block.states[block.chosen][1]
            elif isinstance(block, Chart):
                charts.setdefault(block.name, block)
        return charts

    def chart(self, name: str) -> Chart:
        """Return a chart by its name."""
        charts = self.charts
        if name not in charts:
            raise SpecError(f"the report has no picture {name!r}; {unknown_name_hint(name, list(charts))}")
        return charts[name]


_SHORT = 20  # columns whose texts are at most this long have no line breaks


def page_html(page: Page) -> str:
    """Return a page as HTML; the same page gives the same text."""
    styles = STYLE.strip() + "\n" + _asset("report.css").replace("/*dark*/", DARK_STYLE)
    # Pages without an explorer need no predictions.
    explored = any(isinstance(block, Explorer) for section in page.sections for block in section.blocks)
    scripts = ("elements.js", "predict.js", "report.js", "explorer.js") if explored else ("elements.js", "report.js")
    script = "\n".join(_dense(_asset(name)) for name in scripts)
    policy = f"default-src 'none'; style-src '{_hash(styles)}'; script-src '{_hash(script)}'; base-uri 'none'"
    title = escaped(page.title)
    contents = "".join(f'<li><a href="#{section.name}">{escaped(section.title)}</a></li>' for section in page.sections)
    reload = "" if page.reloaded is None else f'<meta http-equiv="refresh" content="{page.reloaded}">'
    sections = ""
    for section in page.sections:
        blocks = "".join(map(_block, section.blocks))
        sections += f'<section id="{section.name}"><h2>{escaped(section.title)}</h2>{blocks}</section>\n'
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{reload}<title>{title}</title>'
        f"<style>{styles}</style></head>\n"
        f'<body><header><h1>{title}</h1></header><nav aria-label="Sections"><ul>{contents}</ul></nav>\n'
        f'<main><section id="answer" class="answer">{_answer(page)}</section>\n{sections}</main>\n'
        f'<div id="tip" role="status" aria-live="polite" hidden></div>'
        f'<script type="application/json" id="rows">{_json(vars(page.rows))}</script>\n'
        f"<script>{script}</script></body></html>\n"
    )


def _asset(name: str) -> str:
    return files("splc.report").joinpath("assets", name).read_text(encoding="utf-8")


def _dense(script: str) -> str:
    """Return a script without indentation, empty lines and lines that are comments."""
    lines = (line.strip() for line in script.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _hash(content: str) -> str:
    """Return the source of a policy that allows one script or style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _json(content: Any) -> str:
    """Return JSON that does not end the element around it."""
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _answer(page: Page) -> str:
    first, *lines = page.answer
    blocks: list[Block] = [*lines, *(Message(text, "warning") for text in page.warnings)]
    return f'<p class="first">{escaped(first)}</p>{"".join(map(_block, blocks))}'


def _block(block: Block) -> str:
    match block:
        case str():
            return f"<p>{escaped(block)}</p>"
        case Message():
            return f'<p class="warning"><strong>Warning:</strong> {escaped(block.text)}</p>'
        case Facts():
            items = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(value)}</dd>" for name, value in block.pairs)
            return f"<dl>{items}</dl>"
        case Rows():
            return _table(block)
        case Chart():
            return _chart(block)
        case Steps():
            return _steps(block)
        case Explorer():
            return (
                '<div class="explorer"><noscript><p>The explorer needs JavaScript.</p></noscript>'
                f'<script type="application/json" class="program">{_json(block.content)}</script></div>'
            )


def _table(table: Rows) -> str:
    titles = [column.title for column in table.columns]
    lines, right = rendered(list(table.rows), table.columns)
    # Numbers; texts on one line; others.
    short = [all(len(line[at]) <= _SHORT for line in lines) for at in range(len(titles))]
    classes = [' class="n"' if right[at] else ' class="s"' if short[at] else "" for at in range(len(titles))]
    heads = "".join(f'<th scope="col"{css}>{escaped(title)}</th>' for css, title in zip(classes, titles, strict=True))
    rows = ""
    for number, line in enumerate(lines):
        key = f' data-k="{table.keys[number]}" tabindex="0"' if table.keys else ""
        cells = "".join(f"<td{css}>{escaped(text)}</td>" for css, text in zip(classes, line, strict=True))
        rows += f"<tr{key}>{cells}</tr>"
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(table.caption or table.name)}">'
        f'<table data-name="{escaped(table.name)}"><caption>{escaped(table.caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _chart(chart: Chart) -> str:
    panels = "".join(panel_svg(panel, f"{chart.title}. {panel.title or chart.description}") for panel in chart.panels)
    legend = "".join(
        f'<span class="key"><span class="swatch chart b-{role}"></span>{escaped(text)}</span>'
        for role, text in chart.legend.items()
    )
    span = f'<span class="legend">{legend}</span>' if legend else ""
    columns = {name: [*map(_finite, values)] for name, values in chart.table.items()}
    data = f'<script type="application/json" class="data">{_json(columns)}</script>' if columns else ""
    return (
        f'<figure data-name="{escaped(chart.name)}"><div class="title">{escaped(chart.title)}</div>'
        f'<div class="panels">{panels}</div>'
        f"<figcaption>{span}{escaped(chart.description)}</figcaption>"
        f"{data}</figure>"
    )


def _finite(value: Any) -> Any:
    """Return a number with six digits, None where it is not finite."""
    if not isinstance(value, float):
        return value
    return float(f"{value:.6g}") if math.isfinite(value) else None


def _steps(steps: Steps) -> str:
    states = "".join(
        f'<div class="state" data-state="{escaped(name)}"{" data-chosen" if at == steps.chosen else ""}>'
        f"<h3>{escaped(name)}</h3>{''.join(map(_block, blocks))}</div>"
        for at, (name, blocks) in enumerate(steps.states)
    )
    return f'<div class="steps" data-label="{escaped(steps.label)}">{states}</div>'


def page_markdown(page: Page, folder: str) -> tuple[str, dict[str, bytes]]:
    """Return a page as Markdown, and name in the folder of pictures → content; the same page gives the same files."""
    pictures: dict[str, bytes] = {}
    lines = [f"# {_text(page.title)}", ""]
    first, *texts = page.answer
    lines += [f"**{_text(first)}**", "", *(f"- {_text(text)}" for text in texts)]
    lines += ["", *(f"> **Warning:** {_text(text)}" for text in page.warnings)]
    for section in page.sections:
        content = [line for block in section.blocks for line in _markdown(block, folder, pictures)]
        if content:
            lines += ["", f"## {_text(section.title)}", "", *content]
    return "\n".join(lines).rstrip() + "\n", pictures


def _text(text: str) -> str:
    """Return a text whose characters have no meaning in Markdown or HTML."""
    escaped = html.escape(visible(text), quote=False)
    for character in "\\`*_[]|#~":
        escaped = escaped.replace(character, f"\\{character}")
    return escaped


def _markdown(block: Block, folder: str, pictures: dict[str, bytes]) -> Iterator[str]:
    match block:
        case str() | Message():
            yield _text(block) if isinstance(block, str) else f"> **Warning:** {_text(block.text)}"
            yield ""
        case Facts():
            yield from _table_lines(("", ""), list(block.pairs), (False, False))
        case Rows():
            yield _text(block.caption)
            yield ""
            titles = [column.title for column in block.columns]
            yield from _table_lines(titles, *rendered(list(block.rows), block.columns))
        case Chart():
            kind = "png" if has_matplotlib() else "svg"
            name = f"{block.name}.{kind}"
            pictures[name] = chart_file(block, kind)
            yield f"![{_text(block.title)}]({folder}/{name})"
            yield ""
            yield _text(block.description)
            yield ""
        case Steps():
            for inner in block.states[block.chosen][1]:
                yield from _markdown(inner, folder, pictures)
        case Explorer():
            yield from ()


def _table_lines(titles: Sequence[str], lines: Sequence[Sequence[str]], right: Sequence[bool]) -> Iterator[str]:
    yield f"| {' | '.join(map(_text, titles))} |"
    yield "|" + "|".join("---:" if number else "---" for number in right) + "|"
    for line in lines:
        yield f"| {' | '.join(map(_text, line))} |"
    yield ""
