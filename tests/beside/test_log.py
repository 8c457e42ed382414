"""Loggers of ``mx.log``."""

import logging
import re
from pathlib import Path

import pytest

from gluonic import log


def test_lines_begin_with_level_time_and_location(capsys: pytest.CaptureFixture[str]) -> None:
    logger = log.get_logger("tests.log.lines", level=log.DEBUG)
    for level, colour, letter in ((log.DEBUG, 34, "D"), (log.INFO, 32, "I"), (log.ERROR, 31, "E")):
        logger.log(level, "hello %s", "world")
        line = capsys.readouterr().err
        head = (
            rf"\x1b\[{colour}m{letter}\d{{4}} \d\d:\d\d:\d\d \d+ .*test_log\.py:\w+:\d+\]\x1b\[0m"
        )
        assert re.fullmatch(head + " hello world\n", line), line


def test_a_logger_is_set_up_once_and_the_root_never(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    logger = log.get_logger("tests.log.once", str(file))
    assert log.get_logger("tests.log.once", level=log.DEBUG) is logger
    assert len(logger.handlers) == 1
    logger.info("not written")
    logger.warning("written")
    assert file.read_text() == "written\n"
    before = list(logging.getLogger().handlers)
    assert log.get_logger() is logging.getLogger()
    assert logging.getLogger().handlers == before
    with pytest.warns(DeprecationWarning, match="get_logger"):
        log.getLogger("tests.log.once")
    for handler in logger.handlers:
        handler.close()
