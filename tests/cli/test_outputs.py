"""Results on the terminal, as a whole: every line of stdout and stderr."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import MEASUREMENTS, Run

# Arguments → stdout, stderr.
OUTPUTS: dict[tuple[str, ...], tuple[str, str]] = {
    ("explain", "other.txt"): (
        """\
small: model, a sum of terms
mean over all valid configurations 7.46667, standard deviation 5.00822

Options by their share of the variance of the prediction
option   share   alone  with interactions
cache   71.8 %  71.8 %             71.8 %
x       28.2 %  28.2 %             28.2 %
not in the model: left, right

Mean prediction by value, and its change if only this option changes from its first value
option  value     configurations     mean  change
cache   -                 66.7 %  4.46667
        selected          33.3 %  13.4667      +9
x       1                 33.3 %      4.8
        2                 33.3 %      6.5    +1.7
        4                 33.3 %     11.1    +6.3
""",
        "",
    ),
    ("explain", "other.txt", "cache,left,x=2"): (
        """\
small: model, a sum of terms
prediction                          12.5
mean over all valid configurations  7.46667

term                       contribution     mean  difference
cache                                 9        3          +6
x                                     3  3.96667   -0.966667
  x^2                               0.8      1.4        -0.6
  x                                 2.2  2.56667   -0.366667
1 term without difference           0.5      0.5          +0
sum                                12.5  7.46667    +5.03333
""",
        "",
    ),
    ("explain", "other.txt", "cache,left,x=2", "--against", "left,x=4"): (
        """\
small: model, a sum of terms
prediction                             12.5
prediction of the other configuration  8.1

option     value  other
cache   selected      -
x              2      4

term                       contribution  other  difference
cache                                 9      0          +9
x                                     3    7.6        -4.6
  x^2                               0.8    3.2        -2.4
  x                                 2.2    4.4        -2.2
1 term without difference           0.5    0.5          +0
sum                                12.5    8.1        +4.4
""",
        "",
    ),
    ("explain", "exp.txt", "cache,left,x=2", "--against", "left,x=4"): (
        """\
small: model, a product of factors
prediction                             7.38906
prediction of the other configuration  7.38906

option     value  other
cache   selected      -
x              2      4

term                        factor    other     ratio
cache                      1.64872        1   × 1.649
x                          1.64872  2.71828  × 0.6065
1 term without difference  2.71828  2.71828       × 1
product                    7.38906  7.38906       × 1
""",
        "",
    ),
    ("optimize", "other.txt", "--top", "2"): (
        """\
the 2 least of all valid configurations
#  predicted  measured  other selected options
1        1.8       1.5  x=1
2        3.5         3  x=2
in all: right

best measured: 1.5 (predicted 1.8): right, x=1
""",
        """\
note: not used by the model: left, right
    any values of these options that are valid with the others give the same prediction
""",
    ),
    ("optimize", "other.txt", "--maximize", "--measurements", "few.csv"): (
        """\
predicted: 17.1 (greatest of all valid configurations)
option     value  best measured  in the model
cache   selected              -
left    selected       selected  unused
x              4              4

measured: nothing (time was not measured for this configuration)
best measured: 5 (predicted 8.1)
""",
        """\
note: the options are those of system.xml; --system few.csv infers them from the table
note: not used by the model: left, right
    any values of these options that are valid with the others give the same prediction
""",
    ),
    ("optimize", "other.txt", "--maximize", "--top", "2", "--measurements", "few.csv"): (
        """\
the 2 greatest of all valid configurations
#  predicted  other selected options
1       17.1  x=4
2       12.5  x=2
in all: cache, left

best measured: 5 (predicted 8.1): left, x=4
""",
        """\
note: the options are those of system.xml; --system few.csv infers them from the table
note: not used by the model: left, right
    any values of these options that are valid with the others give the same prediction
""",
    ),
    ("compare", "analytical.txt", "other.txt"): (
        """\
Terms of analytical.txt and other.txt: score 4.8 in [-8, 8], normalised 0.8
class       term   analytical.txt  other.txt  found      score
(constant)  1                 0.5        0.5  same           2
cache       cache              10          9  different    1.9
x           x                   1        1.1  different    1.9
x           x^2                 -        0.2  no term       -1

Measures on 9 configurations (measured)
compared with   measure                          analytical.txt  other.txt
analytical.txt  syntactic score                               -        4.8
analytical.txt  lower bound                                   -         -8
analytical.txt  upper bound                                   -          8
analytical.txt  normalised score                              -        0.8
analytical.txt  hybrid, by terms                              -     0.8052
analytical.txt  hybrid, by contributions                      -     0.8849
analytical.txt  overlap of sets of options                    -      0.884
analytical.txt  Error rate, % of analytical.txt               -      22.07
analytical.txt  Error rate, % of other.txt                    -       15.8
analytical.txt  Cosine similarity                             -     0.9876
analytical.txt  Jaccard similarity                            -     0.8532
analytical.txt  Manhattan distance                            -         10
analytical.txt  Euclidean distance                            -      4.889
analytical.txt  Minkowski distance, order 3                   -      4.116
analytical.txt  Chebyshev distance                            -        3.6
analytical.txt  mean |a - b|                                  -      1.111
analytical.txt  mean |a - b|^2                                -      2.656
analytical.txt  mean |a - b|^3                                -      7.745
measured        Error rate, % of measured                 11.74      23.53
measured        Error rate, % of predicted                11.47      17.65
measured        Cosine similarity                        0.9989     0.9905
measured        Jaccard similarity                       0.9333     0.8373
measured        Manhattan distance                            4         11
measured        Euclidean distance                        1.414       5.03
measured        Minkowski distance, order 3                   1      4.124
measured        Chebyshev distance                          0.5        3.1
measured        mean |a - b|                             0.4444      1.222
measured        mean |a - b|^2                           0.2222      2.811
measured        mean |a - b|^3                           0.1111      7.793
""",
        "",
    ),
    ("compare", "analytical.txt", "other.txt", "exp.txt"): (
        """\
Measures on 9 configurations (measured)
compared with   measure                           analytical.txt  other.txt  exp.txt
analytical.txt  syntactic score                                -        4.8        -
analytical.txt  lower bound                                    -         -8        -
analytical.txt  upper bound                                    -          8        -
analytical.txt  normalised score                               -        0.8        -
analytical.txt  hybrid, by terms                               -     0.8052        -
analytical.txt  hybrid, by contributions                       -     0.8849        -
analytical.txt  overlap of sets of options                     -      0.884   0.4581
analytical.txt  Error rate, % of analytical.txt                -      22.07    55.47
analytical.txt  Error rate, % of the other model               -       15.8       45
analytical.txt  Cosine similarity                              -     0.9876   0.9296
analytical.txt  Jaccard similarity                             -     0.8532    0.662
analytical.txt  Manhattan distance                             -         10     23.4
analytical.txt  Euclidean distance                             -      4.889    9.204
analytical.txt  Minkowski distance, order 3                    -      4.116    7.245
analytical.txt  Chebyshev distance                             -        3.6    5.745
analytical.txt  mean |a - b|                                   -      1.111      2.6
analytical.txt  mean |a - b|^2                                 -      2.656    9.413
analytical.txt  mean |a - b|^3                                 -      7.745    42.26
measured        Error rate, % of measured                  11.74      23.53    56.21
measured        Error rate, % of predicted                 11.47      17.65    44.07
measured        Cosine similarity                         0.9989     0.9905   0.9337
measured        Jaccard similarity                        0.9333     0.8373   0.6693
measured        Manhattan distance                             4         11     22.4
measured        Euclidean distance                         1.414       5.03    8.486
measured        Minkowski distance, order 3                    1      4.124    6.595
measured        Chebyshev distance                           0.5        3.1    5.245
measured        mean |a - b|                              0.4444      1.222    2.488
measured        mean |a - b|^2                            0.2222      2.811    8.002
measured        mean |a - b|^3                            0.1111      7.793    31.88
""",
        """\
note: analytical.txt is a sum of terms, exp.txt a product of factors: equal terms do not mean the \
same, so they are compared by predictions and by sets of options only
""",
    ),
    ("predict", "other.txt", "measurements.csv"): (
        """\
cache,left,right,x,time,predicted
0,1,0,1,2,1.8
0,1,0,2,2.5,3.5
0,1,0,4,5,8.100000000000001
0,0,1,1,1.5,1.8
0,0,1,2,3,3.5
0,0,1,4,6,8.100000000000001
1,1,0,1,11,10.799999999999999
1,1,0,2,12,12.5
1,1,0,4,14,17.1
""",
        """\
note: mean relative error 23.5327 % on 9 configurations with time
""",
    ),
    ("calibrate", "analytical.txt", "--free", "base", "-o", "fitted.toml"): (
        """\
parameter  benchmarked  estimate  low      high     ratio  ratio low  ratio high
base               0.5  0.351162    0  0.706433  0.702324          0     1.41287
mean relative error: 11.2187 % (with the benchmarked values 11.7352 %) on 9 configurations with time
cross-validated: 14.5903 % (9 folds, each predicted with estimates from the others)

greatest residuals                     measured  predicted  error, %
cache = 0, left = 1, right = 0, x = 1         2    1.35116  -32.4419
cache = 0, left = 0, right = 1, x = 1       1.5    1.85116   23.4108
cache = 0, left = 1, right = 0, x = 4         5    4.35116  -12.9768
""",
        """\
note: parameters written to fitted.toml
""",
    ),
    ("sample", "--sampling", "pairwise+pb:9,3"): (
        """\
cache,left,right,x
1,1,0,1
1,1,0,2
1,1,0,4
""",
        """\
note: 2 pairs of options cannot be selected together
note: 6 of 9 rows coincide with others and are left out
""",
    ),
    ("describe", "--tree"): (
        """\
small: 3 binary options, 1 numeric option, 1 constraint
valid configurations: 9

small
  one of 2: left, right
  cache (optional)
  x: 1, 2, 4

Constraints
line  kind     constraint
  12  boolean  !cache | left

Measurements: measurements.csv, 9 of 9 valid configurations, 10 rows
property  from  to  configurations  repetitions  scatter
time         1  14               9  1 to 2        70.7 %
energy      10  40               9  1 to 2           0 %
scatter: median of the relative standard deviations of the repetitions of a configuration
""",
        "",
    ),
}


@pytest.mark.parametrize("arguments", OUTPUTS, ids=" ".join)
def test_output(run: Run, models: Path, arguments: tuple[str, ...]) -> None:
    """The output of a command on the small project is exactly this text."""
    (models / "exp.txt").write_text("exp(1 + 0.5 * cache + 0.25 * x)\n", encoding="utf-8")
    (models / "few.csv").write_text("".join(MEASUREMENTS.splitlines(keepends=True)[:5]), encoding="utf-8")
    result = run(*arguments)
    assert (result.stdout, result.stderr) == OUTPUTS[arguments]


LEARNED = """\
small: model of time (2 terms, a sum; predictions come from the full model)
term  influence  std. error    90 % interval   share  folds
1       10.0252        0.62       9 to 11.05  81.3 %
x      0.988281        0.48  0.2038 to 1.773  18.7 %    3/3

share: mean contribution / mean prediction on the 3 configurations learned from (negative: it lowers the prediction)
folds: of how many the own model has a term of the same options

                   printed  full model
learning error   0.09736 %    0.1095 %  on 3 configurations learned from
error elsewhere    346.3 %     346.3 %  on 6 configurations not learned from
difference        0.0359 %              from the full model, on configurations not learned from

time   0 s
model  learned.log, learned.json
"""


def test_learned(run: Run, models: Path) -> None:
    """A learned model is printed with its errors; nothing else is printed or written without being asked for."""
    result = run("learn", "--sampling", "pairwise+ff")
    shown = re.sub("time +[0-9.e-]+ s", "time   0 s", result.stdout).splitlines()
    assert shown == LEARNED.splitlines()
    files = {"system.xml", "measurements.csv", "analytical.txt", "parameters.toml", "other.txt", "splc.toml"}
    assert {path.name for path in models.iterdir()} == files | {"learned.log", "learned.json"}


def test_notes_of_samplings(run: Run, models: Path) -> None:
    """Notes of the sampling that models are compared on are printed."""
    note = "note: 2 pairs of options cannot be selected together\n"
    assert note in run("compare", "analytical.txt", "other.txt", "--on", "pairwise+ff").stderr


def test_folds(run: Run, models: Path) -> None:
    """The JSON states the number of folds."""
    assert json.loads(run("learn", "--folds", "3", "--json").stdout)["folds"] == 3
