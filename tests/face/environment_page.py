"""The page of environment variables, from the table that `gluonic info` reads.

python -m tests.face.environment_page     # writes docs/environment.md
"""

from pathlib import Path

from gluonic.tools.environment import SUBJECTS, EnvironmentVariable

PAGE = Path(__file__).parent.parent.parent / "docs" / "environment.md"
_HEAD = """# Environment variables

None is needed. `gluonic info` shows those that are set, `gluonic info --environment` prints this page.

Written by `python -m tests.face.environment_page` from the table in `gluonic/tools/environment.py`.
"""


def _row(each: EnvironmentVariable) -> str:
    return f"| {', '.join(f'`{one}`' for one in each.assignments)} | {each.meaning} |\n"


def page() -> str:
    """The page's text."""
    parts = [_HEAD]
    for subject, listed in SUBJECTS.items():
        parts += [f"\n## {subject}\n\n| variable | meaning |\n|---|---|\n", *map(_row, listed)]
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
