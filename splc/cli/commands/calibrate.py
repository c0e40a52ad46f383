"""`splc calibrate`: estimate parameters of an analytical model from measurements."""

from __future__ import annotations

from splc.calibration import SCALE
from splc.cli.json_output import print_object
from splc.cli.options import By, Json
from splc.cli.progress import progress
from splc.cli.show.calibrate import CalibrationObject, CalibrationsObject, show, show_by
from splc.cli.terminal import end_if_negative, note, show_notes
from splc.io.files import STANDARD
from splc.workflows.calibrate import Request, run, run_by, write

EXAMPLES = (
    "splc calibrate --free alpha,beta",
    "splc calibrate --free scale analytical.txt -o fitted.toml",
)


def calibrate(request: Request, by: By = None, json: Json = False) -> None:
    """Estimate free parameters of an analytical model from measurements.

    Bounded least squares, with intervals. Parameters that the measurements cannot tell apart are named.
    """
    if by is not None:
        with progress("calibrating"):
            results = run_by(request, by)
        for calibrated in results.values():
            if calibrated.output is not None:
                write(calibrated, calibrated.output)
        if json:
            print_object(CalibrationsObject, results, by=by)
        else:
            show_by(results, by)
        notes = list(dict.fromkeys(note for result in results.values() for note in result.notes))
        show_notes(notes)
        end_if_negative(notes)
        return
    with progress("calibrating"):
        result = run(request)
    if result.output is not None:
        write(result, result.output)
    if json:
        print_object(CalibrationObject, result)
    elif result.output != STANDARD:
        show(result)
    show_notes(result.notes)
    if result.output is not None and result.scaled:
        factor = result.calibration[SCALE].value
        note(f"the factor on the whole model is not one of its parameters: use --scale {factor:.6g}")
    end_if_negative(result.notes)
