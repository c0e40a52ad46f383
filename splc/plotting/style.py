"""The common style of all pictures: labels that fit, formats, settings of matplotlib, and saving without dates.

matplotlib (the extra `plot`) is imported when it is needed.
"""

from __future__ import annotations

import importlib.util
import io
import math
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from splc.errors import OutputError, Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Widths of characters as parts of the font size, of a sans serif font; rather too wide than too narrow.
_NARROW, _WIDE = frozenset("iIjlft.,:;'|![]() "), frozenset("mwMW@%&—…")


def visible(text: str) -> str:
    r"""Return a text as one line; what has no picture of its own (controls, directions) is written as `\u202e`."""
    joined = " ".join(text.split())
    return "".join(c if unicodedata.category(c)[0] != "C" else f"\\u{ord(c):04x}" for c in joined)


def escaped(text: str) -> str:
    """Return a text of `visible` with the escapes of elements and quoted attributes of XML and HTML."""
    return escape(visible(text)).replace("&#x27;", "&#39;")


def text_width(text: str, size: float) -> float:
    """Return about the width of a text in pixels, at a font size in pixels."""
    total = 0.0
    for character in text:
        if unicodedata.east_asian_width(character) in "WF":
            total += 1.0
        elif character in _NARROW:
            total += 0.34
        elif character in _WIDE:
            total += 0.92
        else:
            total += 0.7 if character.isupper() else 0.62
    return total * size


def fitted(text: str, width: float, size: float) -> str:
    """Return a text of `visible`, shortened in the middle until it is at most about `width` pixels wide."""
    text = visible(text)
    most = len(text)
    shown = text
    while most > 1 and text_width(shown, size) > width:
        most -= 1
        begin = most // 2
        # Names differ more often at the beginning or the end than in the middle.
        shown = f"{text[:begin]}…{text[len(text) - (most - 1 - begin) :]}"
    return shown


def text_lines(text: str, width: float, size: float) -> list[str]:
    """Return a text of `visible` in lines of words that are at most about `width` pixels wide."""
    return lines_of(visible(text), lambda line: text_width(line, size) <= width, lambda word: fitted(word, width, size))


def lines_of(text: str, fits: Callable[[str], bool], shortened: Callable[[str], str]) -> list[str]:
    """Return a text in lines of words that fit; a word that does not is shortened."""
    lines: list[str] = []
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and fits(longer):
            lines[-1] = longer
        else:
            lines.append(shortened(word))
    return lines


FORMATS = ("svg", "png", "pdf")
# Dots per inch of PNG files to look at, and to print.
SCREEN, PRINT = 150, 300
# Settings that a user's matplotlibrc must not change: names are not formulas, and the same picture has the same bytes.
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "splc", "svg.fonttype": "path", "text.parse_math": False}


def plot_format(path: str | Path) -> str:
    """Return the format for the suffix of a file name, one of `FORMATS`; without matplotlib there is only SVG."""
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix not in FORMATS:
        hint = f"the name must end in {', '.join(f'.{name}' for name in FORMATS)}"
        raise OutputError(Problem("plots are not written in this format", str(path), hint=hint))
    if suffix != "svg" and not has_matplotlib():
        hint = "write .svg, or install the extra, pip install 'splc[plot]'"
        raise OutputError(Problem(f"{suffix.upper()} needs matplotlib, which is not installed", str(path), hint=hint))
    return suffix


def has_matplotlib() -> bool:
    """Return whether matplotlib is installed: PNG and PDF files need it, SVG files do not."""
    return importlib.util.find_spec("matplotlib") is not None


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with matplotlib's defaults and `SETTINGS`, not with the user's settings."""
    import matplotlib.style

    with matplotlib.style.context(["default", SETTINGS]):
        yield


def new_figure(width: float, height: float, layout: Literal["constrained"] | None = "constrained") -> Figure:
    """Return an empty figure (inches) without a window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout=layout)
    FigureCanvasAgg(figure)
    return figure


def saved(figure: Figure, file_format: str, dpi: int = SCREEN) -> bytes:
    """Return a figure as a file of one of `FORMATS`, without dates: the same figure gives the same bytes."""
    if file_format != "svg":
        _settle(figure, dpi)
    content = io.BytesIO()
    metadata: dict[str, dict[str, Any]] = {
        "png": {"Software": "splc"},
        "svg": {"Creator": "splc", "Date": None},
        "pdf": {"Creator": "splc", "CreationDate": None},
    }
    figure.savefig(content, format=file_format, dpi=dpi, metadata=metadata[file_format])
    return content.getvalue()


def _settle(figure: Figure, dpi: int) -> None:
    """Arrange the axes of a figure once, at rounded places.

    The solver of constrained layouts adds in the order of addresses in memory: places differ in their last digits from
    one run to the next, and so would some pixels.
    """
    engine = figure.get_layout_engine()
    if engine is None:
        return
    figure.set_dpi(dpi)
    engine.execute(figure)
    figure.set_layout_engine("none")
    for axes in figure.axes:
        axes.set_position(tuple(round(part, 6) for part in axes.get_position().bounds))


def literal(name: str, most: int | None = None) -> str:
    r"""Return a name as one line that can be drawn, shortened in the middle to `most` characters.

    Characters without a glyph in the font (which would be empty boxes with a warning) are written as `\u65e5`.
    """
    from matplotlib.font_manager import FontProperties, findfont, get_font

    text = " ".join(name.split())
    font = get_font(findfont(FontProperties()))
    drawn = []
    for character in text:
        visible = font.get_char_index(ord(character)) != 0 and unicodedata.category(character)[0] != "C"
        drawn.append(character if visible else f"\\u{ord(character):04x}")
    text = "".join(drawn)
    if most is not None and len(text) > most:
        begin = (most - 1) // 2
        # Names differ more often at the beginning or the end than in the middle.
        text = f"{text[:begin]}…{text[len(text) - (most - 1 - begin) :]}"
    return text


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """Return the width of a text (of `literal`) in inches, at a font size in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]) / 72


def fitting(name: str, width: float, size: float, *, bold: bool = False) -> str:
    """Return a name as `literal` does, shortened until it is at most `width` inches wide."""
    text = literal(name)
    most = len(text)
    while most > 1 and (wide := width_of(text, size, bold=bold)) > width:
        most = max(1, min(most - 1, math.ceil(most * width / wide)))
        text = literal(name, most)
    return text


def wrapped(name: str, width: float, size: float) -> str:
    """Return a name as `literal` does, in lines of words that are at most `width` inches wide, if the words are."""
    lines = lines_of(literal(name), lambda text: width_of(text, size) <= width, lambda word: fitting(word, width, size))
    return "\n".join(lines)
