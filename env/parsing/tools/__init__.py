"""One file per parser library; the only place that may import one, and only inside the worker process that runs it."""
