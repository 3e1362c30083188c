"""What the environment costs: `env_vs_bare` and `gym_vs_core` (steps per second, higher is better).

    make bench-env

Bare: `json.loads` of the same texts and a dictionary lookup of the recorded observation, nothing else. Core: the same texts through
`ParsingEnvironment`, one fresh episode each time, reward included. Gymnasium: the same through `gymnasium.make`. Rounds alternate and the
best of each counts.
"""

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import gymnasium

import env.adapters.gymnasium  # noqa: F401 - registers the id
from configs.load import load_config
from env.adapters.gymnasium import PARSING_ID, GymnasiumConfig
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.environment import ParsingGame
from env.parsing.fill_cache import BuildConfig, build_cache
from env.parsing.freezing import FreezeConfig, freeze_cache
from env.parsing.open_game import open_game

EPISODES = 2000
ROUNDS = 7


def main() -> None:
    """Print the two ratios and the absolute speed."""
    with tempfile.TemporaryDirectory() as folder:
        snapshot = small_snapshot(Path(folder))
        measure(snapshot)


def small_snapshot(folder: Path) -> Path:
    """One text file with a reference, run through its tools and frozen."""
    text = "The model learns the policy from what it has observed so far. " * 200
    (folder / "a.txt").write_text(text)
    row = {"id": "a", "path": "a.txt", "ref": "a.txt", "format": "txt", "split": "train"}
    (folder / "manifest.jsonl").write_text(json.dumps(row))
    settings = [f"corpus={folder}", f"cache={folder}/cache.sqlite", f"out={folder}/snapshot.parquet"]
    config = load_config(FreezeConfig, [*settings, "allow_missing=false"], default="freeze.toml")
    build_cache(BuildConfig.model_validate(config.model_dump(include=set(BuildConfig.model_fields))))
    freeze_cache(config)
    return folder / "snapshot.parquet"


def measure(snapshot: Path) -> None:
    """Alternate the three loops and print their ratios."""
    config = load_config(GymnasiumConfig, [f"snapshot={snapshot}"], default="gymnasium.toml")
    with open_game(config, config.parsing) as opened:
        file = opened.files[0]
        tools = ["plain-text", "rot13"]
        texts = [json.dumps({"thought": "the card says so", "action": "call_tool", "tool": tool}) for tool in tools]
        texts.append(json.dumps({"thought": "good enough", "action": "finish", "choice": tools[0]}))
        bare, core, gym = bare_loop(opened.game, file.id, texts), core_loop(opened.game, file, texts), gym_loop(snapshot, texts)
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
    recorded = {tool.name: game.observe(file, tool.name, 0)[1].observation for tool in game.outputs.tools(file)}
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


def core_loop(game: ParsingGame, file: CorpusFile, texts: Sequence[str]) -> Callable[[], None]:
    """Whole episodes through the core."""
    task = game.task(file)

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
