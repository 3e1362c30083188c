"""The work behind `rollouts.parse`: one episode a file, delivered in the order of the command line."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import Field
from tqdm import tqdm

from env.episode import Ending
from env.parsing.config import ParsingConfig
from env.parsing.corpus.manifest import CorpusFile, list_files
from env.parsing.document import ParsedDocument
from env.parsing.open_game import OpenGame, open_files
from env.records import Record
from rollouts.policies.choose import PolicyConfig, adapt_game, make_policy
from rollouts.policy import Policy
from rollouts.run_episode import EpisodeSettings, run_episode
from rollouts.run_many import episode_seed


class ParseConfig(Record):
    """Configuration of `rollouts.parse` (`configs/parse.toml`)."""

    parsing: ParsingConfig
    policy: PolicyConfig
    cache: str
    concurrency: int = Field(ge=1)
    episode_timeout_s: float = Field(gt=0)
    seed: int


@dataclass(frozen=True, slots=True)
class Output:
    """Where documents go and in which form."""

    folder: Path | None
    """One file each in here, or stdout when None."""
    as_json: bool
    several: bool
    """Whether texts on stdout need a line that says whose they are."""

    def done(self, name: str) -> bool:
        """Whether an earlier run has delivered this file already."""
        return self.folder is not None and self._path(name).exists()

    def deliver(self, name: str, document: ParsedDocument) -> None:
        """Write one document; a file appears whole or not at all. Nothing is written for a fault that running again may mend."""
        if document.ending.worth_replaying:
            return
        content = document.model_dump_json() + "\n" if self.as_json else document.text
        if self.folder is None:
            header = f"==> {name} <==\n" if self.several and not self.as_json else ""
            sys.stdout.write(f"{header}{content}" + ("" if content.endswith("\n") or not content else "\n"))
            sys.stdout.flush()
        elif document.text or self.as_json:
            path = self._path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(path.name + ".tmp")
            temporary.write_text(content, encoding="utf-8")
            temporary.replace(path)

    def _path(self, name: str) -> Path:
        if self.folder is None:
            raise ValueError("stdout has no paths")
        return self.folder / (name + (".json" if self.as_json else ".txt"))


async def parse_files(paths: Sequence[Path], config: ParseConfig, output: Output) -> list[Ending]:
    """Parse files and folders of files.

    Returns:
        How each file ended: `finished` with its text delivered, or why there is none (also said on stderr).

    Raises:
        CorpusError: a path does not exist, or a folder holds no files.
    """
    files = [file for file in list_files(paths) if not output.done(file.id)]
    endings: list[Ending] = []
    with open_files(files, config.cache, adapt_game(config.policy, config.parsing)) as opened:
        policy = make_policy(config.policy, config.parsing, opened.game.outputs, files)
        try:
            with tqdm(total=len(files), unit="file", disable=len(files) < 2, dynamic_ncols=True) as bar:
                async for file, document in _play_in_order(files, opened, policy, config):
                    output.deliver(file.id, document)
                    _warn(file.id, document)
                    endings.append(document.ending if document.text or document.ending.worth_replaying else Ending.FAILED)
                    bar.update()
        finally:
            await policy.close()
    return endings


async def _play_in_order(
    files: Sequence[CorpusFile], opened: OpenGame, policy: Policy, config: ParseConfig
) -> AsyncIterator[tuple[CorpusFile, ParsedDocument]]:
    """Episodes side by side, at most `concurrency` begun and not yet delivered, so that memory stays bounded."""
    settings = EpisodeSettings(timeout_s=config.episode_timeout_s, live=True)
    waiting: list[tuple[CorpusFile, asyncio.Task[ParsedDocument]]] = []
    pending = iter(files)
    try:
        while True:
            while len(waiting) < config.concurrency and (file := next(pending, None)) is not None:
                waiting.append((file, asyncio.create_task(_parse(file, opened, policy, settings, config.seed))))
            if not waiting:
                return
            file, task = waiting.pop(0)
            yield file, await task
    finally:
        for _, task in waiting:
            task.cancel()
        await asyncio.gather(*(task for _, task in waiting), return_exceptions=True)


async def _parse(file: CorpusFile, opened: OpenGame, policy: Policy, settings: EpisodeSettings, seed: int) -> ParsedDocument:
    environment = opened.game.environment()
    task = await asyncio.to_thread(opened.game.task, file)
    trajectory = await run_episode(environment, task, policy, settings, seed=episode_seed(seed, file.id, 0))
    if trajectory.ending is Ending.CANCELLED:
        raise asyncio.CancelledError
    document: ParsedDocument = await asyncio.to_thread(environment.document)
    return document.model_copy(update={"trace": trajectory.messages})


def _warn(name: str, document: ParsedDocument) -> None:
    """Say on stderr what the user should know about a file."""
    notes: list[Any] = list(document.warnings)
    if not document.text:
        notes.append(f"no text: {document.ending} ({document.detail})" if document.detail else f"no text: {document.ending}")
    elif document.ending is not Ending.FINISHED:
        notes.append(f"{document.ending}: the rule baseline's choice ({document.tool}) was taken")
    for note in notes:
        tqdm.write(f"{name}: {note}", file=sys.stderr)
