"""A report as Markdown tables. Every number stands beside the number of files it is made of; what cannot be said is a dash."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rollouts.comparison import Difference, Report
from rollouts.statistics import MIN_CLUSTERS, MIN_DIFFERENCE, ClusteredMean
from rollouts.summary import DIMENSIONS, Groups, Share, Summary

GroupT = TypeVar("GroupT")

_OVERALL_HEADER = (
    *("policy", "files", "F1 (files)", "right", "calls", "s/file", "tokens in", "tokens out", "$/file", "fallback", "invalid"),
    *("fail precision", "fail recall", "not played"),
)
_COMPARISON_HEADER = ("policy", "files", "documents", "F1 difference", "right, only it : only base", "McNemar p", "verdict on F1")
NONE = "—"


def render_overview(report: Report) -> str:
    """The overall table and, with several runs, the comparisons."""
    parts = [*(f"Warning: {warning}" for warning in report.warnings), _overall(report)]
    if len(report.runs) > 1:
        parts.append(f"Compared with `{report.base}`, file by file:\n\n{_comparisons(report)}")
    parts.append(_legend(report))
    return "\n\n".join(parts) + "\n"


def render_report(report: Report) -> str:
    """Everything: the overview, then F1 and right by format, category and level, and the differences likewise."""
    parts = [f"# Report\n\n{render_overview(report)}"]
    for dimension in DIMENSIONS:
        table = _pivot(dimension, [(run.name, run.groups) for run in report.runs], _summary_cell)
        differences = _pivot(dimension, [(run.name, run.group_differences) for run in report.runs if run.difference], _difference_cell)
        if table:
            parts.append(f"## By {dimension}: F1 (files), right\n\n{table}\n")
        if differences:
            parts.append(f"### F1 difference from `{report.base}` by {dimension} (files)\n\n{differences}\n")
    return "\n".join(parts)


def _overall(report: Report) -> str:
    rows = [(run.name, *_overall_cells(run.overall)) for run in report.runs]
    return _table(_OVERALL_HEADER, rows)


def _overall_cells(summary: Summary) -> tuple[str, ...]:
    return (
        str(summary.files) if summary.files == summary.played else f"{summary.played} of {summary.files}",
        _f1_cell(summary.f1),
        _right_cell(summary.right),
        _number(summary.calls, ".2f"),
        _number(summary.seconds, ".2f"),
        _number(summary.prompt_tokens, ".0f"),
        _number(summary.output_tokens, ".0f"),
        _number(summary.cost_usd, ".4f"),
        _number(summary.fallback_rate, ".1%"),
        _number(summary.invalid_rate, ".1%"),
        _share_cell(summary.fail_precision),
        _share_cell(summary.fail_recall),
        ", ".join(f"{count} {ending}" for ending, count in summary.not_played.items()) or NONE,
    )


def _comparisons(report: Report) -> str:
    return _table(_COMPARISON_HEADER, [(run.name, *_comparison_cells(run.difference)) for run in report.runs if run.difference])


def _comparison_cells(difference: Difference) -> tuple[str, ...]:
    f1 = difference.f1
    return (
        str(f1.n) if f1 else "0",
        str(f1.clusters) if f1 else "0",
        f"{f1.mean:+.3f}{_interval(f1, '+.3f')}" if f1 else NONE,
        f"{difference.right_only_policy} : {difference.right_only_base} of {difference.right_files}",
        _number(difference.mcnemar_p, ".3f"),
        difference.verdict,
    )


def _pivot(dimension: str, runs: Sequence[tuple[str, Groups[GroupT]]], cell: Callable[[GroupT], str]) -> str:
    """Groups down, runs across; empty when no run has this dimension."""
    names = list(dict.fromkeys(name for _, groups in runs for name in groups.get(dimension, {})))
    if not names:
        return ""
    rows = [(name, *(cell(groups[dimension][name]) if name in groups.get(dimension, {}) else NONE for _, groups in runs)) for name in names]
    return _table((dimension, *(run for run, _ in runs)), rows)


def _summary_cell(summary: Summary) -> str:
    return f"{_f1_cell(summary.f1)}, {_right_cell(summary.right)}"


def _difference_cell(difference: Difference) -> str:
    f1 = difference.f1
    return f"{f1.mean:+.3f}{_interval(f1, '+.3f')} ({f1.n})" if f1 else NONE


def _f1_cell(f1: ClusteredMean | None) -> str:
    return f"{f1.mean:.3f}{_interval(f1, '.3f')} ({f1.n})" if f1 else NONE


def _right_cell(right: ClusteredMean | None) -> str:
    return f"{_plain(right.mean * right.n)}/{right.n} ({right.mean:.0%})" if right else NONE


def _share_cell(share: Share) -> str:
    return f"{_plain(share.k)}/{_plain(share.n)}" if share.n else NONE


def _interval(value: ClusteredMean, style: str) -> str:
    return f" [{value.interval.low:{style}}, {value.interval.high:{style}}]" if value.interval else f" [{NONE}]"


def _number(value: float | None, style: str) -> str:
    return NONE if value is None else f"{value:{style}}"


def _plain(value: float) -> str:
    """Whole numbers without a decimal point; a file sampled several times counts in fractions."""
    return f"{round(value, 1):g}"


def _legend(report: Report) -> str:
    return (
        f"In brackets: {report.confidence:.0%} intervals, {report.resamples} resamples of source documents (BCa), seed {report.seed}; "
        f"{NONE} under {MIN_CLUSTERS} documents or where all are equal. F1 over readable files with a reference, right over files whose "
        f"right answer is known. No claim on a difference under {MIN_DIFFERENCE} or an interval that holds 0."
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table whose columns also line up in a terminal."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (header, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)
