from splc.workflows.suggest.points import Request as Request
from splc.workflows.suggest.points import Result as Result
from splc.workflows.suggest.points import run as run
