"""Evidence of the roles of columns, by names, contents and places: which are options, functions, measured, or twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, combinations, product

import numpy as np

from splc.errors import listed
from splc.formats.coded_columns import MAX_TESTS, ROW_COUNTERS, CodedColumns, repeats
from splc.formats.functions import arguments_of, near_arguments_of
from splc.formats.names import is_count_name, is_measurement_name, words_of

# In so many rows texts with two values say the same as another column by no chance.
_SURE = 20


def options_among(
    table: CodedColumns, names: Sequence[str], nfp: str | None, explicit: Collection[str], text: Collection[str]
) -> tuple[dict[str, None], dict[str, str]] | None:
    """Return the options, and the columns that were left out with the reasons.

    The names of options add options: what is an option without them remains one.
    """
    observed = _observed(table, names, nfp, explicit)
    if (beside := _found(table, names, nfp, explicit, observed)) is None:
        return None
    others = [name for name in names if name not in explicit or name not in text]
    alone = (_found(table, others, nfp, (), observed) or {}) if explicit else beside
    chosen = {name: None for name in names if name in explicit or name in beside or name in alone}
    inferred = {name: None for name in chosen if name not in explicit or name in alone}
    functions, places = dict[str, tuple[str, ...]](), [*filter(table.is_few, (*table.contexts, *table.unused))]
    for inputs, further in product((inferred, chosen), (places, ())):
        free = [name for name in inputs if name not in explicit and (inputs is inferred or name not in inferred)]
        free, known = ([name for name in names if name not in functions] for names in (free, inputs))
        found = _functions(table, free, (*known, *further))
        # What is a function of a context alone may be set.
        functions |= {name: each for name, each in found.items() if not {*further}.issuperset(each)}
    reasons = {name: f"it is a function of {listed(arguments)}" for name, arguments in functions.items()}
    # Fractions that were measured are properties, and so is what is to the right of a property.
    left = names[: _anchor(table, names, nfp, explicit)]
    reasons |= {name: reason for name, reason in observed.items() if name in left and table.has_integers(name)}
    return {name: None for name in chosen if name not in functions}, reasons


def _anchor(table: CodedColumns, names: Sequence[str], nfp: str | None, explicit: Collection[str]) -> int | None:
    """Return the place of the property that the user names, else of the first one by its name; None without any."""
    if nfp in table.numbers:
        return names.index(nfp)
    free = table.numbers.keys() - explicit
    stated = (name in free and table.is_named_measured(name) for name in names)
    return next((at for at, is_stated in enumerate(stated) if is_stated), None)


def _observed(table: CodedColumns, names: Sequence[str], nfp: str | None, explicit: Collection[str]) -> dict[str, str]:
    """Return the columns that a run counted or measured as the rows show, and the evidence.

    To the left of a stated property these may be any columns, to the right those of few values.
    """
    if (anchor := _anchor(table, names, nfp, explicit)) is None:
        return {}
    left, right = names[:anchor], [name for name in names[anchor:] if name != nfp and _may_be_set(table, name)]
    few = dict.fromkeys(name for name in (*left, *right) if table.is_few(name) and not is_count_name(name))
    unused = [*filter(table.is_few, table.unused)]
    reasons: dict[str, str] = {}
    for name in left:
        if name in explicit or name not in table.numbers or not table.complete(name):
            continue
        rest = [other for other in few if other != name]
        if is_count_name(name) and table.sizes[name] > 1 and not table.is_crossed(name, table.groups(rest)):
            reasons[name] = "its name is that of what a run counts"
        if name in reasons or not table.is_various(name) or table.is_few(name) or table.is_named_measured(name):
            continue
        places = [*(other for other in (*few, *unused) if other != name), *filter(table.is_few, table.contexts)]
        if near := near_arguments_of(table, name, places):
            reasons[name] = f"it depends mostly on {listed(near)}, as what a run counts or measures"
    columns = [name for name in (*left, *right) if name not in reasons]
    removable = [name for name in columns if name in few and name not in explicit]
    # Rows that differ in what the user leaves out are no repetitions.
    scattered = table.scattered([*columns, *unused], [*removable, *unused])
    return reasons | dict.fromkeys(scattered, "repetitions differ in it")


def _may_be_set(table: CodedColumns, name: str) -> bool:
    """Return whether a column to the right of a property has few values, and no name of what is measured."""
    complete = name not in table.numbers or table.complete(name)
    few = table.sizes[name] > 1 and (table.is_binary(name) or table.is_few(name))
    return complete and few and not is_count_name(name) and not table.is_named_measured(name)


def _found(
    table: CodedColumns, names: Sequence[str], nfp: str | None, explicit: Collection[str], observed: Collection[str]
) -> dict[str, None] | None:
    """Return the options by the rules for the positions of columns; None if no column can be the property.

    `explicit`: the columns that the user named as options. `observed`: those that a run counted or measured.
    """
    options = {name: None for name in names if name in explicit}
    numbers = [name for name in names if name in table.numbers]
    anchor = _anchor(table, names, nfp, explicit)
    boundary = None
    # Columns without values where properties have none are properties, too.
    failed = np.zeros(table.rows, dtype=bool)
    for name in numbers:
        # Options have no words such as `n.d.` instead of numbers.
        is_measured = name not in table.blank or name == nfp or table.seems_measured(name)
        if is_measured and not table.complete(name):
            failed |= table.gaps(name)
    for index, name in enumerate(names):
        if name in options:
            continue
        left = anchor is not None and index < anchor
        is_counted = anchor is not None and index > anchor and is_count_name(name)
        is_none = is_counted or (boundary is not None and table.sizes[name] == 1)
        if is_none or (name in observed and (table.has_integers(name) or not options)):
            continue
        if name not in table.numbers:
            if table.is_few(name):
                options[name] = None
            continue
        measured = table.seems_measured(name) or table.is_told(name, options)
        if name in observed or (not left and (name == nfp or measured)):
            boundary = index
            if any(table.sizes[each] > 1 for each in options):
                break
        elif left and table.is_named_measured(name, nfp):
            continue
        elif table.complete(name) or (
            name in table.blank
            and table.filled(name)[0] > 0
            and (left or (table.is_few(name) and not unexplained_gaps(table, name, names)))
            and (table.gaps(name) & ~failed).any()
        ):
            options[name] = None
    if boundary is None:
        last = next((name for name in reversed(numbers) if name not in explicit and not table.is_binary(name)), None)
        if last is None:
            return None
        options.pop(last, None)
        boundary = len(names)
    elif nfp is not None and all(table.sizes[name] <= 1 for name in options):
        # Nothing to its left varies, and no few values to its right: all columns but measured ones are options.
        free = (name for name in numbers if name not in (nfp, *observed) and not is_count_name(name))
        unnamed = [name for name in free if table.sizes[name] > 1 and not table.is_named_measured(name)]
        known = {name for name in unnamed if table.complete(name)}
        known |= {name for name in unnamed if name in table.blank and not unexplained_gaps(table, name, names)}
        options |= {name: None for name in names if name in known}
    right = [name for name in names[boundary + 1 :] if name != nfp and name not in (*options, *observed)]
    options |= dict.fromkeys(_set_beyond(table, right, tuple(options)))
    return {name: None for name in names if name in options}


def _set_beyond(table: CodedColumns, names: Iterable[str], options: Sequence[str]) -> list[str]:
    """Return the columns to the right of a property that were set, as the rows show; zeros and ones also in doubt."""
    columns = [name for name in names if _may_be_set(table, name)]
    group = table.groups((*table.contexts, *options))
    counts = np.bincount(group)
    doubtful = [name for name in columns if table.is_binary(name) and not table.is_result(name, group)]
    proven = table.set_among(columns, group)
    return [name for name in columns if name in proven or (name in doubtful and not repeats(counts))]


def _functions(table: CodedColumns, names: Sequence[str], options: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the numeric options among some columns that are functions of other options, with these."""
    functions: dict[str, tuple[str, ...]] = {}
    inputs = list(options)
    numbers = [name for name in names if name not in table.numbers or table.complete(name)]
    numeric = [
        name for name in numbers if not table.is_binary(name) and table.sizes[name] > 1 + (name not in table.numbers)
    ]
    for name in table.larger_first(numeric) if len(numeric) * len(inputs) ** 2 <= MAX_TESTS else ():
        # What has more values tells many columns.
        others = [other for other in inputs if other != name and table.sizes[other] <= table.sizes[name]]
        if (arguments := arguments_of(table, name, others)) is None:
            continue
        functions[name] = arguments
        inputs.remove(name)
    return functions


def spelled_twice(
    table: CodedColumns, left: Sequence[str], kinds: Mapping[str, Sequence[str]], *, named: bool
) -> dict[str, str]:
    """Return the columns that say the same as another one: codes, texts that spell numbers, and else the later one.

    These have few values, and texts stand to the `left` of the first property that is stated, and so do numbers unless
    the user named the property. `kinds`: options that the user names (`chosen`), columns that the user mentions
    otherwise, other contexts (`places`), `states` of runs, `words` and `numbers` → columns.
    """
    reasons: dict[str, str] = {}
    few = ([*filter(table.is_few, names)] for names in kinds.values())
    chosen, mentioned, places, states, words, numbers = few
    levels = [name for name in numbers if name in left or (named and not is_measurement_name(name))]
    texts = [name for name in words if name in left]
    pairs = chain(
        product(chosen, (*places, *texts, *levels)), product((*mentioned, *places), texts), product(states, levels)
    )
    pairs = chain(pairs, combinations([*mentioned, *places], 2), product(texts, levels), combinations(texts, 2))
    pairs = chain(pairs, combinations(levels, 2))
    for name, number in pairs if (len(texts) + len(levels)) ** 2 <= 2 * MAX_TESTS else ():
        are_contexts = name in (*mentioned, *places) and (number in places or name in states)
        is_doubtful = table.rows < _SURE or (number in levels and table.is_binary(number) and name not in texts)
        if table.sizes[name] == 2 and not are_contexts and is_doubtful:
            # Two options may be alike by chance, and so are an option and the one below it, or a new one in a version.
            continue
        if name not in reasons and number not in reasons and table.agrees(name, number):
            # Texts with digits spell numbers, and so do labels of numbers to their left; not those of `compiler_id`.
            is_code = not {*ROW_COUNTERS, "code", "idx", "num", "key"}.isdisjoint(words_of(number))
            spells = name in words and number in left and number in levels and not is_code
            if spells and (left.index(number) < left.index(name) or table.has_digits(name)):
                reasons[name] = f"its texts stand for the numbers of {number}"
            else:
                reasons[number] = f"it says the same as {name}"
    return reasons


def unexplained_gaps(table: CodedColumns, name: str, options: Iterable[str]) -> tuple[int, ...]:
    """Return the rows in which an option has no value, unless these are the rows with some values of another option."""
    gaps = np.zeros(0, dtype=bool) if table.complete(name) else table.gaps(name)
    others = (other for other in options if len(gaps) and other != name and other in table.codes)
    return () if any(table.decides(other, gaps) for other in others) else tuple(np.flatnonzero(gaps).tolist())
