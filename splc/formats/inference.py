"""Inference of the description of a system from a table of its measurements."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from splc.data.table import NOT_USED, names_of
from splc.errors import InputError, Problem, listed, plural
from splc.formats.coded_columns import MIN_GROUPS, CodedColumns, repeats
from splc.formats.column_choice import ColumnChoice, StatedRoles
from splc.formats.detect import is_xml
from splc.formats.doubts import doubts_about
from splc.formats.labels import is_scatter
from splc.formats.measurements.constraints import option_table, pair_text, with_mined_constraints
from splc.formats.measurements.selections import truth_words
from splc.formats.measurements.tables import read_file_columns, read_table
from splc.formats.roles import Roles, option_columns, roles_of
from splc.formats.table import TableSource, read_columns, table_of
from splc.io.csv_rows import distinct_texts, has_text, rows_with, sorted_distinct, texts_in
from splc.io.files import Source
from splc.io.numbers import number_text, parse_column
from splc.system.constraints import BooleanConstraint, OptionLiteral
from splc.system.groups import Alternatives, alternatives_among
from splc.system.mining import MinedConstraints, OptionRows
from splc.system.options import BinaryOption, NumericOption, Option, Presentation, alternative_options
from splc.system.variability import VariabilityModel

# The most values that a text column may have as an option.
MAX_CHILDREN = 1000
_SHOWN_VALUES = 6
# Numeric options with fractions have fewer levels.
_CONTINUOUS = 20
# How reasons begin to leave out numbers that were not measured; and the rows among which texts are looked for.
_NOT_MEASURED = ("it seems to count", "it says the same", "it numbers", "it is a function", "time stamps", "clock ")
_LOOKED_AT = 1000


@dataclass(frozen=True, eq=False, kw_only=True)
class Inference(Roles):
    """The roles of the columns of a table, and the description inferred from it."""

    source: Source  # the table
    system: VariabilityModel  # the description
    assumptions: tuple[str, ...] = ()  # the assumptions, one line each
    uncertain: tuple[tuple[str, ...], ...] = ()  # sets of options that could also be alternative groups
    chosen: bool = False  # whether the user named options
    notes: tuple[str, ...] = ()  # remarks of the reader of the table
    main: str | None = None  # the property to use if the user names none, None if the format of the file has none
    # the constraints that all rows satisfy by far more than chance
    mined: MinedConstraints = field(default_factory=MinedConstraints)
    # the values of the options in the rows, None where constraints were inferred from them
    option_rows: OptionRows | None = field(default=None, repr=False)

    def with_constraints(self) -> Inference:
        """Return the inference with the constraints that all rows satisfy by far more than chance."""
        if self.option_rows is None:
            return self
        system, mined = with_mined_constraints(self.system, self.option_rows)
        return replace(self, system=system, mined=mined, option_rows=None)

    @property
    def continuous(self) -> bool:
        """Whether a numeric option has fractions, and too many values to be levels: others are possible, too."""
        many = (option.values for option in self.system.numeric_options if len(option.values) >= _CONTINUOUS)
        return any(value % 1 for values in many for value in values)

    @property
    def first(self) -> str:
        """The property that is used if the user names none, empty without any."""
        return self.main or next(iter(self.properties), "")

    @property
    def spreads(self) -> tuple[str, ...]:
        """The columns that say by how much the runs differ that each value of the first property is the mean of."""
        return tuple(name for name in (*self.ignored, *self.properties) if is_scatter(name, self.first))

    @property
    def unseen(self) -> tuple[tuple[str, str], ...]:
        """Selections of two options that no row has, although chance hardly explains it, and what excludes them."""
        return tuple((pair.contradiction, pair_text(pair)) for pair in self.mined.unseen)

    def of_model(self, choice: ColumnChoice) -> ColumnChoice:
        """Return the roles of columns that the file of a model states: also those that are left out.

        What was measured, such as statistics, is not among them: it may be the property of another command.
        """
        columns = {} if is_xml(self.source) else read_columns(self.source, choice.unread).columns
        beginnings = {name: columns[name][:_LOOKED_AT] for name in self.ignored if name in columns}
        ignore = [
            name
            for name, cells in beginnings.items()
            if self.ignored[name].startswith(_NOT_MEASURED) or np.isnan(parse_column(cells)).all()
        ]
        return choice.over(ColumnChoice(ignore=tuple(ignore)).lenient)

    def completed(self, choice: ColumnChoice) -> ColumnChoice:
        """Return the roles of columns that the user chose, completed by those that were inferred."""
        result = choice.over(ColumnChoice(ignore=tuple(self.ignored)).lenient)
        return replace(result, inferred=not is_xml(self.source), mined=bool(self.mined))


def inference_of(
    source: Source,
    *,
    nfp: str | None = None,
    usual: str | None = None,
    choice: ColumnChoice | None = None,
    measured: bool | None = True,
) -> Inference:
    """Infer the description of a system from a file of its measurements.

    Binary options of which exactly one is selected in all rows, or in all rows with their parent, are an alternative
    group (`splc.system.groups`), and an option that is selected in no row cannot be selected. Other constraints
    that all rows satisfy by far more than chance are inferred unless the user says no (`splc.system.mining`). Numeric
    options have the values that occur. Options of text that the user chose become alternative groups.

    `usual`: the property if the file has it. `measured`: whether the table has a property; None: as its columns seem.
    """
    given, named = table_of(source), choice or ColumnChoice()
    nfp = given.own_names.get(nfp or "", nfp)
    choice = named.with_stated(given.stated, nfp)
    table = read_file_columns(source, choice.unread)
    columns, lines = table.columns, table.lines[1:]
    if not is_xml(source) and not choice.properties and measured is not False:
        kept = np.flatnonzero(np.diff(lines, prepend=-1))
        # What all rows of a list of repetitions repeat is no evidence, unless there are few lists.
        if 2 * MIN_GROUPS <= len(kept) < len(lines):
            columns = {name: texts_in(cells, kept) for name, cells in columns.items()}
            lines = [lines[at] for at in kept.tolist()]
    if without := () if is_xml(source) else _without_values(columns, choice.where):
        columns = {name: cells for name, cells in columns.items() if name not in without}
        choice = choice.among(table.columns)
        options, ignore = ([name for name in names if name not in without] for names in (choice.options, choice.ignore))
        choice = replace(choice, options=(*options,), ignore=(*ignore,))
    if usual is not None:
        # A log keeps one space where a name has several.
        nfp = next((name for name in columns if name.split() == usual.split()), nfp)
    if not is_xml(source):
        every = option_columns(columns, choice, measured=(nfp is not None or bool(choice.properties)) or measured)
        resolved = choice if every is None else replace(choice, options=every)
        roles = roles_of(columns, source.name, nfp=nfp, choice=resolved, lines=lines, measured=every is None)
    elif choice.options:
        hint = "leave options out: XML separates options from properties"
        raise InputError(Problem("the options of this file cannot be chosen", source.name, hint=hint))
    else:
        stated = table.stated or StatedRoles()
        numbers = {name: parse_column(texts) for name, texts in columns.items()}
        binary = tuple(name for name in columns if name not in stated.numeric)
        roles = Roles(binary, stated.numeric, (), stated.properties, numbers=numbers)
    if given.rows and given.stated is not None:
        # What a tool calls a benchmark may be an option.
        free = [name for name in given.stated.contexts if name in roles.contexts and not named.is_context(name)]
        roles = replace(roles, doubts=doubts_about(CodedColumns({}, free, columns), columns, (), free, ()))
    if not roles.columns:
        texts = ",".join(name for name in roles.contexts if name in columns)
        names = f" {shlex.quote(texts)}" if texts else ""
        hint = f"name the columns that are options with --options{names} (in Python the argument options)"
        raise InputError(Problem("no column seems to be an option", source.name, hint=hint))
    alternatives = alternatives_among(roles.binary, _distinct(roles))
    system = _system(given, columns, roles, alternatives)
    assumptions, warnings = [*_assumptions(system, roles, alternatives)], [*roles.warnings]
    if roles.differing:
        text = f"{roles.counts.sum():,} rows, {plural(len(roles.counts), 'configuration', 'configurations')}"
        # Rows are repetitions unless these columns are options.
        text += (
            f": rows of one configuration differ in {listed(roles.differing)}; --options names those that are options"
        )
        (assumptions if repeats(roles.counts) else warnings).append(text)
    values = {name: roles.numbers[name] for name in roles.properties if name in roles.numbers}
    measured_names = [name for name, column in values.items() if not np.isin(column, (0, 1)).all()]
    ignored = {**roles.ignored, **dict.fromkeys(without, "it has no values in the selected rows")}
    decided = roles.decided or bool(choice.properties)
    inference = Inference(
        **vars(replace(roles, ignored=ignored, warnings=(*warnings,), decided=decided, numbers={})),
        source=source,
        system=system,
        assumptions=(*assumptions,),
        uncertain=alternatives.uncertain,
        chosen=bool(choice.options),
        notes=(*given.notes, *table.remarks),
        # Zeros and ones are no property if there is another one.
        main=nfp or given.main or (measured_names[0] if len(measured_names) == 1 < len(roles.properties) else None),
        option_rows=option_table(system, columns, roles),
    )
    return inference.with_constraints() if choice.constraints else inference


def _without_values(columns: Mapping[str, Sequence[str]], where: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns that have values only in rows that the user did not select."""
    rows = rows_with(columns, where)
    if columns.keys().isdisjoint(where) or not len(rows):
        return ()
    others = {name: cells for name, cells in columns.items() if name not in where}
    return tuple(name for name, cells in others.items() if not has_text(texts_in(cells, rows)) and has_text(cells))


def _distinct(roles: Roles) -> np.ndarray:
    """Return the distinct rows of the binary options."""
    if not roles.binary:
        return np.zeros((1, 0), dtype=bool)
    packed = np.packbits(np.stack([roles.numbers[name] == 1 for name in roles.binary]).T, axis=1)
    packed = np.ascontiguousarray(np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))))
    # Numbers are sorted faster than texts.
    rows = sorted_distinct(packed.view(">u8" if packed.shape[1] == 8 else f"S{packed.shape[1]}").reshape(-1))
    return np.unpackbits(rows.view(np.uint8).reshape(len(rows), -1), axis=1, count=len(roles.binary)).astype(bool)


def _system(
    table: TableSource, columns: Mapping[str, Sequence[str]], roles: Roles, alternatives: Alternatives
) -> VariabilityModel:
    file = table.name
    group_of = {name: group for group in alternatives.groups for name in group.members}
    options: list[Option] = []
    constraints: list[BooleanConstraint] = []
    text, binary = frozenset(roles.text), frozenset(roles.binary)
    names = set(columns)
    for name in columns:
        if name in text:
            # An option, optional if cells are empty, and a child for each value, which is its output string.
            texts = {cell.strip() for cell in distinct_texts(columns[name])[0]}
            written = sorted(texts - {""})
            if len(written) > MAX_CHILDREN:
                message = f"the column {name!r} has {len(written):,} different texts"
                raise InputError(Problem(message, file, hint="if it is not an option, leave it out of the options"))
            children = [*alternative_options(name, written, names, optional="" in texts)]
            options += children
            names.update(option.name for option in children)
        elif name in binary:
            values = roles.numbers[name]
            presentation = Presentation(words=truth_words(columns[name]))
            option = BinaryOption(name, optional=not (values == 1).all(), presentation=presentation)
            if (group := group_of.get(name)) is not None:
                excluded = tuple((other,) for other in group.members if other != name)
                option = replace(option, parent=group.parent, optional=False, excluded=excluded)
            options.append(option)
            if not (values == 1).any():
                constraints.append(BooleanConstraint((OptionLiteral(name, False),), False, f"!{name}"))
    for name in roles.numeric:
        values = roles.numbers[name]
        present = sorted_distinct(values[~np.isnan(values)]).tolist()
        gaps = columns[name][int(np.argmax(np.isnan(values)))].strip().casefold() in NOT_USED
        flag = (0.0 if 0 not in present else min(*present, 0.0) - 1) if gaps and present else None
        options.append(NumericOption(name, tuple(present), deselected_flag=flag))
    options.sort(key=lambda option: isinstance(option, NumericOption))
    path = Path(table.files[0][0] if table.files else file).name.removesuffix(".gz")
    name = Path(path).stem if path not in ("", "<stdin>") else "system"
    return VariabilityModel(name, tuple(options), tuple(constraints), source=file, inferred=True)


def _assumptions(system: VariabilityModel, roles: Roles, alternatives: Alternatives) -> Iterator[str]:
    """Yield the assumptions, one line each."""
    if roles.binary:
        yield f"{plural(len(roles.binary), 'binary option', 'binary options')}: {listed(roles.binary)}"
    if roles.numeric:
        text = listed([_with_values(option) for option in system.numeric_options])
        yield f"{plural(len(roles.numeric), 'numeric option', 'numeric options')}: {text}"
    for group in alternatives.groups:
        below = f", below {group.parent}" if group.parent else ""
        yield f"alternative group: exactly one of {listed(group.members)}{below}"
    texts: dict[str, list[str]] = {name: [] for name in roles.text}
    for option in system.binary_options:
        if option.parent in texts:
            texts[option.parent].append(option.presentation.output_string or "")
    for name, children in texts.items():
        yield f"alternative group {name}: one of its texts {listed(children)}"
    never = [constraint.names[0] for constraint in system.constraints]
    always = [name for name in roles.binary if name in system.mandatory]
    always += [f"{option.name} = {option.values[0]:.6g}" for option in system.numeric_options if option.size == 1]
    if always:
        yield f"the same in all rows: {listed(always)}"
    if never:
        yield f"selected in no row, taken as never selectable: {listed(never)}"
    for members in alternatives.uncertain[:3]:
        yield f"could also be an alternative group, not assumed: {listed(members)}"
    if roles.properties:
        yield f"{'property' if len(roles.properties) == 1 else 'properties'}: {listed(roles.properties)}"
    if contexts := [name for name in roles.contexts if name not in roles.statuses]:
        noun = "context" if len(contexts) == 1 else "contexts"
        yield f"{noun}: {listed(contexts)} (columns of text are options if --options names them)"
    if roles.statuses:
        yield f"which runs failed: {listed(roles.statuses)}"
    for name, reason in roles.ignored.items():
        yield f"ignored: {name} ({reason})"
    if roles.question:
        yield f"in doubt: {roles.question}; otherwise: {roles.answer}"


def _with_values(option: NumericOption) -> str:
    """Return an option with its values for a message: `px (1, 2, 3, … 16)`."""
    values = [number_text(value) for value in option.values]
    text = ", ".join(values) if len(values) <= _SHOWN_VALUES else f"{', '.join(values[:3])}, … {values[-1]}"
    flag = "" if option.deselected_flag is None else f"; {option.deselected_flag:g}: deselected"
    return f"{option.name} ({text}{flag})"


def infer_system(
    table: Any,
    *,
    options: str | Collection[str] = (),
    nfp: str | None = None,
    contexts: str | Collection[str] = (),
    ignore: str | Collection[str] = (),
    constraints: bool = True,
) -> VariabilityModel:
    """Return the system whose measurements a table contains: its options with the values that occur.

    One name may be a text: `options="algorithm"`.

    Args:
        table: a data frame (pandas, polars, …), a dict of columns, or the path of a CSV or XML file.
        options: columns that are options; further ones are inferred. Columns of texts among them become
            alternative groups.
        nfp: a column that is a property, which separates options to its left from properties.
        contexts: columns of numbers that are contexts.
        ignore: columns that are neither options nor properties.
        constraints: whether to infer constraints that all rows satisfy by far more than chance.

    Returns:
        The system; its `notes` are the assumptions, and what is doubtful about them.

    Raises:
        InputError: if the file cannot be read, or the table lacks a named column, or has no options or no property.
        MeasurementError: if it is not a table.

    Examples:
        >>> splc.infer_system(table, nfp="time").names
        ('tls', 'cache', 'threads')
    """
    choice = ColumnChoice(names_of(contexts), names_of(ignore), options=names_of(options), constraints=constraints)
    return inferred_from(table, nfp, choice).system


def inferred_from(table: Any, nfp: str | None, choice: ColumnChoice) -> Inference:
    """Return the inference from a table, as in `infer_system`; the notes of the system are the assumptions."""
    result = inference_of(read_table(table), nfp=nfp, choice=choice)
    name = result.system.name if isinstance(table, str | Path) else "system"
    notes = (*result.system.notes, *result.assumptions, *result.warnings, *result.notes)
    return replace(result, system=replace(result.system, name=name, notes=notes))
