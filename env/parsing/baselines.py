"""The rule baseline: score every tool's quality report and take the best (specification, parsing §7).

Used by the environment when a model is no longer trusted (`rule_fallback`, `call_limit`), and as a policy to compare with.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from env.parsing.config import RuleConfig
from env.parsing.quality import QualityReport

SPREADSHEETS = frozenset({"xlsx", "xlsm", "xls", "ods", "csv"})
"""Formats whose content is judged by `clean` alone: cells are not sentences."""
_STRUCTURES_FOR_FULL_BONUS = 20


@dataclass(frozen=True, slots=True)
class Candidate:
    """One successful output as the rule sees it."""

    quality: QualityReport
    lossless: bool


def rule_choice(candidates: Mapping[str, Candidate], file_format: str, rule: RuleConfig) -> str | None:
    """Name of the best tool, or None when there is no candidate. Ties go to the tool listed first."""
    longest = max((candidate.quality.content_tokens for candidate in candidates.values()), default=0)
    scores = {name: rule_score(candidate, longest, file_format, rule) for name, candidate in candidates.items()}
    return max(scores, key=scores.__getitem__, default=None)


def rule_score(candidate: Candidate, longest: int, file_format: str, rule: RuleConfig) -> float:
    """Score of one output.

    Args:
        candidate: the output's quality and whether its tool is lossless.
        longest: the largest `content_tokens` among the outputs of this file.
        file_format: true format of the file.
        rule: the weights.
    """
    quality = candidate.quality
    content = quality.clean if file_format in SPREADSHEETS else rule.natural_weight * quality.natural + rule.clean_weight * quality.clean
    relative_length = quality.content_tokens / longest if longest else 0.0
    length_factor = 1 - rule.length_weight + rule.length_weight * relative_length
    structures = quality.headings + quality.table_rows + quality.math
    bonus = rule.structure_bonus * min(1.0, structures / _STRUCTURES_FOR_FULL_BONUS)
    penalty = 0.0 if candidate.lossless else rule.ocr_penalty
    return content * length_factor * (1 - rule.duplicate_weight * quality.duplicate) + bonus - penalty
