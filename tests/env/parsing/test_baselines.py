import pytest

from env.parsing.baselines import Candidate, rule_choice, rule_score
from env.parsing.config import ParsingConfig
from env.parsing.quality import QualityReport


def candidate(lossless: bool = True, **changes: float) -> Candidate:
    numbers = {"chars": 1, "content_tokens": 100, "natural": 1.0, "clean": 1.0, "duplicate": 0.0, "headings": 0, "table_rows": 0, "math": 0}
    return Candidate(QualityReport.model_validate(numbers | changes), lossless)


@pytest.mark.parametrize(
    ("given", "file_format", "score"),
    [
        (candidate(), "pdf", 1.0),
        (candidate(natural=0.5), "pdf", 0.7),
        (candidate(natural=0.0), "xlsx", 1.0),
        (candidate(content_tokens=50), "pdf", 0.75),
        (candidate(duplicate=0.5), "pdf", 0.75),
        (candidate(lossless=False), "pdf", 0.95),
        (candidate(headings=10), "pdf", 1.025),
        (candidate(headings=500, table_rows=500), "pdf", 1.05),
    ],
)
def test_the_score_is_the_formula_of_the_specification(
    given: Candidate, file_format: str, score: float, parsing_config: ParsingConfig
) -> None:
    assert rule_score(given, 100, file_format, parsing_config.rule) == pytest.approx(score)


def test_the_best_score_is_chosen_and_ties_go_to_the_tool_listed_first(parsing_config: ParsingConfig) -> None:
    assert rule_choice({"a": candidate(natural=0.1), "b": candidate(), "c": candidate()}, "pdf", parsing_config.rule) == "b"
    assert rule_choice({}, "pdf", parsing_config.rule) is None


def test_outputs_without_any_token_can_still_be_ranked(parsing_config: ParsingConfig) -> None:
    assert rule_choice({"a": candidate(content_tokens=0, natural=0), "b": candidate(content_tokens=0)}, "pdf", parsing_config.rule) == "b"
