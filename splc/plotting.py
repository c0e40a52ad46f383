"""Drawing predicted against measured values with matplotlib (the extra `plot`), which is imported when it is needed."""

from __future__ import annotations

import importlib.util
import io
from pathlib import Path
from typing import Any

import numpy as np

from splc.errors import OutputError, Problem

Array = np.ndarray[Any, np.dtype[Any]]

FORMATS = ("svg", "png", "pdf")
# Dark and light, so that they differ in grey too; blue and orange differ for every kind of colour blindness.
DARK, LIGHT = "#00335c", "#e69f00"
_MANY = 2000


def plot_format(path: str | Path) -> str:
    """Return the format that a file's name asks for; done before anything is computed.

    Raises:
        OutputError: if it is none of `FORMATS`, or matplotlib is not installed.
    """
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix not in FORMATS:
        hint = f"the name must end in {', '.join(f'.{name}' for name in FORMATS)}"
        raise OutputError(Problem("plots are not written in this format", str(path), hint=hint))
    if importlib.util.find_spec("matplotlib") is None:
        hint = "install the extra, pip install 'splc[plot]', or matplotlib by itself"
        raise OutputError(Problem("plots need matplotlib, which is not installed", str(path), hint=hint))
    return suffix


def prediction_plot(measured: Array, predicted: Array, learned: Array, nfp: str, title: str, file_format: str) -> bytes:
    """Return a plot of predicted against measured values; the same input gives the same bytes.

    Args:
        measured: the measured values, shape (n,).
        predicted: the predicted ones, shape (n,).
        learned: which of them were learned from, shape (n,), bool.
        nfp: the property.
        title: what stands above.
        file_format: one of `FORMATS`.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, NullFormatter

    settings: dict[Any, Any] = {"svg.hashsalt": "splc", "svg.fonttype": "path", "text.parse_math": False}
    with mpl.rc_context(settings):
        figure = Figure(figsize=(5.5, 5.5), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        positive = len(measured) > 0 and min(measured.min(), predicted.min()) > 0
        wide = positive and measured.max() > 50 * measured.min()
        if wide:
            axes.set_xscale("log")
            axes.set_yscale("log")
            # Names of properties must not be read as formulas, so there are none for ticks either: plain numbers.
            for axis in (axes.xaxis, axes.yaxis):
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
                axis.set_minor_formatter(NullFormatter())
        values = np.concatenate([measured, predicted])
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        axes.plot([low, high], [low, high], color="#808080", linewidth=0.8, label="predicted = measured", zorder=1)
        # The learning set, often much smaller, is drawn on top.
        for rows, marker, color, label in (
            (~learned, "o", LIGHT, "not learned from"),
            (learned, "x", DARK, "learned from"),
        ):
            if not rows.any():
                continue
            marks = axes.scatter(
                measured[rows],
                predicted[rows],
                s=18 if len(measured) <= _MANY else 8,
                marker=marker,
                color=color,
                linewidths=0.9,
                label=f"{label} ({int(rows.sum()):,})",
                zorder=3,
                rasterized=len(measured) > 10 * _MANY,
            )
            if marker == "o":
                marks.set_facecolor("none")
        axes.set_xlabel(f"measured {nfp}")
        axes.set_ylabel(f"predicted {nfp}")
        axes.set_title(title)
        axes.legend(frameon=False)
        content = io.BytesIO()
        # No dates: the same plot gives the same bytes.
        metadata: dict[str, Any] = {"Creator": "splc"}
        if file_format == "png":
            metadata = {"Software": "splc"}
        else:
            metadata["Date" if file_format == "svg" else "CreationDate"] = None
        figure.savefig(content, format=file_format, dpi=150, metadata=metadata)
    return content.getvalue()
