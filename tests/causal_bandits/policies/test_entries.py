"""Algorithms that packages of others register: found by name, and what cannot stand is one line that says why."""

import sys

import pytest
from others_packages import CHOICE, POLICY, install

from causal_bandits.policies import entries
from causal_bandits.policies.registry import ALGORITHMS, import_path, load

GROUP = entries.POLICIES


def test_a_registered_algorithm_is_loaded_by_its_name_and_imported_only_then(tmp_path, monkeypatch):
    install(tmp_path, monkeypatch, "turns_one", {GROUP: ["turns = turns_one.turns:Turns"]}, turns=POLICY, choice=CHOICE)
    assert import_path("turns") == "turns_one.turns:Turns"
    (entry,) = entries.registered(GROUP, ALGORITHMS).values()
    assert (entry.package, entry.version) == ("turns-one", "0.3")
    assert not [name for name in sys.modules if name.startswith("turns_one")]
    assert load("turns").__name__ == "Turns"
    assert entries.load_policy(entry) is load("turns")


def test_a_name_that_nobody_registers_is_a_key_error():
    with pytest.raises(KeyError, match="no_such_policy"):
        load("no_such_policy")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "ucb = other_a.turns:Turns",
            r"entry point 'ucb' of the group '.*': this study has the name 'ucb' itself; exp",
        ),
        ("Turns = other_b.turns:Turns", "expected a name such as my_policy"),
        ("turns = other_c.turns", r"'other_c.turns' is no import path; expected module:name"),
        ("turns = other_d.turns:A.b", r"'other_d.turns:A.b' is no import path; expected module:name"),
    ],
)
def test_a_registration_that_cannot_stand_names_the_package(tmp_path, monkeypatch, line, message):
    package = line.split(" = ")[1].partition(".")[0]
    install(tmp_path, monkeypatch, package, {GROUP: [line]})
    with pytest.raises(entries.EntryError, match=f"^package {package.replace('_', '-')} 0.3: .*{message}"):
        entries.registered(GROUP, ALGORITHMS)


def test_two_packages_of_one_name_are_told(tmp_path, monkeypatch):
    for package in ("twin_a", "twin_b"):
        install(tmp_path / package, monkeypatch, package, {GROUP: [f"turns = {package}.turns:Turns"]})
    with pytest.raises(
        entries.EntryError, match=r"the package twin-[ab] registers this name too; expected one of them"
    ):
        entries.registered(GROUP)


WRONG = {
    "absent": ("", "cannot be imported .ModuleNotFoundError: .*expected a module and a name in it"),
    "raises": ("raise RuntimeError('no\\nluck')", "cannot be imported .RuntimeError: no luck.; expected"),
    "nameless": ("x = 1", "cannot be imported .AttributeError: .*expected a module and a name"),
    "function": ("def Turns(): pass", "is no algorithm: it is a function; expected a dataclass"),
    "plain": ("class Turns: pass", "is no algorithm: it is the class Turns, no dataclass; expected a dataclass"),
    "runless": (
        "import dataclasses\n@dataclasses.dataclass\nclass Turns: pass",
        "is no algorithm: it has no method 'run'",
    ),
    "playless": (
        "import dataclasses\n@dataclasses.dataclass\nclass Turns:\n    def run(self): pass",
        "has no class variable 'plays'; expected there the kind of bandit",
    ),
    "abstract": (
        "import dataclasses\nfrom causal_bandits import StepwisePolicy\n@dataclasses.dataclass\n"
        "class Turns(StepwisePolicy): pass",
        "it lacks select, start, update; expected these methods",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_algorithm_is_told(tmp_path, monkeypatch, case):
    text, message = WRONG[case]
    package = f"wrong_{case}"
    modules = {"turns": text} if text else {}
    install(tmp_path, monkeypatch, package, {GROUP: [f"turns = {package}.turns:Turns"]}, **modules)
    (entry,) = entries.registered(GROUP).values()
    with pytest.raises(entries.EntryError, match=message) as refused:
        entries.load_policy(entry)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith(f"package wrong-{case} 0.3: entry point 'turns' of the group '{GROUP}'")
