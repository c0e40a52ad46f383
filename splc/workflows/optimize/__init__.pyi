from splc.workflows.optimize.objectives import Objective as Objective
from splc.workflows.optimize.objectives import Request as Request
from splc.workflows.optimize.objectives import with_values as with_values
from splc.workflows.optimize.optimize import Result as Result
from splc.workflows.optimize.optimize import best_configurations as best_configurations
from splc.workflows.optimize.optimize import run as run
