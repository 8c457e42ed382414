"""OpenCV, if installed (the extra ``image``). MXNet also decodes and resizes with it, so results are equal."""

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from gluonic.graph.errors import MXNetError, describe
from gluonic.support.extras import how_to_install


class MissingLibraryError(MXNetError, ImportError):
    """A required library is not installed."""


@cache
def opencv() -> Any | None:
    """The module ``cv2``; None if OpenCV is not installed."""
    try:
        return importlib.import_module("cv2")
    except ModuleNotFoundError as error:
        if error.name != "cv2":
            raise
        return None


def required_opencv(what: str) -> Any:
    """The module ``cv2``.

    Parameters
    ----------
    what : the feature that needs it, for the message

    Raises
    ------
    MissingLibraryError
        if OpenCV is not installed
    """
    found = opencv()
    if found is None:
        raise MissingLibraryError(describe(f"{what} needs OpenCV", hint=how_to_install("image")))
    return found


def portably(function: Callable[..., Any], *arguments: Any, **settings: Any) -> Any:
    """Call an OpenCV function without Intel's IPP, which rounds differently.

    MXNet's builds of OpenCV have no IPP. The switch affects only the current thread.
    """
    ipp = required_opencv(function.__name__).ipp
    before = ipp.useIPP()
    ipp.setUseIPP(False)
    try:
        return function(*arguments, **settings)
    finally:
        ipp.setUseIPP(before)
