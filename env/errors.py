"""Every error that docgym raises on purpose.

    ConfigError              a setting is unknown, missing or out of range (defined beside the loader, which knows no `env`)
    DocgymError
    ├── CorpusError          a corpus folder or its manifest cannot be used
    ├── EpisodeError         the caller broke the protocol of an environment (step before reset, use after the end)
    ├── CacheMissError       a snapshot holds no recorded output for this file and tool
    ├── SnapshotError        a snapshot or cache file is damaged or of another format version
    ├── WorkerError          the processes that run tools cannot be started
    ├── ProviderError        a model server refused, failed or timed out after its retries
    │   └── ContextTooLongError   the conversation no longer fits the model
    └── RunFolderError       a run folder belongs to another configuration or cannot be written

A model's bad action is not an error: it is an invalid action, answered by the environment. A tool's failure is not an error either: it is a
`ToolResult` with `ok=False`.
"""

from configs.load import ConfigError


class DocgymError(Exception):
    """Base of every error raised on purpose; the command line prints its message without a traceback."""


class CorpusError(DocgymError):
    """A corpus folder or its manifest cannot be used."""


class EpisodeError(DocgymError):
    """The caller broke the protocol of an environment; models cannot cause this, only programs can."""


class CacheMissError(DocgymError):
    """A snapshot holds no recorded output for this file and tool; the message names the command that records it."""


class SnapshotError(DocgymError):
    """A snapshot or cache file is damaged or of another format version."""


class WorkerError(DocgymError):
    """The processes that run tools cannot be started: a fault of the machine or the program, never of a file."""


class ProviderError(DocgymError):
    """A model server refused, failed or timed out after its retries."""


class ContextTooLongError(ProviderError):
    """The conversation no longer fits the model's context; the episode ends as `truncated`, a retry would not help."""


class RunFolderError(DocgymError):
    """A run folder belongs to another configuration or cannot be written."""


__all__ = [
    "CacheMissError",
    "ConfigError",
    "ContextTooLongError",
    "CorpusError",
    "DocgymError",
    "EpisodeError",
    "ProviderError",
    "RunFolderError",
    "SnapshotError",
    "WorkerError",
]
