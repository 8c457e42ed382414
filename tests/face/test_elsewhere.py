"""What only Linux has is not needed to import gluonic, and to train and compile a net."""

import pytest

from tests.face.commands import command


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_a_net_is_trained_and_all_modules_are_imported_without_what_only_linux_has(
    platform: str,
) -> None:
    ran = command("-m", "tests.face.elsewhere", platform, GLUONIC_NUM_THREADS="2")
    assert not ran.returncode, ran.stderr
