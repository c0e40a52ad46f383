"""`python generate.py`: write the file that is compressed, `input.bin`: the same 12 MiB on every machine.

A third each: lines of a log, words in the frequencies of a natural language, and records of binary numbers, in blocks
of 64 KiB that take turns. Half of the last 5 MiB repeat one from 7 MiB before, which only a large window reaches.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from pathlib import Path

BLOCK = 64 * 1024
BLOCKS = 192
DISTANCE = 112
LETTERS = "etaoinshrdlucmfw"
METHODS = ("GET", "PUT", "POST", "HEAD")


def log(rng: random.Random) -> bytes:
    """Return lines of a web server's log."""
    lines, length = [], 0
    while length < BLOCK:
        path = "/".join(f"{rng.randrange(40):02d}" for _ in range(rng.randrange(1, 5)))
        address = f"10.0.{rng.randrange(4)}.{rng.randrange(256)}"
        method, status = rng.choice(METHODS), rng.choice((200, 200, 200, 304, 404))
        line = f"{address} {method} /{path} {status} {rng.randrange(99999)}\n"
        lines.append(line)
        length += len(line)
    return "".join(lines).encode()[:BLOCK]


def text(rng: random.Random, words: list[str]) -> bytes:
    """Return words, the frequent ones first in the list (Zipf's law)."""
    count = BLOCK // 3
    ranks = [int(len(words) ** rng.random()) - 1 for _ in range(count)]
    return " ".join(words[rank] for rank in ranks).encode()[:BLOCK]


def records(rng: random.Random) -> bytes:
    """Return records of a counter, a slowly changing number and a random byte."""
    level, found = 0, bytearray()
    for counter in range(BLOCK // 8):
        level += rng.randrange(-3, 4)
        found += struct.pack("<IhBB", counter, level % 30000, rng.randrange(256), 0)
    return bytes(found)


def content() -> bytes:
    """Return the whole file."""
    rng = random.Random(1)
    words = ["".join(rng.choices(LETTERS, k=rng.randrange(2, 11))) for _ in range(20000)]
    kinds: tuple[Callable[[], bytes], ...] = (lambda: log(rng), lambda: text(rng, words), lambda: records(rng))
    blocks: list[bytes] = []
    for number in range(BLOCKS):
        repeated = number >= DISTANCE and number % 8 < 4
        blocks.append(blocks[number - DISTANCE] if repeated else kinds[number % len(kinds)]())
    return b"".join(blocks)


if __name__ == "__main__":
    Path(__file__).with_name("input.bin").write_bytes(content())
