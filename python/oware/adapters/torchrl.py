"""Oware for TorchRL: the whole batch as one `EnvBase`, whose tensors are the batch's own arrays.

Needs `pip install "oware[torchrl]"`.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from oware import Game, OwareEnv
from oware._missing import missing_extra
from oware.agents import checked_kind

try:
    import torch
    from tensordict import TensorDict
    from torchrl.data import Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
    from torchrl.envs.utils import ExplorationType, set_exploration_type
except ModuleNotFoundError as error:
    raise missing_extra("torchrl", error) from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from oware import Rules
    from oware.types import (
        ObservationKind,
        OpponentName,
        Policy,
        RewardKind,
        RuleSetName,
        SeatChoice,
    )

__all__ = ["OwareTorchEnv", "TensorDictAgent"]


class OwareTorchEnv(EnvBase):
    """Many games that are stepped together, for TorchRL: batch-locked, of batch size (N,).

    It is an `oware.OwareEnv`, which see for what is observed and rewarded. Tensors share the memory
    of its arrays, which are fresh at each step, and actions are read where they are. TorchRL resets
    what has finished: stepping a finished row is refused.

    **Entries**: `observation` (N, ...); `action_mask` bool (N, 6), all true where an episode is
    over, so that a masked softmax stays finite; `to_move` int8 (N,), the seat whose view is shown;
    `reward` float32 (N, 1); `done`, `terminated` and `truncated` bool (N, 1); `action` int64 (N,).
    The action spec follows the mask, so `rand_action` draws legal ones; TorchRL's `RandomPolicy`
    does not, as it draws from a copy of the spec.

    Args:
        num_envs: Number of environments N, at least 1.
        rules: As for `oware.OwareEnv`, and so all that follow but the last.
        opponent: Who replies; None for self-play, where a reward belongs to the player who just
            moved and the next observation is the other's.
        seat: The agent's seat.
        observation: The form of observations.
        reward: What a step is rewarded with.
        max_steps: Steps after which an episode is truncated; None for no cap.
        opening_plies: Random plies before each episode.
        num_threads: Most threads that a step may use.
        device: Where tensors are handed out; other ones than the CPU's are copies.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: An argument is out of range or no known name.

    Example:
        >>> env = OwareTorchEnv(4, opponent="random")
        >>> env.rollout(3)["next", "reward"].shape
        torch.Size([4, 3, 1])
    """

    batch_locked = True

    def __init__(
        self,
        num_envs: SupportsIndex = 1,
        *,
        rules: RuleSetName | Rules = "abapa",
        opponent: OpponentName | Policy | None = "random",
        seat: SeatChoice = "random",
        observation: ObservationKind = "normalized",
        reward: RewardKind = "outcome",
        max_steps: SupportsIndex | None = 1000,
        opening_plies: SupportsIndex = 0,
        num_threads: SupportsIndex = 1,
        device: torch.device | str = "cpu",
    ) -> None:
        batch = OwareEnv(
            num_envs,
            rules=rules,
            opponent=opponent,
            seat=seat,
            observation=observation,
            reward=reward,
            autoreset_mode="disabled",
            max_steps=max_steps,
            opening_plies=opening_plies,
            num_threads=num_threads,
        )
        count = batch.num_envs
        super().__init__(device=torch.device(device), batch_size=torch.Size([count]))
        self._batch = batch
        self._next_seed: int | None = None
        space = batch.single_observation_space
        shape = (count, *(space.shape or ()))
        self.observation_spec = Composite(
            observation=Bounded(
                low=0,
                high=float(space.high.max()),  # type: ignore[attr-defined]
                shape=shape,
                dtype=torch.uint8 if observation == "seeds" else torch.float32,
                device=self.device,
            ),
            action_mask=Categorical(2, shape=(count, 6), dtype=torch.bool, device=self.device),
            to_move=Categorical(2, shape=(count,), dtype=torch.int8, device=self.device),
            shape=(count,),
            device=self.device,
        )
        self.action_spec = Categorical(6, shape=(count,), dtype=torch.int64, device=self.device)
        self.reward_spec = Unbounded(shape=(count, 1), dtype=torch.float32, device=self.device)
        flag = Categorical(2, shape=(count, 1), dtype=torch.bool, device=self.device)
        self.full_done_spec = Composite(
            done=flag.clone(),
            terminated=flag.clone(),
            truncated=flag.clone(),
            shape=(count,),
            device=self.device,
        )

    @property
    def env(self) -> OwareEnv:
        """The batch itself.

        Example:
            >>> OwareTorchEnv(4).env.num_envs
            4
        """
        return self._batch

    def game(self, i: SupportsIndex) -> Game:
        """The game of environment `i`; see `oware.OwareEnv.game`.

        Example:
            >>> env = OwareTorchEnv(4, seat="south")
            >>> _ = env.reset()
            >>> env.game(3).status()
            'South to move'
        """
        return self._batch.game(i)

    def set_opponent(self, opponent: OpponentName | Policy) -> None:
        """Change the opponent of the episodes to come; see `oware.OwareEnv.set_opponent`.

        Example:
            >>> OwareTorchEnv(4).set_opponent("greedy")
        """
        self._batch.set_opponent(opponent)

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Let go of all memory.

        Args:
            raise_if_closed: Whether to raise where it is closed already.

        Example:
            >>> OwareTorchEnv(4).close()
        """
        super().close(raise_if_closed=raise_if_closed)
        self._batch.close()

    def _reset(self, tensordict: TensorDict | None, **_: Any) -> TensorDict:  # noqa: ANN401
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        if chosen is None or chosen.all():
            observation, info = self._batch.reset(seed=self._next_seed)
            self._next_seed = None
        else:
            mask = chosen.reshape(self._batch.num_envs).cpu().numpy()
            observation, info = self._batch.reset(options={"reset_mask": mask})
        return self._tensors(observation, info)

    def _step(self, tensordict: TensorDict) -> TensorDict:
        actions = tensordict["action"].cpu().numpy()
        observation, reward, terminated, truncated, info = self._batch.step(actions)
        flags = {
            "done": terminated | truncated,
            "terminated": terminated,
            "truncated": truncated,
            "reward": reward,
        }
        return self._tensors(
            observation, info, {name: each[:, np.newaxis] for name, each in flags.items()}
        )

    def _tensors(
        self,
        observation: NDArray[Any],
        info: dict[str, Any],
        others: dict[str, NDArray[Any]] | None = None,
    ) -> TensorDict:
        """Arrays as tensors in the same memory."""
        arrays = {
            "observation": observation,
            # 0 and 1 are how a bool is stored.
            "action_mask": info["action_mask"].view(np.bool_),
            "to_move": info["to_move"],
            **(others or {}),
        }
        tensors = {name: torch.from_numpy(array).to(self.device) for name, array in arrays.items()}
        self.action_spec.update_mask(tensors["action_mask"])
        return TensorDict(tensors, batch_size=self.batch_size, device=self.device)

    def _set_seed(self, seed: int | None) -> None:
        self._next_seed = seed


class TensorDictAgent:
    """A TorchRL policy as a player: an environment's `opponent`, or to be evaluated.

    Args:
        policy: Reads `observation` and `action_mask` of a tensordict and writes `action`, such as a
            `ProbabilisticActor` of a `MaskedCategorical`. It plays as it is at the time: a copy of
            it stays as good as it was.
        deterministic: Whether it plays its likeliest move, or draws one.
        observation: The kind of observation that the policy takes; None for the environment's.

    Raises:
        ValueError: There is no such kind of observation.

    Example:
        >>> import oware
        >>> from tensordict.nn import TensorDictModule
        >>> first = TensorDictModule(
        ...     lambda mask: mask.int().argmax(-1), in_keys=["action_mask"], out_keys=["action"]
        ... )
        >>> player = TensorDictAgent(first)
        >>> oware.agents.evaluate(player, "greedy", games=100).total.games
        100
    """

    def __init__(
        self,
        policy: Callable[[TensorDict], TensorDict],
        *,
        deterministic: bool = False,
        observation: ObservationKind | None = None,
    ) -> None:
        self.policy = policy
        self.deterministic = deterministic
        self.observation = checked_kind(observation)

    def __call__(
        self, observation: NDArray[Any], action_mask: NDArray[np.int8]
    ) -> NDArray[np.int64]:
        """An action for each row."""
        parameters: Callable[[], Iterator[Any]] | None = getattr(self.policy, "parameters", None)
        device = parameters and next((each.device for each in parameters()), None)
        seen = TensorDict(
            {
                "observation": torch.from_numpy(np.ascontiguousarray(observation)),
                "action_mask": torch.from_numpy(np.asarray(action_mask) != 0),
            },
            batch_size=[len(observation)],
        )
        kind = ExplorationType.DETERMINISTIC if self.deterministic else ExplorationType.RANDOM
        with torch.no_grad(), set_exploration_type(kind):
            chosen = self.policy(seen if device is None else seen.to(device))["action"]
        actions: NDArray[np.int64] = chosen.cpu().numpy()
        return actions
