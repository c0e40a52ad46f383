"""A writer of small CUBE4 profiles, as Score-P writes them, from the description of the format."""

from __future__ import annotations

import io
import struct
import tarfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

# Call path → value of each location; parents come before their children.
Values = Mapping[str, Sequence[float]]


def write_cube(
    path: Path,
    metrics: Mapping[str, tuple[str, str, Values]],
    *,
    nodes: Sequence[str],
    compressed: bool = False,
) -> Path:
    """Write a profile, with its values compressed or not.

    `metrics`: name → (`INCLUSIVE` or `EXCLUSIVE`, type such as `DOUBLE`, values); without any it has no members.
    `nodes`: all call paths, each after its caller, in depth-first order.
    """
    locations = max((len(own) for _, _, values in metrics.values() for own in values.values()), default=1)
    members = {"anchor.xml": _anchor(metrics, nodes, locations).encode()}
    for number, (kind, form, values) in enumerate(metrics.values()):
        if not values:
            continue
        order = list(nodes) if kind == "EXCLUSIVE" else _wide(nodes)
        kept = [at for at, node in enumerate(order) if node in values]
        index = b"CUBEX.INDEX" + struct.pack("<ih", 1, 0) + b"\1" + struct.pack("<i", len(kept))
        members[f"{number}.index"] = index + struct.pack(f"<{len(kept)}i", *kept)
        letter = "Q" if form == "UINT64" else "d"
        numbers = [value for at in kept for value in values[order[at]]]
        raw = struct.pack(f"<{len(numbers)}{letter}", *(int(x) if letter == "Q" else x for x in numbers))
        packed = zlib.compress(raw)
        shorter = b"ZCUBEX.DATA" + struct.pack("<qqqq", 1, 0, 0, len(packed)) + packed
        members[f"{number}.data"] = shorter if compressed else b"CUBEX.DATA" + raw
    write_archive(path, members)
    return path


def write_archive(path: Path, members: Mapping[str, bytes]) -> None:
    """Write an archive of files into a folder, which is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))


def _children(nodes: Sequence[str], parent: str) -> list[str]:
    return [node for node in nodes if node.rpartition("->")[0] == parent]


def _wide(nodes: Sequence[str]) -> list[str]:
    """Return the order of the values of inclusive metrics: the children of a node follow each other."""
    found, stack = [nodes[0]], [nodes[0]]
    while stack:
        children = _children(nodes, stack.pop())
        found += children
        stack += reversed(children)
    return found


def _anchor(metrics: Mapping[str, tuple[str, str, Values]], nodes: Sequence[str], locations: int) -> str:
    number = {node: at for at, node in enumerate(nodes)}

    def tree(node: str) -> str:
        inner = "".join(map(tree, _children(nodes, node)))
        return f'<cnode id="{number[node]}" calleeId="{number[node]}">{inner}</cnode>'

    described = "".join(
        f'<metric id="{at}" type="{kind}"><disp_name>{name}</disp_name><uniq_name>{name}</uniq_name>'
        f"<dtype>{form}</dtype><uom>sec</uom><url/><descr/></metric>"
        for at, (name, (kind, form, _)) in enumerate(metrics.items())
    )
    regions = "".join(
        f'<region id="{at}" mod="" begin="-1" end="-1"><name>{escape(node.rpartition("->")[2].strip())}</name></region>'
        for node, at in number.items()
    )
    ranks = "".join(
        f'<locationgroup Id="{rank}"><name>{rank}</name><rank>{rank}</rank><type>process</type>'
        f'<location Id="{rank}"><name>master</name><rank>0</rank><type>thread</type></location></locationgroup>'
        for rank in range(locations)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<cube version="4.4">'
        f"<metrics>{described}</metrics><program>{regions}{tree(nodes[0])}</program>"
        f'<system><systemtreenode Id="0"><name>machine</name>{ranks}</systemtreenode></system></cube>'
    )
