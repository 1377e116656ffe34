"""The mutants of a module: its source with one operator, number or keyword changed by an operator of Cosmic Ray.

Cosmic Ray makes the changes. Its own runner is not used: it starts an interpreter per mutant, and here imports cost
more than tests. Of its operators those are taken that make a plausible error: a boundary, a negation, a sign, a
constant one off, a loop that does not run. (Mutmut leaves out every decorated function, so every compiled kernel.)
"""

import ast
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import Any

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
LOOKS = """
alpha bbox_to_anchor capsize figsize fliersize fontsize height height_ratios hspace labelpad linewidth lw markersize
mec mew ms mutation_scale nbins ncols pad rotation s size strokeWidth title_fontsize width width_ratios wspace xytext
zorder
"""
OPERATORS = (
    *(f"ReplaceComparisonOperator_{pair}" for pair in COMPARISONS.split()),
    *(f"ReplaceBinaryOperator_{pair}" for pair in ARITHMETIC.split()),
    *OTHERS.split(),
)


@dataclass(frozen=True)
class Place:
    """Where an operator can change a module: its so-manieth place, and the line."""

    operator: str
    occurrence: int
    line: int

    @property
    def key(self) -> str:
        """Its name among the places of the same source."""
        return f"{self.operator}:{self.occurrence}"


@dataclass(frozen=True)
class Mutant:
    """A module's source with one place changed: the whole, and the first line that differs."""

    code: str
    line: int
    before: str
    after: str


def places(source: str) -> list[Place]:
    """Return all places of a source that can change, in a fixed random order, every line once before any twice.

    So the first n of them are a sample, and a larger sample holds the smaller ones.
    """
    hidden = _unevaluated(source)
    nodes = list(ast_nodes(get_ast(source)))
    found = []
    for operator in OPERATORS:
        positions = [position for node in nodes for position in _operator(operator).mutation_positions(node)]
        for occurrence, (start, _) in enumerate(positions):
            if not any(first <= start < last for first, last in hidden):
                found.append(Place(operator, occurrence, start[0]))
    return _spread(found)


def sampled(population: Mapping[str, Sequence[Place]], size: int | None = None) -> dict[str, list[Place]]:
    """Return ``size`` places of each room (all by default), by module, in a fixed random order.

    ``population`` maps modules to their `places`. All lines of a room come once before any comes twice, so that a
    larger sample holds the smaller ones, and one module's do not move when another is edited.
    """
    rooms: dict[str, list[tuple[int, str, str, Place]]] = {}
    for module, found in population.items():
        turn: dict[int, int] = {}
        for place in found:
            turn[place.line] = turn.get(place.line, 0) + 1
            order = blake2b(f"{module} {place.key}".encode(), digest_size=8).hexdigest()
            rooms.setdefault(room(module), []).append((turn[place.line], order, module, place))
    chosen: dict[str, list[Place]] = {module: [] for module in population}
    for candidates in rooms.values():
        for _, _, module, place in sorted(candidates, key=lambda entry: entry[:3])[:size]:
            chosen[module].append(place)
    return chosen


def room(module: str) -> str:
    """Return the room of a module: the folder of its package that holds it (of papers, each paper's), or itself."""
    parts = module.split(".")
    return ".".join(parts[: 3 if parts[1:2] == ["papers"] else 2])


def mutant(source: str, place: Place) -> Mutant | None:
    """Return the source with a place changed; None if that is no Python, or no change."""
    try:
        code = mutate_code(source, _operator(place.operator), place.occurrence)
    except AttributeError:  # an exception with a dotted name, which Cosmic Ray cannot replace
        return None
    pairs = enumerate(zip(source.splitlines(), (code or "").splitlines(), strict=False), 1)
    line, before, after = next(((i, old, new) for i, (old, new) in pairs if old != new), (0, "", ""))
    return Mutant(code, line, before.strip(), after.strip()) if line and _compiles(code) else None


def _spread(found: list[Place]) -> list[Place]:
    """Order them at random, first one of each line, then a second one of each line that has two, and so on."""
    random.Random(0).shuffle(found)
    turn: dict[int, int] = {}
    ranked = []
    for place in found:
        turn[place.line] = turn.get(place.line, 0) + 1
        ranked.append((turn[place.line], place))
    return [place for _, place in sorted(ranked, key=lambda pair: pair[0])]


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
    """Places where a change is no error of the kind looked for: what nothing runs, and the words of an exception.

    Nothing runs annotations (kept as text) and what only type checkers read; of a signature the defaults count. Frozen
    dataclasses forbid what nothing does. Where matplotlib or altair draws, sizes and shades are a matter of looks.
    """
    found, looks = [], LOOKS.split() if "matplotlib" in source or "altair" in source else []
    for node in ast.walk(ast.parse(source)):
        parts: Sequence[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found += _signature(node)
        elif isinstance(node, ast.AnnAssign):
            parts = [node.annotation]
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            parts = [node]
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            parts = node.exc.args
        elif isinstance(node, ast.keyword) and node.arg in looks:
            parts = [node.value]
        elif isinstance(node, ast.Assert):
            parts = [node.msg]
        elif isinstance(node, ast.ClassDef):
            calls = [decorator for decorator in node.decorator_list if isinstance(decorator, ast.Call)]
            parts = [keyword.value for call in calls for keyword in call.keywords if keyword.arg == "frozen"]
        found += [_span(part) for part in parts if part is not None]
    return found


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Places from `def` to the body, but for the defaults."""
    defaults = sorted(_span(d) for d in (*node.args.defaults, *node.args.kw_defaults) if d is not None)
    starts = [(node.lineno, node.col_offset), *(end for _, end in defaults)]
    ends = [*(start for start, _ in defaults), _span(node.body[0])[0]]
    return list(zip(starts, ends, strict=True))


def _span(node: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
