"""What both bandits share: choices out, updates in, and the file that holds everything learned."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import os
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from causal_bandits.arrays import FloatArray, IntArray
from causal_bandits.checks import Interval
from causal_bandits.datasets.frames import is_missing, text_of
from causal_bandits.datasets.values import Values, as_mapping, rows_of
from causal_bandits.graphs.adjustment import named_sets
from causal_bandits.graphs.admg import ADMG, check_name
from causal_bandits.graphs.exchange import GraphLike, as_admg
from causal_bandits.logs import Logs
from causal_bandits.online.held_generator import hold

#: The format of saved files.
FORMAT = 1

B = TypeVar("B", bound="Acting")


class Choice:
    """What to do now, and the probability with which it was chosen; log both.

    Parameters
    ----------
    do, context : mapping from str to object
        The values to set, by variable (none: set nothing), and what a `ContextualCausalBandit` saw before.
    probability : float, or a function that returns it, optional
        That of the choice, given what was learned and what could be played; computed when it is first asked for.
    exact : bool
        Whether the probability is exact; that of the largest of random draws is integrated numerically.
    """

    def __init__(
        self,
        do: Mapping[str, Any],
        probability: float | Callable[[], float] | None = None,
        exact: bool = True,
        context: Mapping[str, Any] | None = None,
    ) -> None:
        self.do, self.exact = as_mapping("do", do), exact
        self.context = None if context is None else as_mapping("context", context)
        self._probability = probability

    @property
    def probability(self) -> float | None:
        """The probability of the choice; None if it is not known."""
        if callable(self._probability):
            self._probability = self._probability()
        return self._probability

    def record(self) -> dict[str, Any]:
        """Return the choice as JSON values; ``Choice(**record)`` restores it."""
        return {"do": self.do, "probability": self.probability, "exact": self.exact, "context": self.context}

    def __repr__(self) -> str:
        return in_words(self.do)


def in_words(do: Mapping[str, Any]) -> str:
    """Write what an arm sets: ``do(X = on)``, or ``do nothing``."""
    return f"do({', '.join(f'{v} = {value}' for v, value in do.items())})" if do else "do nothing"


class Acting(ABC):
    """A bandit that acts and learns; whatever goes in or comes out has names."""

    #: The algorithms that act here, and whether they see a context first.
    policies: ClassVar[tuple[type, ...]] = ()
    sees: ClassVar[bool] = False
    act: Callable[..., Choice]
    _values: Values
    #: Everything learned: arrays, in tuples that may be nested.
    _state: Any
    #: The arguments that create this bandit again, as JSON values.
    _settings: dict[str, Any]

    def __init__(
        self, graph: GraphLike, outcome: str, states: Any, policy: Any, seed: int | np.random.Generator
    ) -> None:
        if type(policy) not in self.policies:
            known = ", ".join(f"{kind.__name__}()" for kind in self.policies)
            raise TypeError(
                f"policy: {policy!r} only plays simulated bandits, or is not an instance of an algorithm; "
                f"a {type(self).__name__} acts by one of {known}"
            )
        self.graph: ADMG = as_admg(graph)
        check_name("outcome", outcome)
        named_sets(self.graph, outcome=outcome)
        if not isinstance(states, Mapping):
            raise ValueError(f"states: {states!r}; expected a mapping from variables to lists of their values")
        named_sets(self.graph, states=states)
        self.outcome, self.policy, self.updates = outcome, policy, 0
        self._rng = _generator(seed)
        self._held = hold(self._rng)  # the same generator, for compiled functions

    def _list_arms(self, arms: Iterable[Mapping[str, Any]]) -> None:
        self.arms = tuple(map(dict, arms))
        self._all = np.arange(len(self.arms))
        self._number = {_key(arm): i for i, arm in enumerate(self.arms)}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.policy!r}, {len(self.arms)} arms, {self.updates} updates)"

    def _checked(self, given: Any) -> Choice:
        if not isinstance(given, Choice) and not hasattr(given, "keys"):
            raise ValueError(f"choice: {given!r}; expected a Choice or what it sets, for instance {self.arms[-1]}")
        return _choice(given)

    def _number_of(self, do: Mapping[str, Any]) -> int:
        if (found := self._number.get(_key(do))) is None:
            some = "; ".join(map(in_words, self.arms[:4])) + "; ..." * (len(self.arms) > 4)
            raise ValueError(f"{in_words(do)} is not an arm of this bandit; its {len(self.arms)} arms are {some}")
        return found

    def _some(self, available: Iterable[Choice | Mapping[str, Any]] | None) -> IntArray:
        """Return the indices of the arms that can be played, in ascending order."""
        if available is None:
            return self._all
        if isinstance(available, str | Mapping | Choice) or not isinstance(cast(object, available), Iterable):
            raise ValueError(f"available: {available!r}; expected a list of arms")
        found = sorted({self._number_of(self._checked(arm).do) for arm in available})
        if not found:
            raise ValueError("available: no arm; expected at least one")
        return np.array(found)

    def _logged(self, logs: Any, treatment: Sequence[str], context: Sequence[str], states: Mapping[str, Any]) -> Logs:
        """Return logs as `Logs`, and check that they are of this graph and have these states."""
        if not isinstance(logs, Logs):
            roles = {"treatment": treatment, "context": context, "outcome": self.outcome}
            logs = Logs.from_frame(logs, self.graph, states=states, **cast(Any, roles))
        if logs.graph.subgraph(set(logs.graph) - {logs.selection}) != self.graph or logs.outcome != self.outcome:
            raise ValueError(f"logs: of another graph, or of the outcome {logs.outcome}; expected those of the bandit")
        for v, values in states.items():
            if list(map(text_of, values)) != list(logs.counts.states[v]):
                raise ValueError(f"states of {v}: {list(values)}; the logs have {list(logs.counts.states[v])}")
        return cast(Logs, logs)

    def update(self, choice: Any, observed: Any) -> None:
        """Learn from what was observed after a choice, at any later time and in any order.

        Parameters
        ----------
        choice : Choice or mapping from str to object, or a list of them
            What was done, as `act` returned it or as the values that were set; a list for a batch.
        observed : mapping from str to object; or a list of them, or a data frame
            The values of the observed variables, for instance a row of a data frame; other names are ignored.

        Raises
        ------
        ValueError
            If there is no such arm, or a value is missing, unknown or not what the arm sets. Nothing is learned then,
            from no row of a batch.
        """
        one = isinstance(choice, Choice | str)  # the usual case, and the other questions take longer
        if one or not (hasattr(choice, "columns") or isinstance(choice, Sequence)):
            self._learn(*self._lesson(choice, as_mapping("observed", observed)))
            self.updates += 1
            return
        choices, rows = rows_of("choice", choice), rows_of("observed", observed)
        if len(choices) != len(rows):
            raise ValueError(f"update: {len(choices)} choices, {len(rows)} rows; expected as many of each")
        lessons = [self._lesson(each, as_mapping("observed", row)) for each, row in zip(choices, rows, strict=True)]
        before = [array.copy() for array in self._arrays().values()]
        try:
            for lesson in lessons:
                self._learn(*lesson)
        except ValueError:
            for array, old in zip(self._arrays().values(), before, strict=True):
                array[...] = old
            raise
        self.updates += len(lessons)

    def _lesson(self, choice: Any, observed: Mapping[str, Any]) -> tuple[int, float, Any]:
        """Return the arm, the reward and what else there is to learn; raise a ValueError if something is wrong."""
        made = self._checked(choice)
        arm, context = self._number_of(made.do), made.context or {}
        do = self.arms[arm]
        self._agree("the arm sets", do, observed)
        self._agree("when the choice was made,", context, observed)
        return arm, *self._read({**observed, **context, **do})

    @abstractmethod
    def _read(self, row: Mapping[str, Any]) -> tuple[float, Any]:
        """Return the reward and what else a row teaches, with what was set and what was seen before."""

    @abstractmethod
    def _learn(self, arm: int, reward: float, seen: Any) -> None:
        """Learn from a lesson, or raise a ValueError and learn nothing."""

    def _value(self, row: Mapping[str, Any], variable: str, why: str) -> Any:
        if is_missing(value := row.get(variable)):
            raise ValueError(f"{variable} has no value; {why}")
        return value

    def _agree(self, what: str, known: Mapping[str, Any], observed: Mapping[str, Any]) -> None:
        for v, value in known.items():
            if v not in observed:
                continue
            read = partial(self._values.state, v) if v in self._values.of else text_of
            if read(observed[v]) != read(value):
                raise ValueError(f"observed: {v} is {observed[v]!r}; {what} {v} = {value}")

    def _by_arm(self, numbers: FloatArray) -> dict[str, float]:
        return {in_words(arm): float(number) for arm, number in zip(self.arms, numbers, strict=False)}

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Return everything learned, by name; `load` fills the same arrays."""
        return dict(_arrays_of("learned", self._state))

    def save(self, path: str | Path) -> None:
        """Write everything to a file, which is replaced as a whole or not at all; `load` resumes equal to the bit."""
        head = {
            "class": type(self).__name__,
            "format": FORMAT,
            "graph": [sorted(self.graph.directed), sorted(self.graph.bidirected), list(self.graph)],
            "policy": [type(self.policy).__name__, dataclasses.asdict(self.policy)],
            "updates": self.updates,
            "settings": {"outcome": self.outcome, **self._settings},
            "generator": self._rng.bit_generator.state,
        }
        text, content = json.dumps(head, allow_nan=False, default=np.generic.item), io.BytesIO()
        np.savez(content, head=np.array(text), **cast(Any, self._arrays()))
        path = Path(path)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.write_bytes(content.getvalue())
        part.replace(path)

    @classmethod
    def load(cls: type[B], path: str | Path) -> B:
        """Resume a saved bandit, which then acts and learns as the saved one would have.

        Raises
        ------
        FileNotFoundError
            If there is no such file.
        ValueError
            If the file is damaged, or of another class, algorithm or version; the message says which.
        """
        try:
            with zipfile.ZipFile(path), np.load(path, allow_pickle=False) as file:
                saved = {name: file[name] for name in file.files}
            head = json.loads(str(saved.pop("head")))
            kinds = {kind.__name__: kind for kind in cls.policies}
            name, parameters = head["policy"]
            for key, found, known in (
                ("class", head["class"], [cls.__name__]),
                ("format", head["format"], [FORMAT]),
                ("policy", name, list(kinds)),
            ):
                if found not in known:
                    raise ValueError(f"{key} {found}; expected {', '.join(map(str, known))}")
            again: Any = cls
            bandit: B = again(ADMG(*head["graph"]), policy=kinds[name](**parameters), _resumed=True, **head["settings"])
            bandit.updates, bandit._rng.bit_generator.state = int(head["updates"]), head["generator"]
            arrays = bandit._arrays()
            for name in sorted(saved.keys() | arrays):
                new, array = saved.get(name), arrays.get(name)
                if new is None or array is None or (new.dtype, new.shape) != (array.dtype, array.shape):
                    raise ValueError(f"array {name}; expected {', '.join(arrays)} of the shapes of this bandit")
                if not np.isfinite(new).all():
                    raise ValueError(f"array {name}: a number is not finite")
                array[...] = new
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, EOFError, zipfile.BadZipFile) as error:
            why = str(error).partition("\n")[0] or type(error).__name__
            raise ValueError(f"{path}: not a {cls.__name__} saved by this version ({why})") from error
        return bandit


def _arrays_of(name: str, state: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    if isinstance(state, np.ndarray):
        yield name, state
    elif isinstance(state, tuple):
        for field, each in zip(getattr(state, "_fields", range(len(state))), state, strict=True):
            yield from _arrays_of(f"{name}.{field}", each)


def _choice(given: Any) -> Choice:
    """Return a choice that is given as itself, as its record, or as what it sets."""
    if isinstance(given, Choice):
        return given
    if isinstance(given.get("do"), Mapping):  # a record, to which a log may have added a time or a user
        return Choice(**{key: given[key] for key in ("do", "probability", "exact", "context") if key in given})
    return Choice(given)


def _generator(seed: Any) -> np.random.Generator:
    """Return a generator whose state can be saved."""
    try:
        rng = np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed: {seed!r}; expected a whole number of at least 0") from None
    if not isinstance(rng.bit_generator, np.random.PCG64):
        raise ValueError(f"seed: a {type(rng.bit_generator).__name__} generator; expected a whole number")
    return rng


def _key(do: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    return frozenset((v, text_of(value)) for v, value in do.items())


class Replay(NamedTuple):
    """The mean outcome of the rounds in which bandit and log agreed, these outcomes, and the number of decisions."""

    mean: float
    outcomes: FloatArray
    decisions: int

    def __str__(self) -> str:
        return f"mean outcome {self.mean:z.3f} in {len(self.outcomes)} rounds, from {self.decisions} logged decisions"


def replay(
    bandit: Acting,
    logs: Iterable[tuple[Choice | Mapping[str, Any], Mapping[str, Any]]],
    *,
    seed: int | np.random.Generator = 0,
) -> Replay:
    """Evaluate a bandit on logged decisions: it learns from those that it would have made too.

    A decision is kept with a chance in inverse proportion to its probability, and learned from if the bandit makes the
    same one. These rounds are like rounds that the bandit plays itself (Li, Chu, Langford & Wang 2011).

    Parameters
    ----------
    bandit : CausalBandit or ContextualCausalBandit
        It learns nothing: a copy plays.
    logs : iterable of (Choice or its record, mapping from str to object)
        What was done, with its probability and, for a contextual bandit, its context; and what was observed. The
        decisions must have been random, with these probabilities, whatever they depended on.
    seed : int or numpy.random.Generator
        For what is left out.

    Raises
    ------
    ValueError
        If a probability is missing or not above 0 and at most 1, or an arm of the bandit was never played.
    """
    pairs: list[Any] = list(logs)
    if odd := [pair for pair in pairs if not isinstance(pair, tuple | list) or len(pair) != 2]:
        raise ValueError(f"logs: {odd[0]!r}; expected pairs of a Choice and what was observed")
    decisions = [(_choice(did) if hasattr(did, "keys") else did, as_mapping("observed", seen)) for did, seen in pairs]
    for i, (choice, _) in enumerate(decisions):
        if not isinstance(choice, Choice) or choice.probability not in Interval(0, 1, "right"):
            raise ValueError(f"logs: decision {i}, {choice!r}; expected a Choice with a probability above 0, at most 1")
    numbers = [bandit._number_of(choice.do) for choice, _ in decisions]
    if never := sorted(set(range(len(bandit.arms))).difference(numbers)):
        raise ValueError(f"logs: {in_words(bandit.arms[never[0]])} was never played; expected records of every arm")
    rng, learner, rewards = _generator(seed), copy.deepcopy(bandit), list[float]()
    least = min(float(choice.probability or 1) for choice, _ in decisions)
    for number, (choice, observed) in zip(numbers, decisions, strict=True):
        if rng.random() * float(choice.probability or 1) < least:
            seen = [{**observed, **(choice.context or {})}] if learner.sees else []
            if learner._number_of(learner.act(*seen).do) == number:
                rewards.append(learner._lesson(choice, observed)[1])
                learner.update(choice, observed)
    mean = float(np.mean(rewards)) if rewards else float("nan")
    return Replay(mean, np.array(rewards, dtype=np.float64), len(decisions))
