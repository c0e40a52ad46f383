"""A page as one HTML file that needs no network, and can be read and printed without JavaScript."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

from splc.plotting.charts.chart import Chart
from splc.plotting.charts.svg import DARK_STYLE, STYLE, panel_svg
from splc.plotting.labels import escaped
from splc.report.page import Block, Explorer, Page, Paragraph, Section, Steps, TextTable
from splc.workflows.views import Facts

# Columns whose texts are at most this long have no line breaks.
_SHORT = 20


def page_html(page: Page) -> str:
    """Return a page as HTML; the same page gives the same text."""
    styles = STYLE.strip() + "\n" + _asset("report.css").replace("/*dark*/", DARK_STYLE)
    # Pages without an explorer need no predictions.
    explored = any(isinstance(block, Explorer) for section in page.sections for block in section.blocks)
    scripts = (
        "elements.js",
        *(("predict.js",) if explored else ()),
        "report.js",
        *(("explorer.js",) if explored else ()),
    )
    script = "\n".join(_dense(_asset(name)) for name in scripts)
    policy = f"default-src 'none'; style-src '{_hash(styles)}'; script-src '{_hash(script)}'; base-uri 'none'"
    title = escaped(page.title)
    contents = "".join(f'<li><a href="#{section.name}">{escaped(section.title)}</a></li>' for section in page.sections)
    sections = "".join(map(_section, page.sections))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
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
    warnings = "".join(_paragraph(Paragraph(text, warning=True)) for text in page.warnings)
    return f'<p class="first">{escaped(first)}</p>{"".join(f"<p>{escaped(text)}</p>" for text in lines)}{warnings}'


def _section(section: Section) -> str:
    blocks = "".join(map(_block, section.blocks))
    return f'<section id="{section.name}"><h2>{escaped(section.title)}</h2>{blocks}</section>\n'


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            return _paragraph(block)
        case Facts():
            items = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(value)}</dd>" for name, value in block.pairs)
            return f"<dl>{items}</dl>"
        case TextTable():
            return _table(block)
        case Chart():
            return _chart(block)
        case Steps():
            return _steps(block)
        case Explorer():
            return _explorer(block)


def _paragraph(paragraph: Paragraph) -> str:
    if paragraph.warning:
        return f'<p class="warning"><strong>Warning:</strong> {escaped(paragraph.text)}</p>'
    return f"<p>{escaped(paragraph.text)}</p>"


def _table(table: TextTable) -> str:
    classes = [_class(at, table) for at in range(len(table.header))]
    heads = "".join(
        f'<th scope="col"{css}>{escaped(title)}</th>' for css, title in zip(classes, table.header, strict=True)
    )
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(table.caption or table.name)}">'
        f'<table data-name="{escaped(table.name)}"><caption>{escaped(table.caption)}</caption>'
        f"<thead><tr>{heads}</tr></thead><tbody>{''.join(_table_rows(table, classes))}</tbody></table></div>"
    )


def _table_rows(table: TextTable, classes: Sequence[str]) -> Iterator[str]:
    for number, row in enumerate(table.rows):
        key = f' data-k="{table.keys[number]}" tabindex="0"' if table.keys else ""
        cells = "".join(f"<td{css}>{escaped(text)}</td>" for css, text in zip(classes, row, strict=True))
        yield f"<tr{key}>{cells}</tr>"


def _class(at: int, table: TextTable) -> str:
    """Return the class of a column: numbers, or short texts, which are on one line."""
    if at in table.numeric:
        return ' class="n"'
    return ' class="s"' if all(len(row[at]) <= _SHORT for row in table.rows) else ""


def _chart(chart: Chart) -> str:
    panels = "".join(panel_svg(panel, f"{chart.title}. {panel.title or chart.description}") for panel in chart.panels)
    legend = "".join(
        f'<span class="key"><span class="swatch chart b-{role}"></span>{escaped(text)}</span>'
        for role, text in chart.legend.items()
    )
    span = f'<span class="legend">{legend}</span>' if legend else ""
    data = f'<script type="application/json" class="data">{_json(_columns(chart))}</script>' if chart.table else ""
    return (
        f'<figure data-name="{escaped(chart.name)}"><div class="title">{escaped(chart.title)}</div>'
        f'<div class="panels">{panels}</div>'
        f"<figcaption>{span}{escaped(chart.description)}</figcaption>"
        f"{data}</figure>"
    )


def _columns(chart: Chart) -> dict[str, Sequence[Any]]:
    return {name: [_finite(value) for value in values] for name, values in chart.table.items()}


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


def _explorer(explorer: Explorer) -> str:
    return (
        '<div class="explorer"><noscript><p>The explorer needs JavaScript.</p></noscript>'
        f'<script type="application/json" class="program">{_json(explorer.content)}</script></div>'
    )
