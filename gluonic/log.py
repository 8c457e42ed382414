"""``mx.log``: loggers whose lines begin with level, time and location."""

import logging
import warnings
from logging import CRITICAL, DEBUG, ERROR, INFO, NOTSET, WARNING

__all__ = [
    "CRITICAL",
    "DEBUG",
    "ERROR",
    "INFO",
    "NOTSET",
    "WARNING",
    "getLogger",
    "get_logger",
]

_RED, _GREEN, _BLUE, _PLAIN = "\x1b[31m", "\x1b[32m", "\x1b[34m", "\x1b[0m"
_LETTERS = {CRITICAL: "C", ERROR: "E", WARNING: "W", INFO: "I", DEBUG: "D"}
_PLACE = "%(asctime)s %(process)d %(pathname)s:%(funcName)s:%(lineno)d]"


class _Formatter(logging.Formatter):
    """Writes a line as MXNet does, its head in colour."""

    def __init__(self) -> None:
        super().__init__(datefmt="%m%d %H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Format a line."""
        colour = next(
            (c for level, c in ((WARNING, _RED), (INFO, _GREEN)) if record.levelno >= level), _BLUE
        )
        head = colour + _LETTERS.get(record.levelno, "U") + _PLACE % vars(record) + _PLAIN
        return f"{head} {record.message}"

    def usesTime(self) -> bool:
        """Whether lines have the time: they do."""
        return True


def get_logger(
    name: str | None = None,
    filename: str | None = None,
    filemode: str | None = None,
    level: int = WARNING,
) -> logging.Logger:
    """Return a logger; the first call for a name gives it a handler and the level.

    Parameters
    ----------
    name : its name; None is the root logger, which is not configured
    filename : the file to write to, instead of the standard error stream
    filemode : how to open the file, ``"a"`` by default
    level : the least level to be written
    """
    logger = logging.getLogger(name)
    if name is None or getattr(logger, "_init_done", False):
        return logger
    handler: logging.Handler
    if filename:
        handler = logging.FileHandler(filename, filemode or "a")
    else:
        handler = logging.StreamHandler()
        handler.setFormatter(_Formatter())
    logger.addHandler(handler)
    logger.setLevel(level)
    logger._init_done = True  # type: ignore[attr-defined]
    return logger


def getLogger(
    name: str | None = None,
    filename: str | None = None,
    filemode: str | None = None,
    level: int = WARNING,
) -> logging.Logger:
    """Return a logger; the old name of `get_logger`."""
    warnings.warn("getLogger is deprecated, Use get_logger instead.", DeprecationWarning, 2)
    return get_logger(name, filename, filemode, level)
