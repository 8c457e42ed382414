"""Pictures on pages: code of a page that renders pictures is run, and they are shown below it."""

import contextlib
import io
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"```python\n(.*?)```\n", re.DOTALL)
_FRAME = """
```{{raw}} html
<iframe src="{path}" style="width: 100%; height: 28rem; border: 1px solid #8884" loading="lazy"></iframe>
```

"""


def with_pictures(app: Any, page: str, source: list[str]) -> None:
    """Run a page's code if it renders pictures; `source` holds the text, and is changed in place."""
    if not any(".render(" in code for code in _BLOCK.findall(source[0])):
        return
    kept = Path(app.outdir) / "_pictures" / page
    shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True)
    names: dict[str, Any] = {"__name__": "__main__"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        shown = _BLOCK.sub(lambda match: _shown(match, names, Path(folder), kept), source[0])
    source[0] = shown


def _shown(match: re.Match[str], names: dict[str, Any], folder: Path, kept: Path) -> str:
    """A block of code, with the pages that it has written below it."""
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(match[1], "page.py", "exec"), names)
    frames = []
    for picture in sorted(folder.glob("*.html")):
        shutil.move(picture, kept / picture.name)
        frames.append(_FRAME.format(path=f"_pictures/{kept.name}/{picture.name}"))
    return match[0] + "".join(frames)
