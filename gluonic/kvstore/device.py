"""The stores of kind ``"device"``: those of one process that compress gradients."""

from typing import Any

from gluonic.distributed.codecs import Codec, codec_of
from gluonic.kvstore.base import as_list
from gluonic.kvstore.compressible import check_compressible
from gluonic.kvstore.kvstore import KVStore
from gluonic.ndarray.array import NDArray

__all__ = ["DeviceStore"]


class DeviceStore(KVStore):
    """A store in this process, which sums the gradients of several contexts as if they were sent compressed.

    Parameters
    ----------
    kind : its name
    """

    def __init__(self, kind: str = "device") -> None:
        super().__init__(kind)
        self._codec: Codec | None = None

    def set_gradient_compression(self, compression_params: dict[str, Any]) -> None:
        """Compress dense gradients before they are summed, each context's by itself.

        Parameters
        ----------
        compression_params : ``{"type": "2bit", "threshold": 0.5}``, as in MXNet, ``{"type": "fp16"}``, or
            ``{"type": "none"}``
        """
        self._codec = codec_of(compression_params)

    def _total(self, key: Any, pushed: Any) -> NDArray:
        first, *rest = as_list(pushed)
        if self._codec is None or first.stype != "default":
            return super()._total(key, pushed)
        check_compressible(key, first)
        parts = [
            self._codec.encoded((key, index), array.elements)
            for index, array in enumerate([first, *rest])
        ]
        values = self._codec.total(parts, first.size).reshape(first.shape)
        return NDArray(values, first.context)
