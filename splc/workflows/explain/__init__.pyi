from splc.workflows.explain.explain import Request as Request
from splc.workflows.explain.explain import Result as Result
from splc.workflows.explain.explain import contributions as contributions
from splc.workflows.explain.explain import run as run
from splc.workflows.explain.full import checked_predictions as checked_predictions
from splc.workflows.explain.full import model_overview as model_overview
