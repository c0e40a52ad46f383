from comparison.compare import compare as compare
from comparison.compare import compare_all as compare_all
from comparison.compare import compared_model as compared_model
from comparison.result import ComparedModel as ComparedModel
from comparison.result import Comparison as Comparison
from comparison.result import Comparisons as Comparisons
from comparison.statistics import GroupTest as GroupTest
from comparison.statistics import compare_groups as compare_groups
