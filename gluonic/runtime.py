"""``mx.runtime``: what gluonic was built with, under the names that MXNet gives such features."""

from typing import NamedTuple

_ENABLED = ("BLAS_OPEN", "LAPACK", "F16C", "INT64_TENSOR_SIZE", "SIGNAL_HANDLER")
_DISABLED = (
    "CUDA", "CUDNN", "NCCL", "TENSORRT", "MKLDNN", "OPENMP", "OPENCV", "CPU_SSE", "CPU_AVX", "CPU_AVX2",
    "DIST_KVSTORE", "PROFILER", "DEBUG", "TVM_OP",
)  # fmt: skip


class Feature(NamedTuple):
    """A feature, and whether it is there."""

    name: str
    enabled: bool

    def __repr__(self) -> str:
        return f"{'✔' if self.enabled else '✖'} {self.name}"


def feature_list() -> list[Feature]:
    """Return all features."""
    return [Feature(n, True) for n in _ENABLED] + [Feature(n, False) for n in _DISABLED]


class Features(dict[str, Feature]):
    """The features by name."""

    def __init__(self) -> None:
        super().__init__((feature.name, feature) for feature in feature_list())

    def __repr__(self) -> str:
        return str(list(self.values()))

    def is_enabled(self, feature_name: str) -> bool:
        """Return whether a feature is there.

        Raises
        ------
        RuntimeError
            for a name that is no feature
        """
        name = feature_name.upper()
        if name not in self:
            raise RuntimeError(f"{feature_name!r} is no feature; there are {', '.join(self)}")
        return self[name].enabled
