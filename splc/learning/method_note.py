"""Notes of learners about how a model was found."""

from __future__ import annotations


class MethodNote(str):
    """A note about how a model was found, which few readers need: other notes are more important."""

    __slots__ = ()
