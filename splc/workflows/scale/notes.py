"""The notes on the models of a profile: equal notes of many models are merged into one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from splc.data.experiment import title
from splc.errors import plural
from splc.scaling.profile import Profile
from splc.workflows.note import Note, notes_of

SHOWN = 8
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")


def profile_notes(profile: Profile) -> tuple[Note, ...]:
    """Return warnings about series without a model, and the notes of the models."""
    models, failed = profile.models, list(profile.failed.items())
    notes = [Note(f"no model of {title(key) or 'it'}: {reason}", warning=True) for key, reason in failed[:SHOWN]]
    if len(failed) > SHOWN:
        notes.append(Note(f"no model of {len(failed) - SHOWN:,} others either", warning=True))
    if len(models) == 1:
        return (*notes, *notes_of(next(iter(models.values())).notes))
    counts = Counter(text for model in models.values() for text in model.notes)
    kinds: dict[str, list[str]] = {}
    for text, count in counts.items():
        kinds.setdefault(_NUMBER.sub("#", text), []).extend([text] * count)
    groups = sorted(kinds.values(), key=len, reverse=True)
    for texts in groups[:SHOWN]:
        which = "all models" if len(texts) == len(models) else plural(len(texts), "model", "models")
        (note,) = notes_of(texts[:1])
        notes.append(replace(note, text=f"{which}: {merged(texts)}"))
    if len(groups) > SHOWN:
        notes.append(Note(f"{len(groups) - SHOWN:,} more kinds of notes are in the JSON (-o FILE.json, --json)"))
    return tuple(notes)


def merged(texts: Sequence[str]) -> str:
    """Return texts that differ in numbers only as one text with ranges of numbers."""
    numbers = zip(*(_NUMBER.findall(text) for text in dict.fromkeys(texts)), strict=True)
    ranges = []
    for column in numbers:
        low, high = min(column, key=float), max(column, key=float)
        ranges.append(low if low == high else f"{low} … {high}")
    pieces = _NUMBER.split(texts[0])
    return "".join(piece + number for piece, number in zip(pieces, [*ranges, ""], strict=True))
