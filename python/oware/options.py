"""What both environments do alike: spaces, options of a reset, render modes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces

from oware import render

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from oware._oware import Game, Rules
    from oware.types import ObservationKind, RenderMode

__all__ = [
    "RENDER_MODES",
    "check_options",
    "check_render_mode",
    "frame",
    "mode_to_render",
    "observation_space",
    "reset_mask_of",
]

RENDER_MODES: Final = ("ansi", "rgb_array")


def observation_space(kind: ObservationKind, rules: Rules) -> spaces.Box:
    """The space of one observation under some rules."""
    if kind == "seeds":
        return spaces.Box(0, 12 * rules.seeds_per_pit, (14,), np.uint8)
    return spaces.Box(0.0, 1.0, (14,) if kind == "normalized" else (14, 25), np.float32)


def check_render_mode(mode: object) -> None:
    """Raise `ValueError` for what is no render mode."""
    # An array is equal to a mode in its own way.
    if mode is not None and not (isinstance(mode, str) and mode in RENDER_MODES):
        known = ", ".join(map(repr, RENDER_MODES))
        raise ValueError(f"render_mode is {mode!r}; give None, {known}")


def mode_to_render(mode: RenderMode | None, default: str | None) -> str | None:
    """The mode asked for, or the environment's own; with a warning that there is none."""
    check_render_mode(mode)
    if mode is None and default is None:
        gymnasium.logger.warn("render() without a mode: give render_mode='ansi' or 'rgb_array'")
    return mode or default


def frame(game: Game, mode: str) -> str | NDArray[np.uint8]:
    """One game as `render` shows it in a mode."""
    return render.ansi(game) if mode == "ansi" else render.rgb_array(game)


def reset_mask_of(options: Mapping[str, Any] | None) -> NDArray[np.bool_] | None:
    """The mask among the options of a reset."""
    if options is None:
        return None
    check_options(options, "reset_mask")
    mask: NDArray[np.bool_] | None = options.get("reset_mask")
    return mask


def check_options(options: object, *known: str) -> None:
    """Refuse what is no mapping of known options."""
    if not isinstance(options, Mapping):
        raise TypeError(f"options must be a dict, not {type(options).__name__}")
    for name in options:
        if name not in known:
            names = ", ".join(map(repr, known)) or "none"
            raise ValueError(f"unknown option {name!r}; known: {names}")
