"""The mutants of a module: its source with one operator, number or keyword changed by an operator of Cosmic Ray.

Cosmic Ray makes the changes. Its own runner is not used: it starts an interpreter per mutant, and here imports cost
more than tests. Of its operators those are taken that make a plausible error: a boundary, a negation, a sign, a
constant one off, a loop that does not run. (Mutmut leaves out every decorated function, so every compiled kernel.)
"""

import ast
import random
from dataclasses import dataclass
from functools import cache

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

COMPARISONS = """
Lt_LtE Lt_GtE LtE_Lt LtE_Gt Gt_GtE Gt_LtE GtE_Gt GtE_Lt Eq_NotEq NotEq_Eq Is_IsNot IsNot_Is
"""
ARITHMETIC = """
Add_Sub Sub_Add Mul_Div Div_Mul FloorDiv_Div Mod_Mul Pow_Mul BitOr_BitAnd BitAnd_BitOr BitXor_BitOr LShift_RShift
RShift_LShift
"""
OTHERS = """
ReplaceUnaryOperator_Delete_USub ReplaceUnaryOperator_Delete_Not ReplaceUnaryOperator_Delete_Invert AddNot
ReplaceTrueWithFalse ReplaceFalseWithTrue ReplaceAndWithOr ReplaceOrWithAnd ReplaceBreakWithContinue
ReplaceContinueWithBreak ExceptionReplacer NumberReplacer ZeroIterationForLoop
"""
OPERATORS = (
    *(f"ReplaceComparisonOperator_{pair}" for pair in COMPARISONS.split()),
    *(f"ReplaceBinaryOperator_{pair}" for pair in ARITHMETIC.split()),
    *OTHERS.split(),
)


@dataclass(frozen=True)
class Mutant:
    """One changed place of a module."""

    operator: str
    occurrence: int
    line: int
    before: str
    after: str

    @property
    def key(self) -> str:
        """Its name among the mutants of the same source."""
        return f"{self.operator}:{self.occurrence}"


def mutated(source: str, operator: str, occurrence: int) -> str:
    """Return the source with one change."""
    code = mutate_code(source, _operator(operator), occurrence)
    assert code is not None, f"{operator} has no place {occurrence}"
    return code


def mutants(source: str) -> list[Mutant]:
    """Return all mutants of a source that can run, in a fixed random order that takes every line once before any twice.

    So the first n of them are a sample, and a larger sample holds the smaller ones.
    """
    hidden = _unevaluated(source)
    lines = source.splitlines()
    tree = get_ast(source)
    found: dict[str, Mutant] = {}
    for operator in OPERATORS:
        places = [place for node in ast_nodes(tree) for place in _operator(operator).mutation_positions(node)]
        for occurrence, ((line, column), _) in enumerate(places):
            if any(start <= (line, column) < end for start, end in hidden):
                continue
            code = mutated(source, operator, occurrence)
            after = next((new for old, new in zip(lines, code.splitlines(), strict=False) if old != new), None)
            if after is None or not _compiles(code):
                continue
            number = next(i for i, new in enumerate(code.splitlines()) if new != lines[i])
            found.setdefault(code, Mutant(operator, occurrence, number + 1, lines[number].strip(), after.strip()))
    return _spread(list(found.values()))


def _spread(found: list[Mutant]) -> list[Mutant]:
    """Order them at random, first one of each line, then a second one of each line that has two, and so on."""
    rng = random.Random(0)
    rng.shuffle(found)
    turn: dict[int, int] = {}
    ranked = []
    for mutant in found:
        turn[mutant.line] = turn.get(mutant.line, 0) + 1
        ranked.append((turn[mutant.line], mutant))
    return [mutant for _, mutant in sorted(ranked, key=lambda pair: pair[0])]


@cache
def _operator(name: str):
    return get_operator(f"core/{name}")()


def _compiles(code: str) -> bool:
    try:
        compile(code, "mutant", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def _unevaluated(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Places that nothing runs: annotations (kept as text) and what only type checkers read."""
    found = []
    for node in ast.walk(ast.parse(source)):
        parts = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            parts = [node.returns]
        elif isinstance(node, ast.arg | ast.AnnAssign):
            parts = [node.annotation]
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            parts = [node]
        found += [((p.lineno, p.col_offset), (p.end_lineno, p.end_col_offset)) for p in parts if p is not None]
    return found
