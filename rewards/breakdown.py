"""What every reward function returns: the total and the named terms it was made of."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class RewardBreakdown:
    """One episode's reward and where it came from.

    A `total` of None means *not scored* (no reference, infrastructure fault, cancelled). It is never 0: averages must leave such
    episodes out instead of counting them as failures.
    """

    total: float | None
    """Reward of the episode, or None when it was not scored."""
    terms: dict[str, float] = field(default_factory=dict)
    """Named parts, e.g. `quality`, `efficiency`, `invalid_penalty`; logged apart so that reward hacking shows."""

    @property
    def scored(self) -> bool:
        """Whether the episode counts in averages and gradients."""
        return self.total is not None


NOT_SCORED = RewardBreakdown(total=None)
