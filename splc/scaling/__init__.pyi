from splc.scaling.exponents import Exponents as Exponents
from splc.scaling.fit import fit as fit
from splc.scaling.fit import fit_many as fit_many
from splc.scaling.profile import Profile as Profile
from splc.scaling.profile import fit_experiment as fit_experiment
from splc.scaling.result import ScalingModel as ScalingModel
from splc.scaling.suggestion.suggest import suggest as suggest
