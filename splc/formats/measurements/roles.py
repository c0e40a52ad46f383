"""The roles of the columns of a table without a description of the system: options, properties, contexts.

Columns that the user names as options are options; columns of text among them become alternative groups. What is an
option without these names remains one. All others:

- columns of zeros and ones (`true` and `false`, `yes` and `no`, `on` and `off`) are binary options;
- other numbers are numeric options if they are to the left of the first property. A property is named by the user, or
  has fractions and nearly a different value in every row (a name such as `time_ms` needs less), or has more than
  `MAX_VALUES` values that are not needed to distinguish the configurations. If there is none, the last column of
  numbers is the property. In fewer than `MIN_ROWS` rows, fractions that differ in every row are a property if something
  else is to their left;
- numbers with gaps are properties, but options that are deselected in some rows if they are to the left of the first
  property, their other cells are empty, and their values are repeated;
- numbers among the options that are a function of others are ignored: a sum or a product (`ranks` = `px` · `py`), or
  another function whose values were repeated in other configurations. Columns that count rows or repetitions by their
  name (`id`, `rep`) are ignored, too, and so are columns without values;
- statistics beside a mean, time stamps and hashes (`splc.formats.measurements.evidence`) are ignored unless the user
  names them, and so are properties that are a constant times another one;
- columns of text are contexts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from splc.data.value_texts import TRUTH
from splc.errors import InputError, Problem, Problems, listed, unknown_name_hint
from splc.formats.measurements.coded_columns import MAX_TESTS, MAX_VALUES, MIN_ROWS, CodedColumns
from splc.formats.measurements.columns import MISSING, ColumnChoice, has_other_decimals, kind_of
from splc.formats.measurements.evidence import left_out
from splc.io.cells import distinct_texts, has_text, texts_in
from splc.io.numbers import parse_column
from splc.system.variability import ROOT
from splc.types import Array

# Texts that may be versions: `1.9` and `1.10`.
_DECIMAL, _PADDED = re.compile(r"[0-9]+\.[0-9]+"), re.compile(r"[0-9]+\.[0-9]+0")
# Names of columns of numbers that are rather contexts.
CONTEXT_NAMES = ("version", "release", "revision", "commit", "build", "year", "date", "machine", "host", "platform")


@dataclass(frozen=True, eq=False)
class Roles:
    """The roles of the columns of a table.

    Attributes:
        binary: binary options, in the order of the columns, and likewise all others.
        numeric: numeric options.
        text: text columns that are options.
        properties: properties; the first one is the property that the user named, if there is one.
        contexts: contexts.
        ignored: column → why it is ignored.
        differing: properties with few whole numbers that differ among rows of the same configuration and contexts,
            after the contexts that differ among rows of the same configuration.
        versions: numeric options whose texts look like versions, with the text that is read as another number.
        named_contexts: numeric options whose names are those of contexts, if the user did not name them.
        gaps: numeric option that the user did not name → the rows in which it has no value, unless another option
            says which these are.
        instead: the property that is one only because the user named all other columns as options, None if none is.
        numbers: column → its numbers, shape (n,), NaN where there is none.
        evident: columns that are ignored because of their names and contents (`splc.formats.measurements.evidence`).
    """

    binary: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    text: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    ignored: Mapping[str, str] = field(default_factory=dict)
    differing: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    named_contexts: tuple[str, ...] = ()
    gaps: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    instead: str | None = None
    numbers: Mapping[str, Array] = field(default_factory=dict)
    evident: tuple[str, ...] = ()


def roles_of(
    columns: Mapping[str, Sequence[str]],
    file: str,
    *,
    nfp: str | None = None,
    choice: ColumnChoice | None = None,
    measured: bool = True,
) -> Roles:
    """Return the roles of the columns of a table.

    Args:
        columns: name → cells.
        file: the file, for messages.
        nfp: the property that the user named, None if there is none.
        choice: options, contexts and ignored columns that the user named; None if there are none.
        measured: whether a column must be a property; without one, options are those that are named.

    Raises:
        InputError: if the user named a column that the table does not have, or no column can be the property.
    """
    choice = (choice or ColumnChoice()).among(columns)
    _require_columns(columns, file, nfp, choice)
    ignored = dict.fromkeys((name for name in columns if name in choice.ignore), "as requested")
    evident: dict[str, str] = {}
    if not choice.properties:
        evident = left_out(columns, {*choice.options, *choice.named, *choice.usual, *ignored, nfp or ""})
    ignored |= evident
    numbers: dict[str, Array] = {}
    contexts: list[str] = []
    text: list[str] = []
    for name, texts in columns.items():
        if name == ROOT or name in ignored:
            continue
        values = numbers_in(texts)
        kind = kind_of(texts, values)
        if name in choice.options:
            numbers[name] = values
            if kind != "numbers":
                text.append(name)
        elif choice.is_context(name, nfp):
            contexts.append(name)
        elif name != nfp and kind == "empty" and texts:
            ignored[name] = "it has no values"
        elif name != nfp and kind == "text" and not has_other_decimals(texts):
            contexts.append(name)
        else:
            numbers[name] = values
    table = CodedColumns(numbers, {name: columns[name] for name in (*text, *contexts)})
    explicit = {name: None for name in numbers if name in choice.options}
    for name in [
        name
        for name in numbers
        if name != nfp and name not in explicit and name not in choice.properties and table.counts(name)
    ]:
        ignored[name] = "it seems to count rows or repetitions"
        del numbers[name]
    gapped = [name for name in numbers if not table.complete(name)]
    table.blank.update(name for name in gapped if _has_blanks(columns[name], table.gaps(name)))
    # A file that states its properties states its options, too.
    result = (
        (explicit, {}, None)
        if choice.properties or not measured
        else _options(table, [*numbers], nfp, explicit, frozenset(text))
    )
    if result is None:
        raise _no_property(file)
    options, functions, instead = result
    ignored |= {name: f"it is a function of {listed(arguments)}" for name, arguments in functions.items()}
    outputs = tuple(name for name in numbers if name not in options and name not in functions)
    if not outputs and measured:
        raise _no_property(file)
    multiples: dict[str, str] = {}
    if not choice.properties:
        multiples = _multiples(table, _first(outputs, nfp))
        ignored |= {name: f"it is a constant times {other}, or divided by it" for name, other in multiples.items()}
        outputs = tuple(name for name in outputs if name not in multiples)
    of_text = set(text)
    # The versions before an option have no value of it.
    switches = {name for name in options if name not in of_text and table.has_blank_zeros(name)}
    numbers |= {name: np.nan_to_num(numbers[name]) for name in switches}
    binary = tuple(name for name in options if name not in of_text and (table.is_binary(name) or name in switches))
    numeric = tuple(name for name in options if name not in of_text and name not in binary)
    versions = {name: version for name in numeric if name not in explicit and (version := _version(columns[name]))}
    return Roles(
        binary,
        numeric,
        tuple(text),
        _first(outputs, nfp),
        tuple(contexts),
        ignored,
        _differing(table, options, contexts, [name for name in outputs if name != nfp]),
        versions,
        tuple(
            name
            for name in numeric
            if name.casefold() in CONTEXT_NAMES
            if name not in explicit and name not in versions and table.sizes[name] > 1
        ),
        {
            name: rows
            for name in (*numeric, *switches)
            if name not in explicit and (rows := _unexplained(table, name, options))
        },
        instead,
        numbers,
        (*evident, *multiples),
    )


def _multiples(table: CodedColumns, names: Sequence[str]) -> dict[str, str]:
    """Return the properties that state the same as one before them, with this one."""
    multiples: dict[str, str] = {}
    if len(names) <= MAX_VALUES:
        for at, name in enumerate(names):
            other = next((base for base in names[:at] if base not in multiples and table.is_multiple(name, base)), None)
            if other is not None:
                multiples[name] = other
    return multiples


def _has_blanks(texts: Sequence[str], gaps: Array) -> bool:
    """Return whether the cells without a number are empty."""
    return not has_text(texts_in(texts, np.flatnonzero(gaps)))


def _unexplained(table: CodedColumns, name: str, options: Iterable[str]) -> tuple[int, ...]:
    """Return the rows in which an option has no value, unless these are the rows with some values of another option."""
    if table.complete(name):
        return ()
    gaps = table.gaps(name)
    if any(table.decides(other, gaps) for other in options if other != name):
        return ()
    return tuple(np.flatnonzero(gaps).tolist())


def _differing(
    table: CodedColumns, options: Iterable[str], contexts: Sequence[str], properties: Sequence[str]
) -> tuple[str, ...]:
    """Return the properties that look like options, after the contexts that could be options as well."""
    few = [name for name in properties if table.sizes[name] <= MAX_VALUES and table.has_integers(name)]
    if not few:
        return ()
    group = table.groups(options)
    mixed = [name for name in contexts if table.differs(name, group)]
    for name in mixed:
        group = table.refined(group, name)
    differing = [name for name in few if table.differs(name, group)]
    return (*mixed, *differing) if differing else ()


def _version(texts: Sequence[str]) -> str | None:
    """Return a text such as `1.10`, which is read as 1.1, if others have fewer digits after the point."""
    distinct = sorted({text.strip() for text in distinct_texts(texts)[0]})
    decimals = [len(text.partition(".")[2]) for text in distinct if _DECIMAL.fullmatch(text)]
    return next(
        (text for text in distinct if _PADDED.fullmatch(text) and len(text.partition(".")[2]) > min(decimals)), None
    )


def _require_columns(columns: Mapping[str, Sequence[str]], file: str, nfp: str | None, choice: ColumnChoice) -> None:
    problems = Problems(file)
    kinds = {**dict.fromkeys(choice.options, "option"), **dict.fromkeys(choice.ignore, "column")}
    kinds |= dict.fromkeys(choice.named, "context") | ({} if nfp is None else {nfp: "property"})
    for name, kind in kinds.items():
        if name not in columns and name not in choice.optional:
            text = "there is no column" if kind == "column" else f"there is no column for the {kind}"
            problems.add(f"{text} {name!r}", hint=unknown_name_hint(name, list(columns)))
    for name in choice.options:
        if name == nfp or name in choice.ignore or name in choice.named:
            kind = "the property" if name == nfp else "ignored" if name in choice.ignore else "a context"
            problems.add(f"the option {name!r} is also {kind}", hint="name it only once")
    problems.raise_if_any(InputError)


def _no_property(file: str) -> InputError:
    hint = (
        "name the column of the measured values with --property, and options that are not found with --options (in "
        "Python nfp and options); a table of configurations without measured values is for splc measure TABLE"
    )
    return InputError(Problem("no column seems to be a property", file, hint=hint))


def numbers_in(texts: Sequence[str]) -> Array:
    """Return the numbers in a column, also those of words such as `yes`."""
    values = parse_column(texts)
    unread = np.flatnonzero(np.isnan(values))
    distinct, codes = distinct_texts(texts_in(texts, unread))
    words = [text.strip().casefold() for text in distinct]
    # In a column with `full` and `normal`, `off` is a text, too.
    if all(word in TRUTH or word in MISSING for word in words):
        values[unread] = np.array([TRUTH.get(word, np.nan) for word in words])[codes]
    return values


def _first(names: Sequence[str], nfp: str | None) -> tuple[str, ...]:
    return tuple(sorted(names, key=lambda name: name != nfp))


def _options(
    table: CodedColumns, names: Sequence[str], nfp: str | None, explicit: Collection[str], text: Collection[str]
) -> tuple[dict[str, None], dict[str, tuple[str, ...]], str | None] | None:
    """Return the options, those that were left out because they are functions of others, and a property.

    The names of options add options: what is an option without them remains one. Only if no property was left, the last
    option becomes the property that is returned.

    Args:
        table: the table.
        names: the columns of numbers and the options of text, in their order.
        nfp: the property that the user named, None if there is none.
        explicit: the columns that the user named as options.
        text: those of them that are columns of text.
    """
    beside = _found(table, names, nfp, explicit)
    if beside is None:
        return None
    alone = (_found(table, [name for name in names if name not in text], nfp, ()) or {}) if explicit else beside
    chosen = {name: None for name in names if name in explicit or name in beside or name in alone}
    instead = None
    if len(chosen) == len(names):
        chosen = beside
        instead = next((name for name in alone if name not in chosen), None)
    inferred = {name: None for name in alone if name in chosen}
    functions = _functions(table, [name for name in inferred if name not in explicit], inferred)
    chosen = {name: None for name in chosen if name not in functions}
    functions |= _functions(table, [name for name in chosen if name not in explicit and name not in inferred], chosen)
    return {name: None for name in chosen if name not in functions}, functions, instead


def _found(
    table: CodedColumns, names: Sequence[str], nfp: str | None, explicit: Collection[str]
) -> dict[str, None] | None:
    """Return the options by the rules for the positions of columns; None if no column can be the property.

    `explicit`: the columns that the user named as options.
    """
    options = {name: None for name in names if name in explicit}
    group = table.groups(options)
    boundary = None
    # Columns without values where properties have none are properties, too.
    failed = np.zeros(table.rows, dtype=bool)
    for name in names:
        if not table.complete(name) and (name == nfp or table.seems_measured(name)):
            failed |= table.gaps(name)
    # The last column that differs in every row.
    last_different = next((at for at in reversed(range(len(names))) if table.differs_everywhere(names[at])), -1)
    for index, name in enumerate(names):
        if name in options:
            continue
        if table.rows < MIN_ROWS:
            leads = not options and boundary is None and index < last_different
            measured = table.differs_everywhere(name) and not table.has_integers(name) and not leads
        else:
            measured = table.seems_measured(name)
        if name == nfp or measured or table.seems_counted(name, group):
            boundary = index
            if options:
                break
        elif table.complete(name) or (table.may_be_deselected(name) and (table.gaps(name) & ~failed).any()):
            options[name] = None
            group = table.refined(group, name)
    if boundary is None:
        last = next((name for name in reversed(names) if name not in explicit and not table.is_binary(name)), None)
        if last is None:
            return None
        options.pop(last, None)
        group = table.groups(options)
        boundary = len(names)
    for name in names[boundary + 1 :]:
        if name == nfp or name in options or not table.is_binary(name) or table.sizes[name] == 1:
            continue
        # Zeros and ones to the right of a property are results if the rows of each configuration agree in them.
        if table.differs(name, group) if table.rows < MIN_ROWS else not table.is_result(name, group):
            options[name] = None
            group = table.refined(group, name)
    return {name: None for name in names if name in options}


def _functions(table: CodedColumns, names: Sequence[str], options: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the numeric options among some columns that are functions of other options, with these."""
    functions: dict[str, tuple[str, ...]] = {}
    inputs = list(options)
    numeric = [name for name in names if not table.is_binary(name) and table.complete(name) and table.sizes[name] > 1]
    if len(numeric) * len(inputs) ** 2 <= MAX_TESTS:
        for name in reversed(numeric):
            arguments = table.arguments(name, [other for other in inputs if other != name])
            if arguments is not None:
                functions[name] = arguments
                inputs.remove(name)
    return functions
