"""A page as Markdown, with its charts in a folder beside it: PNG files, SVG files without matplotlib."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass

from splc.plotting.charts.chart import Chart
from splc.plotting.charts.drawing import chart_file
from splc.plotting.labels import visible
from splc.plotting.style import has_matplotlib
from splc.report.page import Block, Explorer, Page, Steps, TextTable
from splc.workflows.views import Facts, Message


@dataclass(frozen=True)
class MarkdownFiles:
    """A page as Markdown."""

    text: str  # the text
    pictures: dict[str, bytes]  # name in the folder of pictures → content


def page_markdown(page: Page, folder: str) -> MarkdownFiles:
    """Return a page as Markdown; the same page gives the same files."""
    pictures: dict[str, bytes] = {}
    lines = [f"# {_text(page.title)}", ""]
    first, *texts = page.answer
    lines += [f"**{_text(first)}**", "", *(f"- {_text(text)}" for text in texts)]
    lines += ["", *(f"> **Warning:** {_text(text)}" for text in page.warnings)]
    for section in page.sections:
        content = [line for block in section.blocks for line in _block(block, folder, pictures)]
        if content:
            lines += ["", f"## {_text(section.title)}", "", *content]
    return MarkdownFiles("\n".join(lines).rstrip() + "\n", pictures)


def _text(text: str) -> str:
    """Return a text whose characters have no meaning in Markdown or HTML."""
    escaped = html.escape(visible(text), quote=False)
    for character in "\\`*_[]|#~":
        escaped = escaped.replace(character, f"\\{character}")
    return escaped


def _block(block: Block, folder: str, pictures: dict[str, bytes]) -> Iterator[str]:
    match block:
        case str() | Message():
            yield _text(block) if isinstance(block, str) else f"> **Warning:** {_text(block.text)}"
            yield ""
        case Facts():
            yield from _rows(("", ""), tuple(block.pairs), frozenset())
        case TextTable():
            yield _text(block.caption)
            yield ""
            yield from _rows(block.header, block.rows, block.numeric)
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
                yield from _block(inner, folder, pictures)
        case Explorer():
            yield from ()


def _rows(header: tuple[str, ...], rows: tuple[tuple[str, ...], ...], numeric: frozenset[int]) -> Iterator[str]:
    yield f"| {' | '.join(map(_text, header))} |"
    yield "|" + "|".join("---:" if at in numeric else "---" for at in range(len(header))) + "|"
    for row in rows:
        yield f"| {' | '.join(map(_text, row))} |"
    yield ""
