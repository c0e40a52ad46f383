from splc.workflows.learn.learn import Request as Request
from splc.workflows.learn.learn import Result as Result
from splc.workflows.learn.learn import run as run
