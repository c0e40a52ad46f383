"""Fields that several requests have, as annotated types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from splc.types import Aggregate, Duplicates, Invalid
from splc.workflows.field_values import values_of
from splc.workflows.fields import as_flag, as_option

INPUTS = "Inputs (default: those of the current folder)"
POLICIES = "Problematic measurements"

System = Annotated[str | None, as_option("FILE", "The system description or feature model, or a table.", INPUTS)]
Nfp = Annotated[str | None, as_option("NAME", "The non-functional property.", INPUTS, names="--property --nfp")]
InvalidRows = Annotated[Invalid, as_option("error|drop", "Rows whose configuration is unknown or invalid.", POLICIES)]
DuplicateRows = Annotated[
    Duplicates, as_option("error|first|mean", "XML rows that measure a configuration again.", POLICIES)
]
Repetitions = Annotated[
    Aggregate | None,
    as_option("mean|median|min", "What represents repetitions.", POLICIES, default="mean"),
]
ContextColumns = Annotated[
    tuple[str, ...], as_option("COLUMN,…", "Contexts with numeric values. Can be repeated.", POLICIES)
]
IgnoredColumns = Annotated[
    tuple[str, ...], as_option("COLUMN,…", "Columns that are not read. Can be repeated.", POLICIES)
]
NoConstraints = Annotated[bool, as_flag("--no-constraints", "Infer no constraints from a table.", INPUTS)]
Seed = Annotated[int, as_option("N", "The seed of random draws.", minimum=0)]
Sampling = Annotated[str | None, as_option("SPEC", "The sampling: 'pb:9,3', 'pairwise+ff', …")]
Binary = Annotated[str | None, as_option("SPEC", "The sampling of the binary options: 'pairwise', …")]
Numeric = Annotated[str | None, as_option("SPEC", "The sampling of the numeric options: 'pb:9,3', …")]
SelectedRows = Annotated[
    Mapping[str, str],
    as_option(
        "COLUMN=VALUE", "The rows with this value only. Can be repeated.", POLICIES, parse=values_of, repeated=True
    ),
]
Printed = Annotated[bool, as_flag("--printed", "Predict with the printed model although the file has the full one.")]
