from splc.plotting.shares import Stack as Stack
from splc.plotting.shares import grouped_bars as grouped_bars
from splc.plotting.shares import stacked_bars as stacked_bars
from splc.plotting.style import FORMATS as FORMATS
from splc.plotting.style import plot_format as plot_format
