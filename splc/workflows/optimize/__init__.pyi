from splc.workflows.optimize.optimize import Request as Request
from splc.workflows.optimize.optimize import Result as Result
from splc.workflows.optimize.optimize import run as run
