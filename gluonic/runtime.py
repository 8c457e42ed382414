"""``mx.runtime``: what gluonic can do, under the names that MXNet gives features."""

from collections import OrderedDict
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, ClassVar, NamedTuple

from threadpoolctl import threadpool_info

from gluonic.codegen.machine import target
from gluonic.ndarray.context import num_gpus


def _blas(*names: str) -> Callable[[], bool]:
    """Whether NumPy's matrix products are computed by one of these libraries."""
    return lambda: any(
        library["user_api"] == "blas" and library["internal_api"] in names
        for library in threadpool_info()
    )


def _compiles_for(feature: str) -> Callable[[], bool]:
    """Whether machine code uses a feature of the processor."""
    return lambda: f"+{feature}" in target.host().features.split(",")


def _yes() -> bool:
    return True


def _has_mpi() -> bool:
    return find_spec("mpi4py") is not None


def _has_gpu() -> bool:
    return num_gpus() > 0


def _no() -> bool:
    return False


_FEATURES: dict[str, Callable[[], bool]] = {
    "CUDA": _has_gpu,
    "CUDNN": _no,
    "NCCL": _no,
    "CUDA_RTC": _no,
    "TENSORRT": _no,
    "CPU_SSE": _compiles_for("sse"),
    "CPU_SSE2": _compiles_for("sse2"),
    "CPU_SSE3": _compiles_for("sse3"),
    "CPU_SSE4_1": _compiles_for("sse4.1"),
    "CPU_SSE4_2": _compiles_for("sse4.2"),
    "CPU_SSE4A": _compiles_for("sse4a"),
    "CPU_AVX": _compiles_for("avx"),
    "CPU_AVX2": _compiles_for("avx2"),
    "OPENMP": _no,
    "SSE": _compiles_for("sse"),
    "F16C": _compiles_for("f16c"),
    "JEMALLOC": _no,
    "BLAS_OPEN": _blas("openblas"),
    "BLAS_ATLAS": _blas("atlas"),
    "BLAS_MKL": _blas("mkl"),
    "BLAS_APPLE": _blas("accelerate"),
    "LAPACK": _yes,
    "MKLDNN": _no,
    "OPENCV": _no,
    "CAFFE": _no,
    "PROFILER": _yes,
    "DIST_KVSTORE": _has_mpi,
    "CXX14": _no,
    "INT64_TENSOR_SIZE": _yes,
    "SIGNAL_HANDLER": _no,
    "DEBUG": _no,
    "TVM_OP": _no,
}


class Feature(NamedTuple):
    """A feature, and whether it is enabled."""

    name: str
    enabled: bool

    def __repr__(self) -> str:
        return f"{'✔' if self.enabled else '✖'} {self.name}"


def feature_list() -> list[Feature]:
    """Return all features."""
    return [Feature(name, is_there()) for name, is_there in _FEATURES.items()]


class Features(OrderedDict[str, Feature]):
    """The features by name; a singleton.

    Attributes
    ----------
    instance : the dictionary, once it has been created
    """

    instance: ClassVar["Features | None"] = None

    def __new__(cls, *arguments: Any) -> "Features":
        """Return the only instance."""
        if cls.instance is None:
            cls.instance = super().__new__(cls)
        return cls.instance

    def __init__(self) -> None:
        super().__init__((feature.name, feature) for feature in feature_list())

    def __repr__(self) -> str:
        return str(list(self.values()))

    def is_enabled(self, feature_name: str) -> bool:
        """Return whether a feature is enabled.

        Raises
        ------
        RuntimeError
            for a name that is no feature
        """
        name = feature_name.upper()
        if name not in self:
            raise RuntimeError(f"{feature_name!r} is no feature; there are {', '.join(self)}")
        return self[name].enabled
