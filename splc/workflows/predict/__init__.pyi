from splc.workflows.predict.predict import Request as Request
from splc.workflows.predict.predict import Result as Result
from splc.workflows.predict.predict import run as run
