"""Small files of every kind that splc reads: seeds of the fuzzers."""

from __future__ import annotations

SYSTEM = """<vm name="small">
  <binaryOptions>
    <configurationOption><name>cache</name><outputString>-c</outputString><prefix/><postfix/><parent></parent>
      <impliedOptions/><excludedOptions/><optional>True</optional></configurationOption>
    <configurationOption><name>left</name><parent>cache</parent><excludedOptions><options>right</options></excludedOptions>
      <optional>False</optional></configurationOption>
    <configurationOption><name>right</name><parent>cache</parent><excludedOptions><options>left</options></excludedOptions>
      <optional>False</optional></configurationOption>
  </binaryOptions>
  <numericOptions>
    <configurationOption><name>x</name><values>1;2;4</values></configurationOption>
    <configurationOption><name>y</name><minValue>1</minValue><maxValue>9,5</maxValue>
      <stepFunction>y * 2 + 1</stepFunction>
      <deselectedFlag>-1</deselectedFlag></configurationOption>
  </numericOptions>
  <booleanConstraints><constraint>!cache | left</constraint></booleanConstraints>
  <nonBooleanConstraints><constraint>x * y + log10(x) &lt;= 20</constraint></nonBooleanConstraints>
  <mixedConstraints><constraint req="all" exprKind="neg">cache * x = 2</constraint></mixedConstraints>
</vm>
"""
CSV = """cache,left,right,x,y,time,energy,version
1,1,0,1,1,1.5,10,a
1,1,0,2,3,2.5e-3,,a
0,0,0,4,-1,0x1,nan,b
0,0,0,4,-1,3,4,b
"""
XML = """<results decimalDelimiter="." separator="@"><row multipleMeasurements="true">
<data columname="Configuration">cache, left,</data><data columname="Variable Features">x;2,y 3</data>
<data columname="time">1.5@2@3</data></row><row><data column="ConfigID">cache%;%left%;%x4</data>
<data column="time">1,5</data></row>
</results>"""
LOG = """command: analyze-learning
Learning progress:
Round, Model, LearningError
1;1.5 * root;12.5;12.5;12.5;12.5;0.04;1;1.5 * root;1;1.79769313486232E+308;
2;1.5 * root + 2 * x * x + -3E-05 * log10( y ) * cache;2,5;2.5;NaN;3.5;4;5;x * x;1;6;7
Elapsed=00:00:00.05
command: columns: {"contexts": ["version"]}
average model: 2 * x + 3 * root
Analyze finished
"""
MODEL = "# expert\na = 2 * `x`\nT = a + slope * x^2 / 3 - sqrt(y) * log2(x * y)^-1.5 +\n  (left + 2)^2 * cache\n"
MODEL_JSON = """{"schema": "splc.learn/1", "model": {"text": "1 + 2 * x", "link": "identity", "terms": [{"term": "1",
"influence": 1.0}, {"term": "x", "influence": 2.0, "powers": {"x": 1}}]}, "nfp": "time"}"""
PARAMETERS = 'base = 0.5 # s\nab = "x + 1"\nq = 2e-3\nside = left + 1\n'
STUDY = """samplings = ["pb:9,3", "random:10,seed=3", "measured:70%"]
seeds = [0, 1, 2]
measures = ["mean"]
property = "time"
[learners.mine]
preset = "splconqueror"
numberOfRounds = 3
"""
SPECS = """pb:9,3,compat + pairwise
random:10,seed=3
measured:70%
dopt:[x,y]20,k=5+optionwise
twise:t=2+hyper:50
henard:asTW2+lhs:5
"""
LINES = """{"params": {"x": 1, "y": 2}, "metric": "time", "callpath": "main->f", "value": 1.5}
{"params":{"x":2,"y":2},"value":3}
"""
EXPERIMENT = """{"parameters": ["x", "y"], "measurements": {"main": {"time": [{"point": [1, 2], "values": [1.5, 2]},
{"point": [2, 2], "values": [3]}]}}, "models": []}"""
POINTS = "PARAMETER x\nPARAMETER y\nPOINTS (1 2) (2 2)\nREGION main->f\nMETRIC time\nDATA 1 2 # c\nDATA 3 4\n"
TERMS = "x * log10( y )\ncache * left # both\n`x` * x\n"
JOURNAL = b'{"kind":"header","schema":1}\n{"kind":"run","run":1,"crc":"00000000"}\n'
OUTPUT = 'time: 12.5 s\nTIME: .5e3\n{"time": [1, {"a.b": 2}]}\nx;time\n1;2,5\n"a,b",3\n'
TEMPLATES = "./run -n {x} {cache?--cache:} {left,right?--side {left}} {options} '{x*2+1}' \"{seed}\"\n"
CONSTRAINTS = "x <= 2\ncache | !left\n!a & -b\nx * (y + 2.5) - log10(x) / 3 != 1e-3\nsqrt(x)^2^-1 >= ln(`y`)\n"
MANIFEST = """{"schema": "splc.study.manifest/1", "owner": {"file": "study.toml", "system": "app"}, "state": "writing",
"files": {"table.md": "0a", "logs/a.log": "1b"}, "times": {"tasks": {"00": 0.5}},
"key": "00", "check": "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a", "seconds": 1.5, "record": {}}
"""
FEATUREIDE = """<featureModel><struct><and mandatory="true" name="R"><alt mandatory="true" name="A">
<feature name="a b"/><feature name="c"/></alt><or name="B"><feature name="d"/><feature name="e"/></or></and></struct>
<constraints><rule><imp><conj><var>a b</var><var>d</var></conj><not><eq><var>e</var><var>c</var></eq></not></imp></rule>
<rule><atmost1><var>c</var><var>d</var><var>e</var></atmost1></rule></constraints></featureModel>
"""
DIMACS = "c 1 a b\nc 2 c\np cnf 3 3\n1 -2 0\n2 3\n-1 0 -3 0\n"
