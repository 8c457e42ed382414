"""Tests of the compiler let the first call compile: its first calls would otherwise be interpreted."""

import pytest


@pytest.fixture(autouse=True)
def _compiled_at_once(compiled_at_once: None) -> None:
    """Ask for it in every test of this folder."""
