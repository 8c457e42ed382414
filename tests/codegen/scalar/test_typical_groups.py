"""The kernels of typical groups, and the instructions of their inner loops, are those in ``expected/``."""

from __future__ import annotations

import pytest

from gluonic.codegen.loops.kernel_text import kernel_of, text_of
from gluonic.codegen.machine import target
from tests.codegen.scalar.typical_groups import (
    EXPECTED,
    LEVELS,
    NAMES,
    has_same_instructions,
    kernels_of,
    target_of,
    text_for,
)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", NAMES)
def test_a_typical_group_has_the_expected_code(
    name: str, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(target, "narrowed", lambda cpu, switches: target_of(level))
    expected = (EXPECTED / level / f"{name}.txt").read_text(encoding="utf-8")
    if has_same_instructions():
        assert text_for(name, level) == expected, "python -m tests.codegen.scalar.typical_groups"
    sections = [each.split("\ninner loops")[0] for each in expected.split("\n\n")]
    kernels = kernels_of(name)
    assert [text_of(kernel) for kernel in kernels] == sections
    assert [kernel_of(text) for text in sections] == kernels
