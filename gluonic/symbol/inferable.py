"""Inference of shapes and dtypes of a symbol."""

from typing import Any

from gluonic.symbol.attributed import Attributed
from gluonic.symbol.inference import DTYPE, SHAPE, Result, result


class Inferable(Attributed):
    """Outputs of nodes whose shapes and dtypes follow from those of some arguments."""

    __slots__ = ()

    def infer_shape(self, *args: Any, **kwargs: Any) -> Result:
        """Infer all shapes from some.

        Parameters
        ----------
        *args, **kwargs : shapes of arguments, in order or by name; 0 is an unknown axis

        Returns
        -------
        tuple
            the shapes of the arguments, of the outputs and of the auxiliary states, a list each;
            three None, and a warning, if some are not determined

        Raises
        ------
        InferenceError
            for shapes that contradict each other
        """
        return result(self.graph(), SHAPE, args, kwargs, partial=False)

    def infer_shape_partial(self, *args: Any, **kwargs: Any) -> Result:
        """Infer the shapes that are determined; ``()`` is an unknown shape, 0 an unknown axis."""
        return result(self.graph(), SHAPE, args, kwargs, partial=True)

    def infer_type(self, *args: Any, **kwargs: Any) -> Result:
        """Infer all dtypes from some; arguments and results as for `infer_shape`."""
        return result(self.graph(), DTYPE, args, kwargs, partial=False)

    def infer_type_partial(self, *args: Any, **kwargs: Any) -> Result:
        """Infer the dtypes that are determined; None is an unknown dtype."""
        return result(self.graph(), DTYPE, args, kwargs, partial=True)
