"""Does coverage see that a part is quietly missing? `auc_5`, `auc_10`, `auc_20`, overall and per format.

    make bench-coverage CORPUS=folder      (or: python -m benchmarks.coverage [FOLDER] [key=value …])

From right outputs 5, 10 or 20 % of the characters are cut away: one block (`auc_5`), or a hundredth here and there (`auc_5_scattered`). The
value is the probability that an uncut output has the higher coverage, over all pairs of an uncut and a cut output of any document and any
tool, which is harder than comparing an output with its own remainder. `n_*` counts uncut outputs. `spearman_*` is the rank correlation of
coverage with F1 − oracle over all outputs, good or bad. PDFs with little text layer are counted as `scan`: there the yardstick is only an
estimate of the ink. Where tool and yardstick read the same stored characters (txt, md, csv), a perfect value says little.
"""

import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import Field
from scipy.stats import mannwhitneyu, spearmanr
from tqdm import tqdm

from configs.load import answer_help, load_config
from env.parsing.config import ParsingConfig, SourceConfig
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.coverage import coverage
from env.parsing.fill_cache import fill_cache
from env.parsing.inspection import Yardstick
from env.parsing.open_game import open_game
from env.parsing.toolbox import Toolbox
from rewards.oracle import is_right
from rewards.token_f1 import count_tokens, token_f1

SHARES = (5, 10, 20)
"""Percent cut away."""
PIECES = 100
"""Pieces of a text for scattered cuts."""


class CoverageConfig(SourceConfig):
    """Configuration of this benchmark (`configs/coverage.toml`)."""

    parsing: ParsingConfig
    min_f1: float = Field(ge=0, le=1)
    min_tokens: int = Field(ge=1)
    draws: int = Field(ge=1)
    seed: int


@dataclass(frozen=True, slots=True)
class Output:
    """One tool's text with what is known of it."""

    key: str
    """File and tool."""
    format: str
    text: str
    yardstick: Yardstick
    f1: float
    oracle: float
    tokens: int

    def coverage_of(self, text: str) -> float:
        """Coverage of a remainder of this output."""
        value = coverage(text, self.yardstick)
        assert value is not None  # noqa: S101 - outputs without a yardstick are left out
        return value


@dataclass(slots=True)
class Sample:
    """Coverage values of one format."""

    uncut: list[float] = field(default_factory=list)
    cut: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """By `5`, `5_scattered`…"""
    every: list[tuple[float, float]] = field(default_factory=list)
    """Coverage and F1 − oracle of all outputs, good or bad."""


def cut_block(text: str, share: float, rng: random.Random) -> str:
    """The text without one contiguous block."""
    length = round(len(text) * share)
    start = rng.randint(0, len(text) - length)
    return text[:start] + text[start + length :]


def cut_scattered(text: str, share: float, rng: random.Random) -> str:
    """The text without some of its hundred equal pieces."""
    bounds = [len(text) * i // PIECES for i in range(PIECES + 1)]
    gone = set(rng.sample(range(PIECES), round(share * PIECES)))
    return "".join(text[bounds[i] : bounds[i + 1]] for i in range(PIECES) if i not in gone)


CUTS: dict[str, Callable[[str, float, random.Random], str]] = {"": cut_block, "_scattered": cut_scattered}


def read_outputs(toolbox: Toolbox, files: Sequence[CorpusFile]) -> Iterator[Output]:
    """Every output of a file with a reference and a yardstick."""
    for file in tqdm(files, unit="file", desc="cutting", delay=2, dynamic_ncols=True):
        inspection, reference = toolbox.inspection(file.id), count_tokens(file.reference() or "")
        seen = inspection.yardstick
        if coverage("", seen) is None:
            continue
        results = [toolbox.result(file.id, tool.name) for tool in toolbox.tools(file.id)]
        scores = [(result, token_f1(result.text, reference)) for result in results if result.ok]
        oracle = max((score.f1 for _, score in scores), default=0.0)
        kind = "scan" if seen.unread_tokens > sum(seen.tokens.values()) else inspection.card.format
        for result, score in scores:
            yield Output(f"{file.id}/{result.tool}", kind, result.text, seen, score.f1, oracle, score.output_tokens)


def is_good(output: Output, config: CoverageConfig) -> bool:
    """Whether an output is one to be cut."""
    right = is_right(output.f1, output.oracle, config.parsing.scoring.right_margin)
    return right and output.f1 >= config.min_f1 and output.tokens >= config.min_tokens


def measure(outputs: Iterable[Output], config: CoverageConfig) -> dict[str, Sample]:
    """Coverage of uncut and cut outputs by format."""
    samples: dict[str, Sample] = defaultdict(Sample)
    for output in outputs:
        sample = samples[output.format]
        uncut = output.coverage_of(output.text)
        sample.every.append((uncut, output.f1 - output.oracle))
        if not is_good(output, config):
            continue
        sample.uncut.append(uncut)
        for share in SHARES:
            for kind, cut in CUTS.items():
                for draw in range(config.draws):
                    rng = random.Random(f"{config.seed}/{output.key}/{share}{kind}/{draw}")  # noqa: S311 - a seeded sample
                    sample.cut[f"{share}{kind}"].append(output.coverage_of(cut(output.text, share / 100, rng)))
    return samples


def auc(higher: Sequence[float], lower: Sequence[float]) -> float:
    """Probability that a value of the first sample is above one of the second; ties count half."""
    return float(mannwhitneyu(higher, lower).statistic) / (len(higher) * len(lower))


def report(samples: dict[str, Sample]) -> Iterator[str]:
    """Plain lines, overall first."""
    overall = Sample()
    for sample in samples.values():
        overall.uncut += sample.uncut
        overall.every += sample.every
        for kind, values in sample.cut.items():
            overall.cut[kind] += values
    for name, sample in [("", overall), *sorted(samples.items())]:
        suffix = f"_{name}" if name else ""
        yield f"n{suffix or '_outputs'} {len(sample.uncut)}"
        yield from (f"auc_{kind}{suffix} {auc(sample.uncut, values):.3f}" for kind, values in sample.cut.items())
        if len({value for value, _ in sample.every}) > 1 and len({loss for _, loss in sample.every}) > 1:
            covered, losses = zip(*sample.every, strict=True)
            yield f"spearman{suffix or '_all'} {spearmanr(covered, losses).statistic:.3f}"


def main(argv: Sequence[str]) -> None:
    """Fill the cache where needed, cut, and print the lines."""
    answer_help(argv, usage=__doc__ or "", default="coverage.toml")
    folder = [f"corpus={argv[0]}"] if argv and "=" not in argv[0] and not argv[0].startswith("-") else []
    config = load_config(CoverageConfig, [*folder, *argv[len(folder) :]], default="coverage.toml")
    with open_game(config, config.parsing) as opened:
        toolbox = opened.game.outputs
        if not isinstance(toolbox, Toolbox):
            raise SystemExit("coverage is measured on whole texts: give a corpus, not a snapshot")
        files = [file for file in opened.files if file.ref is not None]
        fill_cache(toolbox, files)
        print("\n".join(report(measure(read_outputs(toolbox, files), config))))


if __name__ == "__main__":
    main(sys.argv[1:])
