"""The command line of exported models, behind `runtime.py` there; it imports what predictions do not need."""

from __future__ import annotations

from splc.formats.models.runtime import OPTIONS, PROGRAM, PROPERTY, UNIT, PredictionError, interval, predict, shown


def main(arguments: list[str] | None = None) -> int:
    """Predict the configuration of the command line, or each row of the table on standard input."""
    import argparse
    import csv
    import os
    import sys

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
    options = vars(parser.parse_args(arguments))
    texts, with_interval = options.pop("values"), options.pop("interval")
    try:
        if texts and texts != ["-"]:
            configuration = {}
            for text in texts:
                # Names may contain `=`.
                name, sign, value = text.rpartition("=")
                if not sign:
                    raise PredictionError(f"{text!r} is not OPTION=VALUE")
                configuration[name] = value
            sys.stdout.write(" ".join(_predicted(configuration, with_interval, options)) + "\n")
        else:
            sys.stdout.write(_predicted_table(sys.stdin.read(), with_interval, options))
        sys.stdout.flush()
    except (PredictionError, csv.Error, UnicodeError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    except BrokenPipeError:
        # The reader closed the pipe; without this, Python fails when it flushes the buffer at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _predicted(configuration: dict[str, str], with_interval: bool, choice: dict[str, bool]) -> list[str]:
    """Return the prediction as text, with the ends of its interval if they are wanted."""
    ends = interval(configuration, **choice) if with_interval else ()
    return [repr(number) for number in (predict(configuration, **choice), *ends)]


def _predicted_table(text: str, with_interval: bool, choice: dict[str, bool]) -> str:
    """Return a table with the prediction of each row; columns that are not options are kept."""
    import csv
    import io

    text = text.removeprefix("\ufeff")
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    if (head := next(reader, None)) is None:
        raise PredictionError("there is no table on standard input")
    known_names = {*OPTIONS, *(group["name"] for group in PROGRAM["texts"])}
    names = [name.strip() if name.strip() in known_names else name for name in head]
    rows = [[*head, "predicted", *(("low", "high") if with_interval else ())]]
    for row in filter(None, reader):
        if len(row) != len(names):
            raise PredictionError(f"line {reader.line_num}: {len(row)} fields, but {len(names)} columns")
        configuration = {name: value for name, value in zip(names, row, strict=True) if name in known_names}
        try:
            rows.append([*row, *_predicted(configuration, with_interval, choice)])
        except PredictionError as error:
            raise PredictionError(f"line {reader.line_num}: {error}") from None
    table = io.StringIO()
    csv.writer(table, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return table.getvalue()


if __name__ == "__main__":
    raise SystemExit(main())
