from __future__ import annotations

import copy
import inspect
import pickle
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import pytest

import oware
from oware import types

if TYPE_CHECKING:
    from oware.types import RuleSetName

DEFAULTS = {
    "grand_slam": "capture_nothing",
    "feeding": "required",
    "no_move": "own_side",
    "repetition": 3,
    "repetition_needs_both_rows": True,
    "repetition_share": "own_side",
    "max_plies": None,
    "limit_share": "own_side",
    "majority_ends": True,
    "seeds_per_pit": 4,
}
# A value of every field that is not the default.
OTHERS = {
    "grand_slam": "leave_far_pit",
    "feeding": "free",
    "no_move": "split",
    "repetition": 0,
    "repetition_needs_both_rows": False,
    "repetition_share": "stay",
    "max_plies": 4294967295,
    "limit_share": "split",
    "majority_ends": False,
    "seeds_per_pit": 20,
}


def fields(rules: oware.Rules) -> dict[str, object]:
    return {name: getattr(rules, name) for name in DEFAULTS}


def made(values: dict[str, Any]) -> oware.Rules:
    return oware.Rules(**values)


def test_the_defaults_are_those_of_the_signature_and_of_abapa() -> None:
    signature = inspect.signature(oware.Rules)
    assert {name: p.default for name, p in signature.parameters.items()} == DEFAULTS
    assert fields(oware.Rules()) == DEFAULTS
    assert oware.Rules() == oware.Rules.named("abapa") == oware.RULE_SETS["abapa"]


def test_every_field_is_kept() -> None:
    assert fields(made(OTHERS)) == OTHERS
    assert fields(oware.Rules(*OTHERS.values())) == OTHERS  # type: ignore[arg-type]


def test_integers_and_bools_of_numpy_are_taken() -> None:
    rules = oware.Rules(
        repetition=np.uint8(5),
        max_plies=np.int64(7),
        majority_ends=np.bool_(False),  # type: ignore[arg-type]
    )
    assert rules == oware.Rules(repetition=5, max_plies=7, majority_ends=False)
    assert type(rules.max_plies) is int


@pytest.mark.parametrize("name", OTHERS)
def test_each_field_tells_rules_apart(name: str) -> None:
    other = made({name: OTHERS[name]})
    assert other != oware.Rules()
    assert len({other, oware.Rules(), made({name: OTHERS[name]})}) == 2
    assert oware.Rules().diff(other) == {name: (DEFAULTS[name], OTHERS[name])}
    assert other.diff("abapa") == {name: (OTHERS[name], DEFAULTS[name])}
    assert oware.Rules().replace(**{name: OTHERS[name]}) == other  # type: ignore[arg-type]
    assert repr(other) == f"Rules({name}={OTHERS[name]!r})"


def test_replace_leaves_the_original_as_it_was() -> None:
    rules = oware.Rules(repetition=2)
    assert rules.replace() == rules
    assert rules.replace(repetition=0, feeding="free") == oware.Rules(repetition=0, feeding="free")
    assert rules == oware.Rules(repetition=2)


def test_other_types_are_never_equal() -> None:
    assert oware.Rules() != "abapa"
    assert oware.Rules() != tuple(DEFAULTS.values())
    with pytest.raises(TypeError):
        oware.Rules() < oware.Rules()  # type: ignore[operator]  # noqa: B015


def test_rules_are_immutable() -> None:
    rules: Any = oware.Rules()
    for name in [*DEFAULTS, "nonsense"]:
        with pytest.raises(AttributeError):
            setattr(rules, name, DEFAULTS.get(name))
    with pytest.raises(AttributeError):
        del rules.feeding
    assert rules == oware.Rules()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("values", [DEFAULTS, OTHERS], ids=["defaults", "others"])
def test_pickle(values: dict[str, object], protocol: int) -> None:
    assert pickle.loads(pickle.dumps(made(values), protocol)) == made(values)  # noqa: S301 - our own bytes


def test_copies() -> None:
    assert copy.copy(made(OTHERS)) == made(OTHERS)
    assert copy.deepcopy([made(OTHERS)]) == [made(OTHERS)]


def test_hash_is_the_same_in_another_process() -> None:
    code = "import oware; print(hash(oware.Rules(seeds_per_pit=7)))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) == hash(oware.Rules(seeds_per_pit=7))


def test_classes_live_in_oware() -> None:
    for thing in (oware.Rules, oware.Game, oware.SetupError, oware.IllegalMoveError):
        assert thing.__module__ == "oware"
        assert not hasattr(sys.modules["builtins"], thing.__name__)


def test_rule_sets_are_a_dict() -> None:
    sets = oware.RULE_SETS
    assert type(sets) is dict
    assert list(sets) == list(get_args(types.RuleSetName))
    assert all(oware.Rules.named(name) is not None for name in sets)
    assert {name: oware.Rules.named(name) for name in sets} == sets


@pytest.mark.parametrize("name", get_args(types.RuleSetName))
def test_a_name_is_as_good_as_its_rules(name: RuleSetName) -> None:
    assert oware.Game(name) == oware.Game(oware.RULE_SETS[name])
    assert oware.Game(name).rules == oware.RULE_SETS[name]


@pytest.mark.parametrize(
    ("field", "alias"),
    [
        ("grand_slam", types.GrandSlam),
        ("feeding", types.Feeding),
        ("no_move", types.Share),
        ("repetition_share", types.Share),
        ("limit_share", types.Share),
    ],
)
def test_the_types_list_the_names_that_are_taken(field: str, alias: object) -> None:
    with pytest.raises(ValueError, match=f"^unknown {field} ") as refused:
        made({field: "?"})
    known = re.fullmatch(rf'unknown {field} "\?"; known: (.*)', str(refused.value))
    assert known is not None
    assert tuple(known[1].split(", ")) == get_args(alias)
    for word in get_args(alias):
        assert getattr(made({field: word}), field) == word


def test_the_types_list_the_other_names() -> None:
    assert get_args(types.TerminationName) == ("going_on", *get_args(types.EndingName))
    assert get_args(types.TerminationName) == oware.TERMINATIONS
    with pytest.raises(ValueError, match=r"known: seeds, normalized, one_hot$"):
        oware.Game().observation("?")  # type: ignore[call-overload]
    assert get_args(types.ObservationKind) == ("seeds", "normalized", "one_hot")


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(ValueError, match=r'; did you mean "auale"\?$'):
        oware.Rules.named("aualé")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r'; did you mean "capture_all"\?$'):
        oware.Rules(grand_slam="captureall")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"codingame$"):
        oware.Rules.named("xyz")  # type: ignore[arg-type]


def test_describe_tells_every_field() -> None:
    told = {name: made({name: value}).describe() for name, value in OTHERS.items()}
    # Said only where a ply limit, which the defaults lack, makes it matter.
    limited = oware.Rules(max_plies=9)
    told["limit_share"] = limited.replace(limit_share="split").describe()
    assert told["limit_share"] != limited.describe()
    told.pop("limit_share")
    assert len({*told.values(), oware.Rules().describe()}) == len(told) + 1
    for text in told.values():
        assert all(line.endswith(".") for line in text.splitlines())
