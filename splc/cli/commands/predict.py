"""`splc predict`: predict configurations with a model."""

from __future__ import annotations

from splc.cli.json_output import print_object
from splc.cli.options import By, Json
from splc.cli.progress import progress
from splc.cli.show.predict import ContextPredictionsObject, PredictionsObject, show_by, show_error, write
from splc.cli.terminal import show_notes
from splc.io.files import STANDARD
from splc.workflows.predict import Request, run
from splc.workflows.predict import context_values as predict_by

EXAMPLES = (
    "splc predict learned.log measurements.csv --json",
    "splc predict analytical.txt measurements.csv -o predictions.csv",
)


def predict(request: Request, by: By = None, json: Json = False) -> None:
    """Predict configurations: a CSV table of them with the column 'predicted'.

    The full model predicts where the file of the model has it, or the JSON file that a log was written with.
    If the model's property was measured, the table contains its values, too, and the mean relative error is printed
    to standard error.
    """
    if by is not None:
        with progress("predicting"):
            results = predict_by.run(request, by)
        for predicted in results.values():
            if predicted.output is not None:
                write(predicted, predicted.output)
        if json:
            print_object(ContextPredictionsObject, results, by=by)
        else:
            show_by(results, by)
        # Many notes are the same for all values.
        show_notes(dict.fromkeys(note for result in results.values() for note in result.notes))
        return
    with progress("predicting") as advance:
        result = run(request, advance)
    if result.output is not None or not json:
        write(result, STANDARD if result.output is None else result.output)
    if json:
        print_object(PredictionsObject, result)
    else:
        show_error(result)
    show_notes(result.notes)
