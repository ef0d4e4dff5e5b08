"""A progress bar where one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oware._counts import flag

if TYPE_CHECKING:
    from typing_extensions import Self


class Bar:
    """So many steps on standard error, or nothing at all."""

    def __init__(self, total: int, show: bool, unit: str) -> None:
        self.total = total
        self.shown = flag("progress", show)
        self.unit = unit
        self.bar: Any = None

    def __enter__(self) -> Self:
        if self.shown:
            from tqdm import tqdm

            self.bar = tqdm(total=self.total, unit=f" {self.unit}")
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def update(self, steps: int = 1) -> None:
        """Take a step."""
        if self.bar is not None:
            self.bar.update(steps)
