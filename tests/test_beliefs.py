"""Beliefs are a pure function of graph and findings."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from medic.beliefs.conditions import Context
from medic.beliefs.likelihoods import Seen
from medic.beliefs.model import NONE, Model
from medic.index.knowledge import Index, load

INDEX: Index = load()
MODEL = Model(INDEX)


def all_findings() -> list[Seen]:
    found = [Seen(name, "present") for name in INDEX.symptoms]
    for name, check in INDEX.checks.items():
        found += [Seen(name, outcome) for outcome in check.outcomes]
    return found


FINDINGS = all_findings()


@given(st.lists(st.sampled_from(FINDINGS), max_size=12, unique_by=lambda f: f.name), st.randoms())
@settings(max_examples=60, deadline=None)
def test_order_does_not_matter(findings: list[Seen], rng: random.Random) -> None:
    shuffled = list(findings)
    rng.shuffle(shuffled)
    assert MODEL.beliefs(findings).chance == MODEL.beliefs(shuffled).chance


@given(st.lists(st.sampled_from(FINDINGS), max_size=8, unique_by=lambda f: f.name))
@settings(max_examples=60, deadline=None)
def test_chances_are_a_distribution(findings: list[Seen]) -> None:
    beliefs = MODEL.beliefs(findings)
    assert math.isclose(sum(beliefs.chance.values()) + beliefs.none, 1.0, abs_tol=1e-9)
    assert all(0.0 <= p <= 1.0 for p in beliefs.chance.values())


@pytest.mark.parametrize("reliability", ["exact", "heuristic", "person"])
def test_outcomes_of_a_check_sum_to_one(reliability: str) -> None:
    for name in INDEX.checks:
        columns = MODEL.columns(name, reliability)
        for column in (columns.usual, *columns.odd.values()):
            assert math.isclose(sum(column), 1.0, abs_tol=1e-9), name


def test_dropping_a_finding_is_undo() -> None:
    first = [Seen("cuda-out-of-memory", "present")]
    more = [*first, Seen("oom-shortfall", "fragmentation")]
    assert MODEL.beliefs(more).leader == "allocator-fragmentation"
    assert MODEL.beliefs(first).chance == MODEL.beliefs(more[:1]).chance


def test_what_rules_out_is_soft() -> None:
    findings = [Seen("cuda-out-of-memory", "present"), Seen("oom-shortfall", "other-process")]
    assert 0 < MODEL.beliefs(findings).chance["micro-batch-too-large"] < 0.05


def test_a_remedy_that_did_not_help_costs_its_causes() -> None:
    findings = [Seen("cuda-out-of-memory", "present")]
    before = MODEL.beliefs(findings)
    remedy = INDEX.causes[before.leader].remedies[0]
    assert MODEL.beliefs(findings, [remedy]).chance[before.leader] < before.chance[before.leader]


def test_scale_conditions_the_prior() -> None:
    single = Model(INDEX, Context({"nodes": 1}))
    cluster = Model(INDEX, Context({"nodes": 64}))
    assert single.log_prior != cluster.log_prior


def test_nothing_seen_leaves_the_priors() -> None:
    beliefs = MODEL.beliefs([])
    assert math.isclose(beliefs.none, 0.10, abs_tol=1e-9)
    assert NONE not in beliefs.chance
