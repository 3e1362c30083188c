"""Where an episode gets recorded tool outputs from: a live toolbox with a cache, or a frozen snapshot."""

from typing import Protocol

from env.parsing.inspection import Inspection
from env.parsing.tools.tool import ToolResult, ToolSpec


class ToolOutputs(Protocol):
    """Deterministic answers to "what does this tool give for this file?".

    Implemented by `env.parsing.toolbox.Toolbox` (runs and caches) and `env.parsing.snapshot.Snapshot` (read-only; a miss raises
    `CacheMissError`). `file` is the id of a corpus file. Safe to call from several threads.
    """

    @property
    def digest(self) -> str:
        """Digest of a snapshot, written into every trajectory; empty for a live toolbox."""
        ...

    def inspection(self, file: str) -> Inspection:
        """Card, formulas and yardstick of the file."""
        ...

    def tools(self, file: str) -> tuple[ToolSpec, ...]:
        """Usable tools in the order they are listed to the model: lossless first, OCR last."""
        ...

    def result(self, file: str, tool: str, attempt: int = 0) -> ToolResult:
        """Output of a usable tool; `attempt` 1 is the one retry of a transient failure."""
        ...

    def preview(self, file: str, tool: str, attempt: int, head_chars: int, middle_chars: int) -> tuple[str, str]:
        """Start and exact middle of the raw output, as `env.parsing.previews.cut_previews` cuts them; empty when the tool failed.

        Apart from `result`, because a snapshot without texts answers with `text=""` there.
        """
        ...

    def f1(self, file: str, tool: str) -> float | None:
        """Token F1 of the tool's text with formulas restored (0.0 when it failed), None when the file has no reference."""
        ...

    def complete(self, file: str) -> bool:
        """Whether the outputs of all usable tools are recorded, so that asking for them runs nothing."""
        ...
