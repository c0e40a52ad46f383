from splc.workflows.compare.compare import Request as Request
from splc.workflows.compare.compare import Result as Result
from splc.workflows.compare.compare import run as run
