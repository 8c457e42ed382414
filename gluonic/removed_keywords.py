"""Keywords of functions that NumPy has dropped, accepted again: ``np.reshape(a, newshape=…)``."""

import importlib
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

KEYWORDS: dict[str, dict[str, str | None]] = {
    "numpy:array2string": {"style": None},
    "numpy:corrcoef": {"bias": None, "ddof": None},
    "numpy:histogram": {"normed": "density"},
    "numpy:histogram2d": {"normed": "density"},
    "numpy:histogramdd": {"normed": "density"},
    "numpy:nanpercentile": {"interpolation": "method"},
    "numpy:nanquantile": {"interpolation": "method"},
    "numpy:percentile": {"interpolation": "method"},
    "numpy:quantile": {"interpolation": "method"},
    "numpy:reshape": {"newshape": "shape"},
    "numpy:save": {"fix_imports": None},
    "numpy.ma:corrcoef": {"bias": None, "ddof": None},
    "numpy.testing:assert_array_almost_equal": {"x": "actual", "y": "desired"},
    "numpy.testing:assert_array_equal": {"x": "actual", "y": "desired"},
}
"""A function, and what its former keywords are called; None for those that had no effect any more."""


def restore_keywords() -> None:
    """Replace the functions that have lost keywords; the others stay as they are."""
    for place, former in KEYWORDS.items():
        module, _, name = place.partition(":")
        holder = importlib.import_module(module)
        function = getattr(holder, name)
        known = inspect.signature(function).parameters
        lost = {old: new for old, new in former.items() if old not in known}
        first = tuple(n for n, p in known.items() if p.kind is inspect.Parameter.POSITIONAL_ONLY)
        if lost and not hasattr(function, "former_keywords"):
            setattr(holder, name, _accepting(function, lost, first))


def _accepting(
    function: Callable[..., Any], former: dict[str, str | None], first: tuple[str, ...]
) -> Callable[..., Any]:
    """A function that also takes former keywords; those named `first` are positions now."""
    names = {*former, *first}

    @wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        if keywords and not names.isdisjoint(keywords):
            for old, new in former.items():
                value = keywords.pop(old, None)
                if value is not None and new is not None:
                    keywords[new] = value
            for name in first[len(args) :]:
                if name not in keywords:
                    break
                args = (*args, keywords.pop(name))
        return function(*args, **keywords)

    call.former_keywords = former  # type: ignore[attr-defined]
    return call
