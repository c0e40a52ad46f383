"""What becomes of a learning result: files, a table for people, an object for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from splc.data.measurements import Measurements
    from splc.learning import LearningResult
    from splc.system.variability import VariabilityModel

# What the error that learning lowers is measured in, by the loss function.
UNITS = {
    "RELATIVE": "%",
    "ABSOLUTE": "in units of {nfp}, as a mean absolute error",
    "LEASTSQUARES": "in squared units of {nfp}, as a mean squared error",
}


def is_json(output: str) -> bool:
    """Whether a model is written as JSON, not as a log."""
    return output.removesuffix(".gz").casefold().endswith(".json")


def require_expressible(output: str, system: VariabilityModel) -> None:
    """Raise an error if the output is a log, whose grammar cannot say the system's names.

    Raises:
        OutputError: naming them, before anything is learned.
    """
    from splc.arithmetic.tokens import NameTable
    from splc.models.text.log_grammar import require_writable_names

    if not is_json(output):
        known = NameTable(system.term_names)
        require_writable_names((*system.names, *system.observed), known)


def write(
    result: LearningResult,
    output: str,
    plot: str | None,
    drawn: str | None,
    measured: Measurements,
    rows: Any,
    evaluation: Measurements | None,
) -> None:
    """Write the model, and the plot if one is wanted; both are made before the first is written."""
    from splc.formats.models.json_writer import learned_json_text
    from splc.formats.models.log_writer import learned_log_text
    from splc.io.files import write_whole
    from splc.learning.judging import round_errors

    if is_json(output):
        content = learned_json_text(result)
    else:
        content = learned_log_text(result, test_errors=round_errors(result, evaluation or measured))
    image = None if drawn is None else plotted(result, measured, rows, drawn)
    write_whole(output, content)
    if plot is not None and image is not None:
        write_whole(plot, image)


def plotted(result: LearningResult, measured: Measurements, rows: Any, drawn: str) -> bytes:
    """Return the plot of predicted against measured values."""
    import numpy as np

    from splc.plotting import prediction_plot

    learned = np.zeros(len(measured), dtype=bool)
    learned[rows] = True
    values = measured.column(result.nfp)
    there = ~np.isnan(values)
    predicted = result.model.predict(measured.configurations[there])
    return prediction_plot(values[there], predicted, learned[there], result.nfp, measured.model.name, drawn)


def termination_in_words(result: LearningResult) -> str:
    """Return why learning ended."""
    from splc.learning.stepwise.stopping import REASONS

    if result.termination == "abortError":
        # Without a round nothing was left to explain from the start.
        error = result.rounds[-1].error if result.rounds else None
        if error is None or not error < result.settings["abortError"]:
            return "the model is exact: what error is left is rounding"
    unit = UNITS[result.settings["lossFunction"]].format(nfp=result.nfp)
    return REASONS[result.termination].format(**result.settings, unit=unit)


def evaluated_on(result: LearningResult, measured: Measurements, rows: Any, evaluation: Measurements) -> dict[str, int]:
    """Return on how many configurations of an evaluation set the error is, and how many of them were learned from."""
    judged = evaluation.measured(result.nfp)
    judged = judged[judged.column(result.nfp) != 0]
    known = measured.configurations[rows].find(judged.configurations) >= 0
    return {"configurations": len(judged), "learned_from": int(known.sum())}


def as_json(
    result: LearningResult, measured: Measurements, rows: Any, evaluation: Measurements | None, output: str
) -> dict[str, Any]:
    """Return the content of the JSON object."""
    from splc.learning.judging import round_errors, term_shares

    model = result.model
    shares = term_shares(model, measured.configurations[rows])
    tested = round_errors(result, evaluation or measured)
    # Errors are percentages; only the relative loss is one.
    relative = result.settings["lossFunction"] == "RELATIVE"
    return {
        "system": measured.model.name,
        "nfp": result.nfp,
        "model": {
            "text": model.text,
            "link": model.link,
            "terms": [
                {"term": term.text(model.order), "influence": influence, "share": share}
                for (term, influence), share in zip(model.terms, shares, strict=True)
            ],
        },
        "sampling": result.provenance["sampling"],
        "learning_configurations": result.learning_configurations,
        "measured_configurations": result.provenance["measured_configurations"],
        "learning_error": result.learning_error,
        "error": result.error,
        "error_all": result.error_all,
        "evaluated_on": None if evaluation is None else evaluation.report.source,
        "evaluation": None if evaluation is None else evaluated_on(result, measured, rows, evaluation),
        "left_out": result.left_out,
        "rounds": [
            {
                "round": this.number,
                "term": this.added.text(model.order),
                "error": this.error if relative else this.learning_error,
                "selection_error": this.error,
                "learning_error": this.learning_error,
                "test_error": error,
                "score": this.score,
            }
            for this, error in zip(result.rounds, tested, strict=bool(result.rounds))
        ],
        "termination": result.termination,
        "seconds": result.seconds,
        "preset": result.preset,
        "settings": dict(result.settings),
        "seed": result.seed,
        "files": result.provenance["files"],
        "output": output,
        "notes": list(result.notes),
    }


def show(
    result: LearningResult,
    measured: Measurements,
    rows: Any,
    evaluation: Measurements | None,
    output: str,
    plot: str | None,
) -> None:
    """Print the model, its errors, and where it lies."""
    from splc.cli.terminal import say, table
    from splc.errors import plural
    from splc.learning.judging import term_shares

    model = result.model
    shares = term_shares(model, measured.configurations[rows])
    say(f"{measured.model.name}: model of {result.nfp}")
    table(
        ("term", "influence", "share"),
        [
            (term.text(model.order), f"{influence:.6g}", "" if share is None else f"{share:.1f} %")
            for (term, influence), share in zip(model.terms, shares, strict=True)
        ],
        right=("influence", "share"),
    )
    learned, everything = result.learning_configurations, result.provenance["measured_configurations"]
    rest = everything - learned
    facts = [("learning error", f"{percent(result.learning_error)} on {configurations(learned)} learned from")]
    if evaluation is not None:
        count = evaluated_on(result, measured, rows, evaluation)["configurations"]
        facts.append(("error", f"{percent(result.error)} on {evaluation.report.source}, {configurations(count)}"))
    elif rest:
        facts.append(("error", f"{percent(result.error)} on {configurations(rest)} not learned from"))
    else:
        facts.append(("error", "unknown: everything measured was learned from, nothing is left to judge the model by"))
    if rest:
        facts.append(("error, all", f"{percent(result.error_all)} on {configurations(everything)} measured"))
    facts += [
        ("ended", termination_in_words(result)),
        ("time", f"{result.seconds:.3g} s, {plural(len(result.rounds), 'round', 'rounds')}"),
        ("model", output),
    ]
    if plot is not None:
        facts.append(("plot", plot))
    say()
    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        say(f"{name:{width}}  {text}")


def percent(value: float | None) -> str:
    """Return an error as text."""
    return "undefined" if value is None else f"{value:.4g} %"


def configurations(count: int) -> str:
    """Return a number of configurations as text."""
    return f"{count:,} configuration{'' if count == 1 else 's'}"
