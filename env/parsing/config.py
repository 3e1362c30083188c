"""Settings of the parsing game. Values live in `configs/parsing.toml`; this schema has no defaults on purpose."""

from typing import Literal

from pydantic import Field

from env.records import Record


class SourceConfig(Record):
    """Where files and tool outputs come from."""

    corpus: str
    """`synthetic` (built on first use), or a folder, with references where it has a `manifest.jsonl`."""
    split: str
    """Split to play, or `all`; a folder without a manifest has one split only."""
    limit: int = Field(ge=0)
    """Play only the first so many files; 0 takes all."""
    cache: str
    """SQLite file of tool results; made when missing."""
    snapshot: str
    """A frozen snapshot to play on: no parser needed, no tool is run. Empty: run tools where the cache has no result."""


class ObservationConfig(Record):
    """What the model is shown of a tool's result; the ablations switch parts off."""

    quality: bool
    """Show the quality numbers."""
    coverage: bool
    """Show `coverage` among them."""
    preview_head_chars: int = Field(ge=0)
    """Characters from the start of the raw output; 0 leaves the preview out."""
    preview_middle_chars: int = Field(ge=0)
    """Characters from the exact middle; 0 leaves the preview out."""


class ScoringConfig(Record):
    """Constants of the reward (specification, parsing §8)."""

    right_margin: float = Field(ge=0)
    """A choice is right when its F1 is at least the oracle's minus this."""
    efficiency_bonus: float = Field(ge=0)
    """Largest extra reward of a right choice for few calls."""
    invalid_penalty: float = Field(ge=0)
    """Subtracted for each invalid action."""


class RuleConfig(Record):
    """Weights of the rule baseline (specification, parsing §7)."""

    natural_weight: float
    clean_weight: float
    length_weight: float
    """Share of the score that depends on relative length."""
    duplicate_weight: float
    structure_bonus: float
    """Largest bonus for headings, tables and math."""
    ocr_penalty: float


class LimitsConfig(Record):
    """Limits of one tool call in its worker."""

    wall_seconds: float = Field(gt=0)
    cpu_seconds: int = Field(gt=0)
    memory_mb: int = Field(gt=0)
    """Private memory of a worker process and of each of its children."""
    output_mb: int = Field(gt=0)
    """Longest text a tool may return and largest file it may write."""
    ocr_wall_seconds: float = Field(gt=0)
    ocr_cpu_seconds: int = Field(gt=0)
    calls_per_worker: int = Field(gt=0)
    """A worker process is replaced after this many calls."""
    workers: int = Field(ge=0)
    """Tool calls at the same time; 0 takes one per core."""


class ParsingConfig(Record):
    """Everything that decides what an episode looks like and how it is scored."""

    pool: Literal["source17", "extended"]
    language: Literal["en", "zh"]
    """Language of the prompts."""
    thought: bool
    """Whether actions must carry a thought (the `no_thought` ablation sets it to false)."""
    max_calls: int = Field(ge=1)
    max_invalid: int = Field(ge=1)
    """The invalid action with this number ends the episode."""
    observation: ObservationConfig
    scoring: ScoringConfig
    rule: RuleConfig
    limits: LimitsConfig
