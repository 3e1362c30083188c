"""What the environment costs: `env_vs_bare` and `gym_vs_core` (steps per second, higher is better).

    make bench-env

Bare: `json.loads` of the same texts and a dictionary lookup of the recorded observation, nothing else. Core: the same texts through
`ParsingEnvironment`, one fresh episode each time, reward included. Gymnasium: the same through `gymnasium.make`. Rounds alternate and the
best of each counts.
"""

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import gymnasium

import env.adapters.gymnasium  # noqa: F401 - registers the id
from benchmarks.snapshot import small_snapshot
from configs.load import load_config
from env.adapters.gymnasium import PARSING_ID, GymnasiumConfig
from env.parsing.environment import ParsingGame
from env.parsing.open_game import open_game

EPISODES = 2000
ROUNDS = 7


def main() -> None:
    """Print the two ratios and the absolute speed."""
    snapshot = small_snapshot()
    config = load_config(GymnasiumConfig, [f"snapshot={snapshot}"], default="gymnasium.toml")
    with open_game(config, config.parsing) as opened:
        file = opened.files[0]
        tools = [tool.name for tool in opened.game.outputs.tools(file.id)][:2]
        texts = [json.dumps({"thought": "the card says so", "action": "call_tool", "tool": tool}) for tool in tools]
        texts.append(json.dumps({"thought": "good enough", "action": "finish", "choice": tools[0]}))
        bare, core, gym = bare_loop(opened.game, file.id, texts), core_loop(opened.game, file.id, texts), gym_loop(snapshot, texts)
        best = {"bare": 0.0, "core": 0.0, "gym": 0.0}
        for _ in range(ROUNDS):
            for name, loop in {"bare": bare, "core": core, "gym": gym}.items():
                best[name] = max(best[name], steps_per_second(loop, len(texts)))
    print(f"env_vs_bare {best['core'] / best['bare']:.3f}")
    print(f"gym_vs_core {best['gym'] / best['core']:.3f}")
    print(f"core_steps_per_second {best['core']:.0f}")


def steps_per_second(loop: Callable[[], None], steps: int) -> float:
    """Speed of one round."""
    start = time.perf_counter()
    loop()
    return EPISODES * steps / (time.perf_counter() - start)


def bare_loop(game: ParsingGame, file: str, texts: Sequence[str]) -> Callable[[], None]:
    """Parse and dispatch, nothing else."""
    recorded = {tool.name: game.observation(file, tool.name, 0)[1] for tool in game.outputs.tools(file)}
    handlers: dict[str, Callable[[dict[str, str]], str]] = {
        "call_tool": lambda action: recorded[action["tool"]],
        "finish": lambda action: action["choice"],
    }

    def loop() -> None:
        for _ in range(EPISODES):
            for text in texts:
                action = json.loads(text)
                handlers[action["action"]](action)

    return loop


def core_loop(game: ParsingGame, file: str, texts: Sequence[str]) -> Callable[[], None]:
    """Whole episodes through the core."""
    task = game.task(next(iter(game.files(file))))

    def loop() -> None:
        for _ in range(EPISODES):
            environment = game.environment()
            environment.reset(task)
            for text in texts:
                environment.step(text)

    return loop


def gym_loop(snapshot: Path, texts: Sequence[str]) -> Callable[[], None]:
    """The same episodes through Gymnasium with its default wrappers, apart from the passive checker, which is meant for debugging."""
    environment = gymnasium.make(PARSING_ID, snapshot=str(snapshot), disable_env_checker=True)

    def loop() -> None:
        for _ in range(EPISODES):
            environment.reset()
            for text in texts:
                environment.step(text)

    return loop


if __name__ == "__main__":
    main()
