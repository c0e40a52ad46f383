"""Options that several commands have and no request has."""

from __future__ import annotations

from typing import Annotated

from splc.workflows.common_fields import POLICIES
from splc.workflows.fields import as_flag, as_option

Json = Annotated[bool, as_flag("--json", "Print one JSON object.")]
QUIET = as_flag("--quiet -q", "Print the answer only: no terms, notes or next steps.")
VERBOSE = as_flag("--verbose -v", "Print all notes, and the steps.")
By = Annotated[
    str | None,
    as_option(
        "COLUMN",
        "Do this for each value of this context (version, machine). Files are written per value: the value replaces {} "
        "in the name, or is added to it.",
        POLICIES,
    ),
]
