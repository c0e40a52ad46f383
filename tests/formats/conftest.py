"""Fixtures of the tests of formats: real files, and a small system with one option of each kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from splc.formats.detect import read_variability_model
from splc.system.variability import VariabilityModel
from tests.support.real_data import real

SYSTEM = """<?xml version="1.0" encoding="UTF-8"?>
<vm name="everything">
  <!-- a comment -->
  <binaryOptions>
    <!-- a comment where SPL Conqueror stumbles -->
    <configurationOption><name>root</name><optional>False</optional></configurationOption>
    <configurationOption>
      <name>rc-lookahead</name>
      <outputString>look</outputString><prefix>--</prefix><postfix> </postfix>
      <parent>root</parent>
      <optional>True</optional>
    </configurationOption>
    <configurationOption><name>fast</name><parent>rc-lookahead</parent>
      <impliedOptions><options>left | right</options></impliedOptions>
      <optional>True</optional>
    </configurationOption>
    <configurationOption><name>left</name><parent></parent>
      <excludedOptions><options>right</options></excludedOptions><optional>False</optional>
    </configurationOption>
    <configurationOption><name>right</name>
      <excludedOptions><options>left</options></excludedOptions><optional>False</optional>
    </configurationOption>
  </binaryOptions>
  <numericOptions>
    <configurationOption><name>x</name>
      <minValue>1</minValue><maxValue>10</maxValue><stepFunction>n + 4</stepFunction>
    </configurationOption>
    <configurationOption><name>tile-size</name><values>32;8;16</values><deselectedFlag>-1</deselectedFlag>
    </configurationOption>
  </numericOptions>
  <booleanConstraints><constraint>!fast | rclookahead</constraint></booleanConstraints>
  <nonBooleanConstraints><constraint>x * tilesize &lt; 200</constraint></nonBooleanConstraints>
  <mixedConstraints><constraint req="all" exprKind="neg">left * x = 9</constraint></mixedConstraints>
</vm>
"""


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real files, or skip."""
    return real()


@pytest.fixture(scope="session")
def system(tmp_path_factory: pytest.TempPathFactory) -> VariabilityModel:
    """Return a small system with options and constraints of every kind."""
    path = tmp_path_factory.mktemp("system") / "system.xml"
    path.write_text(SYSTEM, encoding="utf-8")
    return read_variability_model(path)
