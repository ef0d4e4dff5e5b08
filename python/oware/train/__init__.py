"""Networks that learn by playing against themselves.

`self_play` and what it gives need no framework; `Trainer` and `Model` need PyTorch, the extra
`train`, and `RayGames` needs Ray, the extra `ray`.

>>> import oware
>>> from oware.train import Settings, self_play
>>> seen = self_play(oware.Network.random(hidden=(8,), seed=0), 2, Settings(simulations=4), seed=0)
>>> seen.policy.shape == (len(seen), 6)
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oware import _missing
from oware.train._experience import Experience
from oware.train._self_play import LONGEST_GAME, self_play
from oware.train._settings import Settings

if TYPE_CHECKING:
    from oware.train._model import Model as Model
    from oware.train._ray import RayGames as RayGames
    from oware.train.alphazero import Trainer as Trainer

# Without what needs a framework: `from oware.train import *` does without.
__all__ = ["LONGEST_GAME", "Experience", "Settings", "self_play"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "RayGames":
        from oware.train._ray import RayGames

        return RayGames
    if name not in {"Model", "Trainer"}:
        raise AttributeError(f"module 'oware.train' has no attribute {name!r}")
    try:
        from oware.train import _model, alphazero
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] not in {"filelock", "torch"}:
            raise
        raise _missing.missing_extra("train", error) from None
    globals().update(Model=_model.Model, Trainer=alphazero.Trainer)
    return globals()[name]


def __dir__() -> list[str]:
    learning = {"Model", "Trainer"} if _missing.installed("torch", "filelock") else set()
    playing = {"RayGames"} if _missing.installed("ray") else set()
    return sorted({*globals(), *learning, *playing})
