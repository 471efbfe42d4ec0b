"""A new value keeps the style of the old one."""

from __future__ import annotations

import json
import math

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from medic.edits.scalars import render
from medic.run_config import Scalar, Syntax


@pytest.mark.parametrize(
    ("new", "raw", "syntax", "text"),
    [
        (238418, "100000", "yaml", "238418"),
        (2_384_180, "1_000_000", "yaml", "2_384_180"),
        (2_384_180, "1,000,000", "yaml", "2,384,180"),
        (238418, "'100000'", "yaml", "'238418'"),
        (238418, '"100000"', "json", '"238418"'),
        (2 * 10**12, "1.0e+12", "yaml", "2.0e+12"),
        (238418, "1e5", "json", "2.38418e5"),
        (300_000_000_000, "1T", "yaml", "0.3T"),
        (5e-5, "1e-4", "yaml", "5.0e-5"),
        (1000, "1e3", "yaml", "1000"),
        (10**12, "1e12", "yaml", "1.0e+12"),
        (5e-5, "1e-4", "shell", "5e-5"),
        (5e-5, "1.0e-04", "json", "5.0e-05"),
        (5e-5, "1E-4", "toml", "5E-5"),
        (0.00015, "0.0003", "yaml", "0.00015"),
        (3e-9, "0.0003", "shell", "0.000000003"),
        (1.0, "0", "yaml", "1"),
        (0.5, "1", "yaml", "0.5"),
        (1.0, "0.0", "toml", "1.0"),
        (1.0, "", "json", "1.0"),
        (1e-5, "", "yaml", "1.0e-5"),
        (0.0, "1e-4", "yaml", "0.0"),
        (False, "true", "yaml", "false"),
        (False, "True", "yaml", "False"),
        (True, "FALSE", "yaml", "TRUE"),
        (True, "no", "yaml", "yes"),
        (True, "0", "shell", "1"),
        (True, "", "toml", "true"),
        ("bf16", "fp16", "yaml", "bf16"),
        ("bf16", '"fp16"', "json", '"bf16"'),
        ("bf16", "", "toml", '"bf16"'),
        ("no", "x", "yaml", '"no"'),
        ("a b", "x", "shell", "'a b'"),
        ("it's", "'x'", "yaml", "'it''s'"),
    ],
)
def test_style(new: Scalar, raw: str, syntax: Syntax, text: str) -> None:
    assert render(new, raw, syntax) == text


NUMBERS = st.one_of(
    st.integers(-(10**15), 10**15),
    st.floats(allow_nan=False, allow_infinity=False, min_value=1e-30, max_value=1e30),
)
OLD = st.sampled_from(["1", "1_000", "0.5", "1e-4", "1.0e+12", "3.0E-05", "2e6", "", "100"])


@given(new=NUMBERS, raw=OLD)
def test_yaml_reads_the_number_back(new: float, raw: str) -> None:
    found = yaml.safe_load(f"a: {render(new, raw, 'yaml')}")["a"]
    assert not isinstance(found, (str, bool))
    assert math.isclose(found, new, rel_tol=1e-15)
    assert isinstance(new, float) or isinstance(found, (int, float))


@given(new=NUMBERS, raw=st.sampled_from(["1", "0.5", "1e-4", "1.0E+12", ""]))
def test_json_reads_the_number_back(new: float, raw: str) -> None:
    assert math.isclose(json.loads(render(new, raw, "json")), new, rel_tol=1e-15)
