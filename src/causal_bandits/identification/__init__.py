"""Identify causal effects: derive the formula that computes an effect from given distributions."""

from causal_bandits.identification.c_factors import NotIdentifiable, c_factor, identify_c_factor
from causal_bandits.identification.conditional import identify_conditional
from causal_bandits.identification.estimators import expressions_among, reward_expressions
from causal_bandits.identification.expression import (
    Distributions,
    Expression,
    JointTable,
    Probability,
    Product,
    Quotient,
    Sum,
    Value,
)
from causal_bandits.identification.identify import identify
from causal_bandits.identification.recover import (
    CFactor,
    NotRecoverable,
    c_factorisation,
    recover,
    recover_c_factor,
    selected,
)
from causal_bandits.identification.simplify import simplify
from causal_bandits.identification.z2id import z2id

__all__ = [
    "CFactor",
    "Distributions",
    "Expression",
    "JointTable",
    "NotIdentifiable",
    "NotRecoverable",
    "Probability",
    "Product",
    "Quotient",
    "Sum",
    "Value",
    "c_factor",
    "c_factorisation",
    "expressions_among",
    "identify",
    "identify_c_factor",
    "identify_conditional",
    "recover",
    "recover_c_factor",
    "reward_expressions",
    "selected",
    "simplify",
    "z2id",
]
