"""Pages: text by hand, with generated blocks between markers."""

from __future__ import annotations

import re
from collections.abc import Mapping

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
