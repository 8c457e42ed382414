"""``python -m gluonic warm script.py``: fill the code cache for a program."""

import os
import sys
from collections.abc import Callable

from gluonic.tools.command import CommandError


def warm(run: Callable[[], None]) -> None:
    """Run a program that compiles at its first calls, and report the new machine code on disk.

    Raises
    ------
    CommandError
        if nothing can be stored: ``GLUONIC_CACHE=0``, or the folder is not private
    """
    from gluonic.codegen.machine import cache

    before = cache.sizes()
    if before is None:
        raise CommandError(
            "nothing can be kept: GLUONIC_CACHE=0, or GLUONIC_CACHE_DIR is not a folder of your own"
        )
    os.environ["GLUONIC_EXECUTOR"] = "compile"
    try:
        run()
    finally:
        after = cache.sizes() or {}
        new = [size for name, size in after.items() if name not in before]
        told = f"gluonic: {len(new)} new pieces of machine code, {sum(new) / 1024:,.0f} KiB,"
        print(told, f"of {len(after)} in {cache.folder()}", file=sys.stderr)
