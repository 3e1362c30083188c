"""What `rollouts.teacher` and `rollouts.evaluate` share: from a configuration to a finished run folder."""

import asyncio
import hashlib
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from configs.load import load_config
from env.parsing.config import ParsingConfig, SourceConfig
from env.parsing.open_game import OpenGame, open_game
from rollouts.policies.choose import PolicyConfig, adapt_game, make_policy
from rollouts.run_episode import EpisodeSettings
from rollouts.run_folder import DOES_NOT_CHANGE_RESULTS, RunFolder, describe_program
from rollouts.run_many import RunSettings, run_many
from rollouts.trajectory_file import TrajectoryFile


class RolloutConfig(SourceConfig):
    """Configuration of a run (`configs/rollouts.toml`)."""

    parsing: ParsingConfig
    policy: PolicyConfig
    samples: int = Field(ge=1)
    """Episodes per file."""
    seed: int
    concurrency: int = Field(ge=1)
    """Episodes at the same time."""
    give_up_after: int = Field(ge=1)
    """Provider errors in a row that stop the run."""
    episode_timeout_s: float = Field(gt=0)
    out: str
    """Run folder; empty: `runs/<command>-<policy>-<digest of the configuration>`, so that the same command resumes."""


def launch(command: str, argv: Sequence[str]) -> int:
    """Play the run that the arguments describe, print and write its report."""
    config = load_config(RolloutConfig, argv, default=f"{command}.toml")
    folder = RunFolder(_run_path(command, config))
    with open_game(config, adapt_game(config.policy, config.parsing)) as opened:
        folder.open(config.model_dump(mode="json"), describe_program() | opened.meta)
        log = logging.FileHandler(folder.log, encoding="utf-8")
        logging.getLogger().addHandler(log)
        try:
            asyncio.run(_play(config, opened, folder))
        finally:
            logging.getLogger().removeHandler(log)
            log.close()

    from rollouts.run_report import report_runs  # noqa: PLC0415 - its statistics take seconds to import, after the work is soon enough

    print(report_runs([folder.path], folder.path))  # noqa: T201 - the result of the command
    print(f"trajectories: {folder.trajectories}")  # noqa: T201
    return 0


async def _play(config: RolloutConfig, opened: OpenGame, folder: RunFolder) -> None:
    policy = make_policy(config.policy, config.parsing, opened.game.outputs, opened.corpus_files)
    settings = RunSettings(
        samples=config.samples,
        seed=config.seed,
        concurrency=config.concurrency,
        give_up_after=config.give_up_after,
        episode=EpisodeSettings(timeout_s=config.episode_timeout_s, snapshot=opened.game.outputs.digest, live=opened.live),
    )
    try:
        with TrajectoryFile(folder.trajectories) as file:
            await run_many(opened.game, opened.files, policy, settings, file)
    finally:
        await policy.close()


def _run_path(command: str, config: RolloutConfig) -> Path:
    if config.out:
        return Path(config.out)
    settings: dict[str, Any] = config.model_dump(mode="json", exclude=set(DOES_NOT_CHANGE_RESULTS))
    digest = hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:8]
    return Path("runs") / f"{command}-{config.policy.name}-{digest}"
