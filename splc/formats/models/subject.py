"""The system and the property that the file of a learned model is about, as far as it names them."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self

from splc.formats.models.log_writer import COMMAND, NFP
from splc.io.files import Source

# The lines of logs, and the heading of exported models (`splc.formats.models.stored_model`).
_SYSTEM = re.compile(rf"^{COMMAND}system: (.+)$", re.MULTILINE)
_PROPERTY = re.compile(rf"^{NFP}(.+)$|model of (.+?) of .+, by splc ", re.MULTILINE)


@dataclass(frozen=True)
class Subject:
    """The system and the property of a model."""

    system: str | None  # the name of the system, None if it is unknown
    nfp: str | None  # the property, None if it is unknown

    @classmethod
    def of_profile(cls, file: str, metric: str | None) -> Self:
        """Return the subject of the scaling models of a profile."""
        return cls(f"the profile {file}", metric)

    def differs(self, other: Subject) -> bool:
        """Return whether both name a system or a property, and it is another one; logs hold single spaces."""
        pairs = ((self.system, other.system), (self.nfp, other.nfp))
        return any(first is not None and two is not None and first.split() != two.split() for first, two in pairs)

    def __str__(self) -> str:
        return " of ".join(name for name in (self.nfp, self.system) if name is not None)


def subject_of(source: Source) -> Subject:
    """Return what the last model of a file is about; of other and damaged files nothing is known."""
    text = source.data.decode("utf-8", errors="replace")
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError):
        systems = _SYSTEM.findall(text)
        properties = [quoted_name or two for quoted_name, two in _PROPERTY.findall(text)]
        return Subject(systems[-1] if systems else None, properties[-1] if properties else None)
    content = content if isinstance(content, dict) else {}
    provenance = content.get("provenance")
    # A program has no provenance.
    system = (provenance if isinstance(provenance, dict) else content).get("system")
    nfp = content.get("nfp", content.get("property"))
    if system is None and ("callpath" in content or "models" in content):
        with suppress(KeyError, TypeError):
            return Subject.of_profile(content["files"]["measurements"]["path"], nfp)
    return Subject(system if isinstance(system, str) else None, nfp if isinstance(nfp, str) else None)
