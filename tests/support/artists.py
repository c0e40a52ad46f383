"""Pictures as text: the data, limits, labels and styles of all artists of a figure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.collections import Collection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure, SubFigure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle
from matplotlib.text import Annotation, Text


def shown(value: Any) -> str:
    """Return numbers with five digits, colours by their hexadecimal names, and texts as they are."""
    if isinstance(value, np.ma.MaskedArray):
        value = value.filled(np.nan)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return f"[{' '.join(map(shown, value))}]"
    if isinstance(value, (float, np.floating)) and not isinstance(value, bool):
        return f"{float(value) + 0.0:.5g}"
    return str(value)


def colors(values: Any) -> str:
    """Return the distinct colours, in order."""
    return shown(
        list(dict.fromkeys(to_hex(tuple(each), keep_alpha=True) for each in np.asarray(values).reshape(-1, 4).tolist()))
    )


def line(kind: str, **values: Any) -> str:
    """Return an artist on one line, without what is absent."""
    return " ".join([kind, *(f"{name}={shown(value)}" for name, value in values.items() if value is not None)])


def description(figure: Figure) -> str:
    """Return the description of a figure."""
    layout = type(figure.get_layout_engine()).__name__
    return "\n".join([line("figure", size=figure.get_size_inches(), layout=layout), *_parts(figure), ""])


def _parts(figure: Figure | SubFigure) -> Iterator[str]:
    for part in figure.subfigs:
        spec: Any = part._subplotspec  # type: ignore[attr-defined]
        grid = spec.get_gridspec()
        ratios = grid.get_width_ratios(), grid.get_height_ratios()
        yield line("subfigure", rows=spec.rowspan.start, columns=spec.colspan.start, ratios=ratios)
        yield from _parts(part)
    for text in figure.texts:
        yield from _artist(text)
    title = getattr(figure, "_suptitle", None)
    if title is not None and title not in figure.texts:
        yield from _artist(title)
    for axes in figure.axes if isinstance(figure, Figure) and not figure.subfigs else figure.get_children():
        if isinstance(axes, Axes):
            yield from _axes(axes)
    for legend in figure.legends:
        yield from _artist(legend)


def _axes(axes: Axes) -> Iterator[str]:
    spec = axes.get_subplotspec()
    if spec is None:
        place: Any = axes.get_position().bounds
    else:
        grid = spec.get_gridspec()
        place = (spec.rowspan.start, spec.rowspan.stop, spec.colspan.start, spec.colspan.stop, *grid.get_geometry())
        place = [place, grid.get_width_ratios(), grid.get_height_ratios()]
    spines = [name for name, spine in axes.spines.items() if spine.get_visible()]
    yield line("axes", place=place, on=axes.axison, spines=spines, below=axes.get_axisbelow())
    yield from _artist(axes.title)
    for name, axis, limits in (("x", axes.xaxis, axes.get_xlim()), ("y", axes.yaxis, axes.get_ylim())):
        yield from _axis(name, axis, limits)
    for artist in axes.get_children():
        if artist is not axes.patch and artist not in (axes.title, *axes.spines.values()):
            yield from _artist(artist)


def _axis(name: str, axis: Axis, limits: tuple[float, float]) -> Iterator[str]:
    low, high = sorted(limits)
    ticks = [(at, tick) for at, tick in zip(axis.get_majorticklocs(), axis.get_major_ticks(), strict=True)]
    inside = [(at, tick) for at, tick in ticks if low - 1e-9 <= at <= high + 1e-9]
    labels = [tick.label1 for _, tick in inside if tick.label1.get_visible()]
    drawn = [label.get_text() for label in labels]
    grid = [
        (to_hex(tick.gridline.get_color()), tick.gridline.get_linewidth())
        for _, tick in inside[:1]
        if tick.gridline.get_visible()
    ]
    size = labels[0].get_fontsize() if labels else None
    turned = labels[0].get_rotation() if labels else None
    length = inside[0][1].tick1line.get_markersize() if inside else None
    minor = "".join(label.get_text() for label in axis.get_minorticklabels()) or None
    base = getattr(axis.get_transform(), "base", None)
    linear = getattr(axis.get_transform(), "linthresh", None)
    yield line(
        f" {name}", limits=limits, scale=axis.get_scale(), base=base, linear=linear, ticks=[at for at, _ in inside]
    )
    yield line("   ", labels=drawn, size=size, turned=turned, length=length, grid=grid, minor=minor)
    yield from _artist(axis.label)


def _artist(artist: Any) -> Iterator[str]:
    known = {"z": artist.get_zorder(), "alpha": artist.get_alpha(), "raster": artist.get_rasterized() or None}
    label = str(artist.get_label())
    if not artist.get_visible():
        return
    known |= {"label": None if label.startswith("_") or not label else label, "clip": artist.get_clip_on() or None}
    if isinstance(artist, Line2D):
        look = {
            "color": artist.get_color(),
            "style": artist.get_linestyle(),
            # The pattern itself; the style of a line with a pattern of its own is `--`.
            "dashes": getattr(artist, "_unscaled_dash_pattern", None),
        }
        mark = {
            "size": artist.get_markersize(),
            "every": artist.get_markevery(),
            "edge": to_hex(artist.get_markeredgecolor()),
            "rim": artist.get_markeredgewidth(),
        }
        data = np.column_stack([np.asarray(artist.get_xdata(), float), np.asarray(artist.get_ydata(), float)])
        mark = mark if artist.get_marker() not in ("None", "", None) else {}
        yield line(
            " line", data=data, **look, width=artist.get_linewidth(), marker=artist.get_marker(), **mark, **known
        )
    elif isinstance(artist, Text):
        if not artist.get_text():
            return
        extra: dict[str, Any] = {}
        if isinstance(artist, Annotation):
            extra = {"of": artist.xy, "in": artist.xycoords, "from": artist.anncoords}
        font = {
            "size": artist.get_fontsize(),
            "weight": artist.get_fontweight(),
            "turned": artist.get_rotation() or None,
        }
        align = {"align": f"{artist.get_horizontalalignment()} {artist.get_verticalalignment()}"}
        # Titles and labels of axes are placed by the layout.
        at = {"at": artist.get_position()} if isinstance(artist.axes, Axes) and artist in artist.axes.texts else {}
        yield line(
            " text",
            text=repr(artist.get_text()),
            **at,
            **extra,
            **font,
            **align,
            color=to_hex(artist.get_color()),
            z=known["z"],
            formula=artist.get_parse_math() or None,
        )
    elif isinstance(artist, Patch):
        box = artist.get_bbox().bounds if isinstance(artist, Rectangle) else artist.get_path().vertices
        look = {
            "face": colors(artist.get_facecolor()),
            "edge": colors(artist.get_edgecolor()),
            "width": artist.get_linewidth(),
        }
        yield line(" patch", box=box, **look, hatch=artist.get_hatch() or None, dashes=artist.get_linestyle(), **known)
    elif isinstance(artist, Collection):
        yield from _collection(artist, known)
    elif isinstance(artist, Legend):
        yield from _legend(artist)


def _collection(artist: Collection, known: dict[str, Any]) -> Iterator[str]:
    name = type(artist).__name__
    look = {
        "face": colors(artist.get_facecolor()) if len(artist.get_facecolor()) else None,
        "edge": colors(artist.get_edgecolor()) if len(np.atleast_1d(artist.get_edgecolor())) else None,
        "width": np.unique(np.asarray(artist.get_linewidth(), dtype=float)),
    }
    if name == "PathCollection":
        marker = np.round(np.asarray(artist.get_paths()[0].vertices)[:3], 4)
        yield line(" points", data=artist.get_offsets(), marker=marker, size=artist.get_sizes(), **look, **known)  # type: ignore[attr-defined]
    elif name == "QuadContourSet":
        any_artist: Any = artist
        yield line(
            " contours",
            filled=any_artist.filled,
            levels=any_artist.levels,
            map=artist.get_cmap().name if any_artist.filled else None,
            **look,
            **known,
        )
    else:
        paths = [path.vertices for path in artist.get_paths()] if name != "QuadMesh" else None
        yield line(f" {name}", paths=paths, **look, **known)


def _legend(legend: Legend) -> Iterator[str]:
    any_legend: Any = legend
    titled = legend.get_title()
    handles = [
        (type(each).__name__, to_hex(each.get_color()) if isinstance(each, Line2D) else "")
        for each in legend.legend_handles
    ]
    texts = [(text.get_text(), text.get_fontsize()) for text in legend.get_texts()]
    yield line(
        " legend", texts=texts, handles=handles, title=titled.get_text() or None,
        title_size=titled.get_fontsize() if titled.get_text() else None, frame=legend.get_frame_on(),
        at=any_legend._loc, outside=getattr(legend, "_outside_loc", None), columns=any_legend._ncols,
        length=legend.handlelength, alignment=legend.get_alignment(),
    )  # fmt: skip
