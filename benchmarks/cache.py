"""What filling the cache costs: `cache_wall_ratio`, `cache_warm_ratio` and `cache_parent_rss_mb` (lower is better).

    make bench-cache [CORPUS=folder]

The first build runs every usable tool on every file. Its wall time over the CPU seconds of the tools spread evenly over the cores says what
waiting, inspecting, starting processes and writing cost on top; run it on an otherwise idle machine. The second build finds everything.
"""

import resource
import sys
import tempfile
from collections.abc import Sequence

from configs.load import load_config
from env.parsing.fill_cache import BuildConfig, BuildSummary, build_cache
from env.parsing.workers import available_cores


def main(argv: Sequence[str]) -> None:
    """Build twice and print the ratios."""
    folder = [f"corpus={argv[0]}"] if argv and "=" not in argv[0] else []
    with tempfile.TemporaryDirectory() as cache:
        settings = [*folder, *argv[len(folder) :], f"cache={cache}/results.sqlite"]
        config = load_config(BuildConfig, settings, default="build_cache.toml")
        first, second = build_cache(config), build_cache(config)
    print("\n".join(report(first, second, config.parsing.limits.workers or available_cores())))


def report(first: BuildSummary, second: BuildSummary, cores: int) -> list[str]:
    """Lines `name value` of a cold and a warm build."""
    return [
        f"cache_wall_ratio {first.wall_seconds / (first.tool_cpu_seconds / cores):.3f}",
        f"cache_warm_ratio {second.wall_seconds / first.wall_seconds:.4f}",
        f"cache_parent_rss_mb {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
        f"cache_files {first.files}",
        f"cache_pairs_run {first.run}",
        f"cache_pairs_run_again {second.run}",
        f"cache_wall_seconds {first.wall_seconds:.1f}",
        f"cache_tool_cpu_seconds {first.tool_cpu_seconds:.1f}",
    ]


if __name__ == "__main__":
    main(sys.argv[1:])
