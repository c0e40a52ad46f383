from splc.workflows.calibrate.calibrate import Request as Request
from splc.workflows.calibrate.calibrate import Result as Result
from splc.workflows.calibrate.calibrate import run as run
from splc.workflows.calibrate.calibrate import write as write
