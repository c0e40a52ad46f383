"""Pages: text by hand, with generated blocks between markers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from casestudies.evaluation.evaluation import Row, rows_of
from splc.io.files import write_whole
from splc.io.tables import Table, markdown_text

_BLOCK = re.compile(
    r"(?P<begin><!-- begin (?P<name>[\w.-]+)[^>]*-->\n)(?P<body>.*?)<!-- end (?P=name) -->\n", re.DOTALL
)


def blocks_of(page: str) -> dict[str, str]:
    """Return name → content of the generated blocks."""
    found: dict[str, str] = {}
    for match in _BLOCK.finditer(page):
        if match["name"] in found:
            raise ValueError(f"duplicate block {match['name']}")
        found[match["name"]] = match["body"]
    if len(re.findall(r"<!-- (?:begin|end) ", page)) != 2 * len(found):
        raise ValueError("a marker of a block has no partner")
    return found


def with_blocks(page: str, blocks: Mapping[str, str]) -> str:
    """Return a page with the content of all its blocks replaced."""
    if (there := set(blocks_of(page))) != set(blocks):
        raise ValueError(f"the page and the report have different blocks: {', '.join(sorted(there ^ set(blocks)))}")

    def replaced(match: re.Match[str]) -> str:
        name = match["name"]
        return f"{match['begin']}{blocks[name].rstrip()}\n<!-- end {name} -->\n"

    return _BLOCK.sub(replaced, page)


def write_blocks(folder: Path, blocks: Mapping[str, str]) -> None:
    """Write the blocks into the `README.md` of a folder."""
    path = folder / "README.md"
    write_whole(path, with_blocks(path.read_text(encoding="utf-8"), blocks))


@dataclass(frozen=True)
class Page:
    """The `README.md` of evaluations, whose blocks are tables of their committed rows."""

    folder: Path  # its folder, which has a results folder per evaluation
    # block → its results folder, and what makes its table, or its tables, from the rows there
    tables: Mapping[str, tuple[str, Callable[[Sequence[Row]], Table | Iterable[Table]]]]
    digits: int = 3  # the digits of numbers

    def made(self) -> dict[str, tuple[Table, ...]]:
        """Return block → its tables; none of an evaluation that was not run."""
        paths = {name: self.folder / name / "table.csv" for name, _ in self.tables.values()}
        rows = {name: rows_of(path) for name, path in paths.items() if path.is_file()}
        found = {block: make(rows[name]) if name in rows else () for block, (name, make) in self.tables.items()}
        return {block: (tables,) if isinstance(tables, Table) else tuple(tables) for block, tables in found.items()}

    def blocks(self) -> dict[str, str]:
        """Return name → Markdown of all blocks."""
        made = self.made().items()
        return {block: "\n".join(markdown_text(table, self.digits) for table in tables) for block, tables in made}

    def write(self) -> None:
        """Write the blocks."""
        write_blocks(self.folder, self.blocks())
