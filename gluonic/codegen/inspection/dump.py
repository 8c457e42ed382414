"""Writing down what is compiled: ``GLUONIC_DUMP=folder``.

Each specialization leaves four files: ``PID-NUMBER-NAME.txt`` (the table that `explain` prints), ``.ll`` (the
LLVM module as written), ``.optimised.ll`` and ``.s``. NAME is that of the graph's first output.
"""

import itertools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from gluonic.codegen.inspection.explain import explain

if TYPE_CHECKING:
    from gluonic.codegen.runtime.binding import Binding

_numbers = itertools.count()
_UNFIT = re.compile(r"[^\w.-]")


def dump_if_asked(binding: "Binding") -> None:
    """Write down the code of a new specialization and its first binding, if the environment asks for it."""
    chosen = os.environ.get("GLUONIC_DUMP")
    if not chosen:
        return
    folder = Path(chosen)
    folder.mkdir(parents=True, exist_ok=True)
    explanation = explain(binding)
    stem = f"{os.getpid()}-{next(_numbers):03}-{_UNFIT.sub('_', binding.name)[:80]}"
    files = {"txt": f"{explanation}\n", "ll": explanation.llvm()}
    if explanation.kernels:
        files |= {"optimised.ll": explanation.llvm(optimised=True), "s": explanation.assembly()}
    for ending, text in files.items():
        (folder / f"{stem}.{ending}").write_text(text, encoding="utf-8")
