"""Pictures as values: notebooks show them, and they can be saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from splc.io.files import write_whole
from splc.plotting.style import has_matplotlib, plot_format


@dataclass(frozen=True)
class Picture:
    """A picture that is drawn when it is shown or saved.

    Attributes:
        draw: returns the picture as a file of a format: svg, png or pdf.
    """

    draw: Callable[[str], bytes]

    def save(self, file: str | Path) -> None:
        """Write it to a file; the suffix chooses the format.

        Raises:
            OutputError: if the format is unknown, or the file cannot be written.
        """
        drawn = plot_format(file)
        write_whole(file, self.draw(drawn))

    @property
    def shown(self) -> str:
        """The format that notebooks show: PNG, which every one has, or SVG without matplotlib."""
        return "png" if has_matplotlib() else "svg"

    def _repr_mimebundle_(self, **options: object) -> dict[str, bytes | str]:
        del options
        if self.shown == "svg":
            return {"image/svg+xml": self.draw("svg").decode()}
        return {"image/png": self.draw("png")}
