"""Batches, their descriptions, and the base of iterators."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from gluonic.graph.constructors import CheckedArguments
from gluonic.ndarray import NDArray


class DataDesc(NamedTuple("DataDesc", [("name", str), ("shape", tuple[int, ...])])):
    """The name, shape, dtype and layout of an input.

    Parameters
    ----------
    name, shape, dtype : those of the input
    layout : the meaning of its axes; N is the batch axis
    """

    dtype: Any
    layout: str

    def __new__(
        cls, name: str, shape: Sequence[int], dtype: Any = np.float32, layout: str = "NCHW"
    ) -> Self:
        """Create the pair of name and shape, with the other attributes."""
        made = super().__new__(cls, name, tuple(shape))
        made.dtype, made.layout = dtype, layout
        return made

    def __repr__(self) -> str:
        return f"DataDesc[{self.name},{self.shape},{self.dtype},{self.layout}]"

    @staticmethod
    def get_batch_axis(layout: str | None) -> int:
        """Return the index of the batch axis; 0 if the layout has none."""
        return 0 if layout is None else layout.find("N")

    @staticmethod
    def get_list(shapes: Any, types: Any) -> list["DataDesc"]:
        """Return descriptions, given pairs of name and shape, and of name and dtype."""
        dtypes = dict(types or ())
        return [
            DataDesc(name, shape, dtypes[name]) if name in dtypes else DataDesc(name, shape)
            for name, shape in shapes
        ]


class DataBatch:
    """A batch.

    Attributes
    ----------
    data, label : its arrays
    pad : number of padding examples at its end
    index : the indices of its examples
    bucket_key : the key of the bucket whose net it is for
    provide_data, provide_label : the descriptions of its arrays, if they differ between batches
    """

    def __init__(
        self,
        data: Sequence[NDArray],
        label: Sequence[NDArray] | None = None,
        pad: int | None = None,
        index: Any = None,
        bucket_key: Any = None,
        provide_data: Any = None,
        provide_label: Any = None,
    ) -> None:
        for what, value in (("data", data), ("label", label)):
            if value is not None and not isinstance(value, (list, tuple)):
                raise AssertionError(
                    f"{what} must be a list of NDArrays, not {type(value).__name__}"
                )
        self.data, self.label = data, label
        self.pad, self.index = pad, index
        self.bucket_key = bucket_key
        self.provide_data, self.provide_label = provide_data, provide_label

    def __str__(self) -> str:
        labels = [one.shape for one in self.label] if self.label else None
        return (
            f"{type(self).__name__}: data shapes: {[one.shape for one in self.data]} "
            f"label shapes: {labels}"
        )


class DataIter(CheckedArguments):
    """The base of iterators over batches.

    Parameters
    ----------
    batch_size : examples in a batch
    """

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> DataBatch:
        return self.next()

    def reset(self) -> None:
        """Go back to the first batch."""

    def next(self) -> DataBatch:
        """Return the next batch.

        Raises
        ------
        StopIteration
            after the last
        """
        if not self.iter_next():
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad(), self.getindex())

    def iter_next(self) -> bool:
        """Advance to the next batch; return whether there is one."""
        raise NotImplementedError(f"{type(self).__name__}.iter_next")

    def getdata(self) -> Any:
        """Return the data of the current batch."""
        raise NotImplementedError(f"{type(self).__name__}.getdata")

    def getlabel(self) -> Any:
        """Return the labels of the current batch."""
        raise NotImplementedError(f"{type(self).__name__}.getlabel")

    def getindex(self) -> Any:
        """Return the indices of the examples in the current batch."""
        return None

    def getpad(self) -> int | None:
        """Return the number of padding examples in the current batch."""
        raise NotImplementedError(f"{type(self).__name__}.getpad")
