"""The parts of MXNet that gluonic lacks: one table, from which errors and docs/missing.md are generated.

If you add one of these, delete its row, or its name in a row.
"""

from fnmatch import fnmatchcase
from functools import cache
from typing import NamedTuple

from gluonic.graph.errors import MissingModuleError, MissingNameError
from gluonic.mxnet_names.modules import SAME
from gluonic.mxnet_names.second import SECOND


class Missing(NamedTuple):
    """A row of the table.

    Attributes
    ----------
    modules : modules, without ``mxnet.``
    names : patterns of missing names; a lone star: every name not found in the modules or below them
    instead : the substitute, or why there is none
    """

    modules: str
    names: str
    instead: str = ""


_NO_NUMPY = "it is an internal part of MXNet's NumPy interface"
_NO_C = "it belongs to MXNet's C library, which gluonic does not have"
_NO_SERVERS = "there are no servers: each process keeps all weights"

MISSING = (
    Missing(
        "numpy_op_fallback numpy_dispatch_protocol",
        "*",
        "NumPy runs functions that mx.np lacks",
    ),
    Missing("util", "np_ufunc_legal_option wrap_np_binary_func wrap_np_unary_func", _NO_NUMPY),
    Missing("test_utils", "download_model", "its models are no longer published"),
    Missing("model", "SKLEARN_INSTALLED BASE_ESTIMATOR", "use mx.mod.Module"),
    Missing("executor_manager", "DataParallelExecutorGroup _bind_exec", "use mx.mod.Module"),
    Missing(
        "ndarray.contrib symbol.contrib",
        "backward_hawkesll backward_index_copy backward_quadratic",
        "in MXNet they accept no inputs from Python; use mx.autograd",
    ),
    Missing(
        "ndarray.contrib symbol.contrib",
        "dgl_adjacency dgl_csr_neighbor_non_uniform_sample dgl_csr_neighbor_uniform_sample dgl_graph_compact "
        "dgl_subgraph",
        "gluonic has no graph sampling",
    ),
    Missing(
        "ndarray._internal symbol._internal",
        "_npi_*backward* _npi_cvim* _npi_Custom",
        "use the operators without _npi",
    ),
    Missing("ndarray._internal symbol._internal", "_imdecode", "use mx.image.imdecode"),
    Missing(
        "symbol._internal", "_cvimdecode _cvimread", "graphs cannot decode images; use mx.image"
    ),
    Missing(
        "ndarray._internal symbol._internal",
        "_backward_* _broadcast_backward _split_v2_backward",
        "gluonic computes gradients with other operators; use mx.autograd",
    ),
    Missing("ndarray._internal", "_CachedOp", "nd.CachedOp(symbol) calls a graph with arrays"),
    Missing(
        "ndarray._internal symbol._internal",
        "_CachedOpThreadSafe _CrossDeviceCopy _CustomFunction _NDArray _Native _NoGradient "
        "_set_value",
        _NO_C,
    ),
    Missing("kvstore", "KVStoreServer", _NO_SERVERS),
    Missing("kvstore.kvstore_server", "*", _NO_SERVERS),
    Missing("profiler", "profiler_kvstore_handle", "there are no servers to profile"),
    Missing("libinfo", "find_conf_path", _NO_C),
    Missing(
        "api cython misc notebook rtc space th torch tvmop symbol_doc ndarray_doc",
        "*",
        _NO_C,
    ),
    Missing("base", "add_fileline_to_docstring c2pyerror get_last_ffi_error", _NO_C),
    Missing("autograd operator", "c_int_p", _NO_C),
    Missing(
        "ndarray ndarray.ndarray",
        "NDArrayBase register",
        _NO_C,
    ),
    Missing("ndarray.op symbol.symbol", "CachedOp SymbolBase", _NO_C),
)

_IN_BLOCKS = "use a HybridBlock: its forward is traced"
MISSING_IN_TWO = (
    Missing("kvstore.byteps", "*", "use kvstore.create('dist_sync') or kvstore.create('horovod')"),
    Missing("numpy.fallback", "*", "NumPy runs functions that mx.np lacks"),
    Missing(
        "gluon.contrib.data.vision.dataloader",
        "*",
        "use gluon.data.DataLoader with the transforms of gluon.contrib.data.vision.transforms.bbox",
    ),
    Missing(
        "contrib.quantization",
        "CalibrationCollector CalibrationCollector.* quantize_model_onednn",
        "collectors are any objects with collect(name, array); use quantize_model_mkldnn",
    ),
    Missing(
        "util",
        "wrap_data_api_linalg_func wrap_data_api_statical_func wrap_sort_functions",
        _NO_NUMPY,
    ),
    Missing(
        "util",
        "get_max_supported_compute_capability get_rtc_compile_opts set_flush_denorms",
        _NO_C,
    ),
    Missing("dlpack", "DLPackHandle", _NO_C),
    Missing("library", "MXlib loaded_libs", _NO_C),
    Missing("runtime", "get_branch get_commit_hash", _NO_C),
    Missing("profiler", "scope", "memory is not counted by scopes"),
    Missing("ndarray.random symbol.random", "binomial categorical", "use multinomial"),
    Missing("symbol.numpy.linalg", "lstsq matrix_rank qr", _IN_BLOCKS),
    Missing("symbol.numpy.random", "f laplace", _IN_BLOCKS),
    Missing("symbol.symbol", "Symbol.has_dynamic_shape_op", "Symbol.infer_shape"),
    Missing("io.io", "MXDataIter.getitems", _NO_C),
    Missing(
        "gluon.metric",
        "PearsonCorrelation.update_cov PearsonCorrelation.update_variance",
        "they are steps of update",
    ),
    Missing(
        "gluon.nn.conv_layers",
        "DeformableConvolution.pre_infer_* ModulatedDeformableConvolution.pre_infer_*",
        "use infer_shape",
    ),
    Missing("optimizer.contrib", "GroupAdaGrad.step GroupAdaGrad.fused_step", "use update"),
    Missing("test_utils", "compare_optimizer_noise_seeded", "use compare_optimizer"),
)
"""What only MXNet 2.0 has, and gluonic lacks."""


@cache
def _rows() -> dict[str, list[Missing]]:
    """The rows by module."""
    found: dict[str, list[Missing]] = {}
    for row in (*MISSING, *MISSING_IN_TWO):
        for module in row.modules.split():
            found.setdefault(module, []).append(row)
    return found


def lacks(module: str) -> bool:
    """Whether a module exists, and lacks some names."""
    return module in _rows()


def _row(dotted: str) -> Missing | None:
    """The row for a missing name, after ``mx.``."""
    place, _, last = dotted.rpartition(".")
    place = SAME.get(place, place)
    for row in _rows().get(place, []):
        if any(fnmatchcase(last, name) for name in row.names.split() if name != "*"):
            return row
    parts = dotted.split(".")
    above = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
    rows = (row for module in above for row in _rows().get(module, []))
    return next((row for row in rows if "*" in row.names.split()), None)


def _sentence(dotted: str, row: Missing) -> str:
    of_two = " of MXNet 2.0" if row in MISSING_IN_TWO else ""
    return f"mx.{dotted}{of_two} is not there" + (f": {row.instead}" if row.instead else "")


def missing_name(module: str, name: str) -> MissingNameError | None:
    """The error for a name that a module of MXNet has and gluonic's lacks; None if MXNet lacks it, too."""
    dotted = f"{module.removeprefix(SECOND)}.{name}".lstrip(".")
    row = None if name.startswith("__") else _row(dotted)
    return None if row is None else MissingNameError(_sentence(dotted, row), name)


def missing_module(name: str) -> MissingModuleError | None:
    """The error for importing a module, or a name, that gluonic lacks; None if MXNet lacks it, too."""
    row = _row(name)
    return None if row is None else MissingModuleError(_sentence(name, row))
