"""From the `[policy]` table of a configuration to a policy that plays."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from env.errors import ConfigError
from env.parsing.config import ParsingConfig
from env.parsing.corpus.manifest import CorpusFile
from env.parsing.outputs import ToolOutputs
from env.records import Record
from rollouts.policies.heuristic import HeuristicPolicy, HeuristicThresholds
from rollouts.policies.provider_config import GeminiPolicyConfig, OpenAIPolicyConfig
from rollouts.policies.references import FirstPolicy, FixedPolicy, OraclePolicy, RandomPolicy, RulePolicy, best_tools
from rollouts.policy import Policy


class HeuristicPolicyConfig(Record):
    """`configs/policy/heuristic.toml`, and `first.toml`, which cuts it to its first call."""

    name: Literal["heuristic", "first"]
    max_looks: int = Field(ge=1)
    """Results it looks at before it settles for the best of them."""
    thresholds: HeuristicThresholds


class RulePolicyConfig(Record):
    """`configs/policy/rule.toml`."""

    name: Literal["rule"]
    max_calls: int = Field(ge=1)
    """Replaces `parsing.max_calls`, since the rule calls every tool."""


class FixedPolicyConfig(Record):
    """`configs/policy/fixed.toml`."""

    name: Literal["fixed"]
    learn_on: str
    """Split whose references decide the tool of each format."""


class PlainPolicyConfig(Record):
    """Policies without settings."""

    name: Literal["random", "oracle"]


PolicyConfig = Annotated[
    HeuristicPolicyConfig | RulePolicyConfig | FixedPolicyConfig | PlainPolicyConfig | OpenAIPolicyConfig | GeminiPolicyConfig,
    Field(discriminator="name"),
]


def adapt_game(config: PolicyConfig, parsing: ParsingConfig) -> ParsingConfig:
    """The game as this policy may play it: baselines that run every tool get the calls for it."""
    return parsing.model_copy(update={"max_calls": config.max_calls}) if isinstance(config, RulePolicyConfig) else parsing


def make_policy(config: PolicyConfig, parsing: ParsingConfig, outputs: ToolOutputs, files: Sequence[CorpusFile]) -> Policy:
    """Build the player.

    Args:
        config: the `[policy]` table.
        parsing: the game's configuration.
        outputs: tool outputs, for the policies that know more than the messages (`fixed`, `oracle`).
        files: all files of the corpus; `fixed` learns on one split of them.

    Raises:
        ConfigError: a provider's key is missing, or `fixed` has nothing to learn from.
    """
    match config:
        case HeuristicPolicyConfig():
            heuristic = HeuristicPolicy(config.thresholds, parsing.rule, config.max_looks)
            return FirstPolicy(heuristic) if config.name == "first" else heuristic
        case RulePolicyConfig():
            return RulePolicy(parsing.rule)
        case FixedPolicyConfig():
            table = best_tools(outputs, [file for file in files if file.split == config.learn_on])
            if not table:
                raise ConfigError(
                    f"policy fixed: split {config.learn_on!r} has no recorded file with a reference to learn from; build its cache first"
                )
            return FixedPolicy(table)
        case PlainPolicyConfig():
            return RandomPolicy() if config.name == "random" else OraclePolicy(outputs)
        case _:
            return _provider(config)


def _provider(config: OpenAIPolicyConfig | GeminiPolicyConfig) -> Policy:
    """Provider clients take more than a second to import: only the chosen one is."""
    if isinstance(config, OpenAIPolicyConfig):
        from rollouts.policies.openai import OpenAIPolicy  # noqa: PLC0415

        return OpenAIPolicy(config)
    from rollouts.policies.gemini import GeminiPolicy  # noqa: PLC0415

    return GeminiPolicy(config)
