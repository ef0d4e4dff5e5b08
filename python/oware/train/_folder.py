"""The folder of a training run: whether it is one, its settings, and the database they ask for."""

from __future__ import annotations

import errno
import json
from typing import TYPE_CHECKING, Final

from oware._oware import Game
from oware._replacing import replacing, unfinished
from oware.endgame import Endgame
from oware.train._settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LOCK", "begun", "known", "settled", "solved"]

FILE: Final = "settings.json"
LOCK: Final = "lock"


def known(folder: Path) -> Settings:
    """The settings of a run in a folder.

    Raises:
        OSError: They cannot be read.
        ValueError: The file holds something else.
    """
    path = folder / FILE
    if not path.exists():
        # Only a teacher's folder is asked without it.
        reason = "the teacher is no training run; give the folder of one"
        raise FileNotFoundError(errno.ENOENT, reason, str(folder))
    if not path.is_file():
        raise ValueError(f"{path}: it is a folder, a pipe or a device, and holds no settings")
    try:
        return Settings.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (AttributeError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: it holds no settings: {error}") from None


def settled(folder: Path, wanted: Settings | None) -> Settings:
    """The settings of a run in a folder, of a new one those that are wanted or the usual ones.

    Raises:
        OSError: They cannot be read.
        TypeError: What is wanted are no settings.
        ValueError: The run there has others or has lost its checkpoint, or the folder holds
            something else.
    """
    if wanted is not None and not isinstance(wanted, Settings):
        raise TypeError(f"settings must be oware.train.Settings, not {type(wanted).__name__}")
    if (folder / FILE).exists():
        run = known(folder)
        for name, value in vars(run).items():
            if wanted is not None and value != getattr(wanted, name):
                raise ValueError(
                    f"{folder}: the run there has {name}={value}, not {getattr(wanted, name)}; "
                    f"give another folder"
                )
        _check_whole(folder)
        return run
    if folder.exists() and any(
        not (unfinished(path) or path.name == LOCK) for path in folder.iterdir()
    ):
        raise ValueError(f"{folder}: it holds something else; give another folder")
    return wanted or Settings()


def _check_whole(folder: Path) -> None:
    """Refuse a run that has lost its checkpoint, whose networks a new one would replace."""
    if not (folder / "checkpoint").exists():
        # A process that is killed in its first iteration leaves the networks of that one at most.
        later = sorted(path.name for path in folder.glob("network-*") if path.stem[8:] > "000001")
        if later:
            raise ValueError(
                f"{folder}: its checkpoint is missing, but there is {later[-1]}; put it back, or "
                f"give another folder"
            )


def begun(folder: Path, settings: Settings) -> None:
    """Write the settings of a new run to its folder, which is made.

    Raises:
        OSError: They cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with replacing(folder / FILE) as file:
        json.dump(settings.to_json(), file, indent=2)


def solved(settings: Settings, endgame: Endgame | None) -> Endgame | None:
    """The database that settings speak of: one that is given, else that of the cache folder.

    Raises:
        TypeError: What is given is none.
        ValueError: It has other rules or another number of seeds.
    """
    seeds, rules = settings.endgame, settings.rules
    if endgame is None:
        return Endgame.load(seeds, rules) if seeds else None
    if not isinstance(endgame, Endgame):
        given = type(endgame).__name__
        raise TypeError(f"endgame must be None or an oware.Endgame, not {given}")
    if endgame.max_seeds != seeds:
        had = endgame.max_seeds
        raise ValueError(f"the database is of {had} seeds; settings.endgame is {seeds}")
    endgame.value(Game(rules, pits=[0] * 12))  # Refuses other rules.
    return endgame
