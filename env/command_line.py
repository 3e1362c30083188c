"""How every `python -m …` of docgym starts and ends."""

import logging
import sys
from collections.abc import Callable, Sequence

from configs.load import ConfigError
from env.errors import DocgymError

EXIT_USAGE = 2
"""Exit code for bad configuration, corpus, snapshot or run folder."""
EXIT_INTERRUPTED = 130


def run_command(main: Callable[[Sequence[str]], int]) -> None:
    """Run `main` on the command-line arguments and exit with its code.

    Errors raised on purpose are printed as one sentence without a traceback; everything else is a bug and shows where it happened.
    """
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    try:
        code = main(sys.argv[1:])
    except (DocgymError, ConfigError) as error:
        sys.stderr.write(f"error: {error}\n")
        code = EXIT_USAGE
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; finished work is kept, run the same command again to go on\n")
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        code = 0  # the reader of a pipe, e.g. `head`, has seen enough
    sys.exit(code)
