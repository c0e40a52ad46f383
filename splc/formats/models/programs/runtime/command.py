"""Predictions, their intervals, and the command line of an exported model."""

from __future__ import annotations

import argparse
import csv
import math
import os
import sys
from collections.abc import Mapping
from typing import Any

from splc.formats.models.programs.runtime.prediction import (
    OPTIONS,
    PROGRAM,
    PROPERTY,
    UNIT,
    PredictionError,
    Value,
    checked,
    printed_prediction,
    process_prediction,
    shown,
)


def predict(configuration: Mapping[str, Any], *, printed: bool = False, extrapolate: bool = False) -> float:
    """Return the prediction of a configuration.

    `configuration`: option → value: 0 or 1 of binary options; None is a deselected numeric option.
    """
    values = checked(configuration, extrapolate)
    return _evaluated(values, printed, False)[0]


def interval(
    configuration: Mapping[str, Any], *, printed: bool = False, extrapolate: bool = False
) -> tuple[float, float]:
    """Return the ends of the prediction interval of a configuration; the arguments are those of `predict`.

    The first call factorises a matrix with a row for each configuration that was learned from.
    """
    _, low, high = _evaluated(checked(configuration, extrapolate), printed, True)
    return low, high


def _evaluated(values: Mapping[str, Value], printed: bool, with_interval: bool) -> tuple[float, float, float]:
    """Return the prediction and the ends of its interval."""
    processes = PROGRAM["full"]
    try:
        if printed or not processes:
            prediction = printed_prediction(PROGRAM["printed"], values, with_interval)
        else:
            parts = [
                process_prediction(process, number, values, with_interval)
                for number, process in enumerate(processes)
                if process["where"] is None or values[process["where"]] == 1
            ]
            prediction = (
                sum(part[0] for part in parts),
                sum(part[1] for part in parts),
                sum(part[2] for part in parts),
            )
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, PredictionError):
            raise
        raise PredictionError("the model has no finite value at this configuration") from None
    if not math.isfinite(prediction[0]):
        raise PredictionError("the model has no finite value at this configuration")
    return prediction


def main(arguments: list[str] | None = None) -> int:
    """Predict the configuration of the command line, or each row of the table on standard input."""
    unit = f" in {UNIT}" if UNIT else ""
    parser = argparse.ArgumentParser(
        description=f"Predict {PROPERTY or 'a property'}{unit}. Without OPTION=VALUE a table (CSV) is read from "
        "standard input and written with the predictions.",
        epilog="Options: " + ", ".join(map(shown, OPTIONS)),
    )
    parser.add_argument("values", nargs="*", metavar="OPTION=VALUE", help="the value of each option; empty: deselected")
    parser.add_argument("--interval", action="store_true", help="also print the ends of the prediction interval")
    parser.add_argument("--printed", action="store_true", help="predict with the printed model")
    parser.add_argument("--extrapolate", action="store_true", help="accept other values of numeric options")
    options = parser.parse_args(arguments)
    choice = {"printed": options.printed, "extrapolate": options.extrapolate}
    try:
        if options.values and options.values != ["-"]:
            configuration = _assigned(options.values)
            sys.stdout.write(" ".join(_predicted(configuration, options.interval, choice)) + "\n")
        else:
            _predict_table(options.interval, choice)
        sys.stdout.flush()
    except (PredictionError, csv.Error, UnicodeError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    except BrokenPipeError:
        # The reader closed the pipe; without this, Python fails when it flushes the buffer at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _assigned(texts: list[str]) -> dict[str, str]:
    """Return option → value for texts such as `nx=400`; names may contain `=`."""
    values = {}
    for text in texts:
        name, sign, value = text.rpartition("=")
        if not sign:
            raise PredictionError(f"{text!r} is not OPTION=VALUE")
        values[name] = value
    return values


def _predicted(configuration: Mapping[str, Any], with_interval: bool, choice: Mapping[str, bool]) -> list[str]:
    """Return the prediction as text, with the ends of its interval if they are wanted."""
    ends = interval(configuration, **choice) if with_interval else ()
    return [repr(number) for number in (predict(configuration, **choice), *ends)]


def _predict_table(with_interval: bool, choice: Mapping[str, bool]) -> None:
    """Predict each row of the table on standard input; columns that are not options are kept."""
    text = sys.stdin.read().removeprefix("\ufeff")
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    head = next(reader, None)
    if head is None:
        raise PredictionError("there is no table on standard input")
    known_names = {*OPTIONS, *(group["name"] for group in PROGRAM["texts"])}
    names = [name.strip() if name.strip() in known_names else name for name in head]
    rows = []
    for row in reader:
        if not row:
            continue
        if len(row) != len(names):
            raise PredictionError(f"line {reader.line_num}: {len(row)} fields, but {len(names)} columns")
        configuration = {name: value for name, value in zip(names, row, strict=True) if name in known_names}
        try:
            rows.append([*row, *_predicted(configuration, with_interval, choice)])
        except PredictionError as error:
            raise PredictionError(f"line {reader.line_num}: {error}") from None
    writer = csv.writer(sys.stdout, delimiter=delimiter, lineterminator="\n")
    writer.writerow([*head, "predicted", *(("low", "high") if with_interval else ())])
    writer.writerows(rows)


if __name__ == "__main__":
    sys.exit(main())
