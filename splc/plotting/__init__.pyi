from splc.plotting.style import FORMATS as FORMATS
from splc.plotting.style import plot_format as plot_format
