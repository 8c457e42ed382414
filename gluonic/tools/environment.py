"""The environment variables that gluonic reads: a table for docs/environment.md and ``gluonic info``."""

import os
from collections.abc import Mapping

from gluonic.support.record import record


@record
class EnvironmentVariable:
    """An environment variable, or several with one meaning.

    Attributes
    ----------
    names : their names
    values : the values, as shown; empty if any text will do
    meaning : what they do, and what holds without them
    """

    names: tuple[str, ...]
    values: tuple[str, ...]
    meaning: str

    @property
    def assignments(self) -> tuple[str, ...]:
        """The variables, with the values that they may have."""
        return (
            tuple(f"{name}={value}" for name in self.names for value in self.values) or self.names
        )


_FUSIONS = (
    *("CONV_OPT", "FUSE_CONV_BN", "FUSE_CONV_RELU", "FUSE_CONV_SUM", "FC_OPT", "FUSE_FC_ELTWISE"),
    *("TRANSFORMER_OPT", "QTRANSFORMER_FUSE_ALL", "QTRANSFORMER_FLOAT_OUTPUT", "QFC_FUSE_ALL"),
    *("QFC_FLOAT_OUTPUT", "QEM_FUSE_ALL", "QEM_FLOAT_OUTPUT"),
)

SUBJECTS: Mapping[str, tuple[EnvironmentVariable, ...]] = {
    "How nets are computed": (
        EnvironmentVariable(
            ("GLUONIC_EXECUTOR",),
            ("mixed", "compile", "interpret"),
            "how hybridized nets and symbols run (docs/hybridize.md): `mixed`, the default, runs "
            "the first calls operator by operator, while machine code is made in pieces; "
            "`compile` compiles at the first call; `interpret` always runs operator by operator, "
            "with NumPy",
        ),
        EnvironmentVariable(
            ("GLUONIC_CHECK",),
            ("1",),
            "refuse what MXNet accepts silently: labels, and indices of embeddings, `take` and "
            "`pick`, that are out of range, and labels of losses that have another shape than the"
            " predictions; nets run as with `interpret`",
        ),
        EnvironmentVariable(
            ("GLUONIC_NUM_THREADS", "OMP_NUM_THREADS"),
            (),
            "the number of threads that share the large steps of a compiled net: the first of these "
            "that is set, by default the number of cores that the process may use (affinity, and a "
            "container's limit); results are the same to the last bit",
        ),
        EnvironmentVariable(
            ("GLUONIC_BLAS",),
            ("0",),
            "no products by BLAS, but by machine code of gluonic's own, as in a library "
            "(docs/library.md)",
        ),
        EnvironmentVariable(
            ("GLUONIC_WINOGRAD",),
            ("0",),
            "no convolutions by Winograd's algorithm, whose rounding differs slightly from that "
            "of direct sums",
        ),
        EnvironmentVariable(
            ("GLUONIC_CPU", "GLUONIC_CPU_FEATURES"),
            (),
            "compile for a less capable processor than this one, such as `x86-64-v2`",
        ),
    ),
    "GPUs": (
        EnvironmentVariable(
            ("GLUONIC_GPU",),
            ("cpu", "emulated"),
            "what serves `mx.gpu(i)`, by default NVIDIA's GPUs (docs/gpu.md): `cpu`: the CPU stands in, "
            "as with `gluonic --cpu`; `emulated`: an interpreter of the GPU's code, for tests",
        ),
        EnvironmentVariable(
            ("GLUONIC_GPU_EMULATED_PROCESSOR",),
            ("sm_90a",),
            "what the emulated GPUs are; by default `sm_80`",
        ),
        EnvironmentVariable(
            ("GLUONIC_GPU_EMULATED_MEMORY",),
            ("64",),
            "the memory of each emulated GPU, in MiB; by default 1,024",
        ),
        EnvironmentVariable(
            ("GLUONIC_GPU_SYNC",),
            ("1",),
            "wait for the GPU after each kernel, so that an error names the line that launched it",
        ),
        EnvironmentVariable(
            ("GLUONIC_GPU_FALLBACK",),
            ("error",),
            "refuse operators that the host computes for the GPU, instead of counting them",
        ),
        EnvironmentVariable(
            ("GLUONIC_TF32",),
            ("1",),
            "round factors of float32 products and convolutions to TF32, which tensor cores multiply",
        ),
        EnvironmentVariable(
            ("GLUONIC_GPU_GRAPHS",),
            ("0",),
            "launch each kernel of a net by itself, where the driver would otherwise get them as one graph",
        ),
        EnvironmentVariable(
            ("GLUONIC_CUDA_DRIVER",),
            ("FILE",),
            "NVIDIA's driver library, where the system does not find it",
        ),
    ),
    "Compiled code on disk": (
        EnvironmentVariable(
            ("GLUONIC_CACHE",),
            ("0", "objects"),
            "`0`: store nothing; `objects`: store machine code alone, and rewrite graphs in each "
            "process, for work on the compiler",
        ),
        EnvironmentVariable(
            ("GLUONIC_CACHE_DIR",),
            (),
            "the folder, which must be private; by default `~/.cache/gluonic`",
        ),
        EnvironmentVariable(
            ("GLUONIC_CACHE_SIZE",),
            (),
            "the largest size of the folder, in bytes; by default 256 MiB",
        ),
    ),
    "Looking inside": (
        EnvironmentVariable(
            ("GLUONIC_DUMP",),
            ("FOLDER",),
            "write what compiling each graph gave: the table of `explain`, the graph after each "
            "pass, the kernels of loops, LLVM IR before and after optimisation, assembly; nets "
            "then compile at the first call",
        ),
        EnvironmentVariable(
            ("GLUONIC_PICTURES",),
            ("FOLDER",),
            "when tracing, inference or an operator of a compiled graph fails, write a page with "
            "the graph up to the operator at fault; `error.picture()` is that page",
        ),
        EnvironmentVariable(
            ("GLUONIC_FULL_TRACEBACK",),
            ("1",),
            "what Python prints about an uncaught error includes the lines of gluonic itself; "
            "otherwise only those of your program, unless gluonic is at fault",
        ),
        EnvironmentVariable(("GLUONIC_PROFILE",), ("FILE.json",), "profile the whole program"),
        EnvironmentVariable(
            ("MXNET_PROFILER_AUTOSTART",), ("1",), "as in MXNet: the same, into `profile.json`"
        ),
    ),
    "Programs and files": (
        EnvironmentVariable(
            ("GLUONIC_NUMPY_ALIASES",),
            ("0",),
            "do not restore names that NumPy and Python have removed, as `gluonic --no-numpy-"
            "aliases`, in processes that a program starts, too",
        ),
        EnvironmentVariable(
            ("GLUONIC_MXNET",),
            ("2",),
            "serve the names and defaults of MXNet 2.0 instead of 1.9.1, as `gluonic --mxnet 2`, in "
            "processes that a program starts, too",
        ),
        EnvironmentVariable(
            ("GLUONIC_UNPACKED_LIMIT",),
            (),
            "the most bytes that one compressed file may become: an image (three bytes a pixel), "
            "what is read of an archive, a compressed array; by default 512 MiB, or twenty times "
            "the file's size if that is more",
        ),
        EnvironmentVariable(
            ("MXNET_HOME",), ("FOLDER",), "as in MXNet: the folder of data sets and models"
        ),
        EnvironmentVariable(
            ("MXNET_GLUON_REPO",),
            ("URL",),
            "as in MXNet: where pretrained models and data sets are fetched from (`http`, "
            "`https`, `file`) that are not in `MXNET_HOME`; without it, nothing is fetched",
        ),
        EnvironmentVariable(
            ("MXNET_CPU_WORKER_NTHREADS",),
            ("4",),
            "as in MXNet: the number of threads that decode images ahead, by default one for each"
            " core",
        ),
        EnvironmentVariable(
            ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"),
            (),
            "how much freed memory the C library keeps; unless one of them is set, 256 MiB at the"
            " end of the heap (docs/speed.md)",
        ),
    ),
    "Training, several processes": (
        EnvironmentVariable(
            ("MXNET_UPDATE_ON_KVSTORE",),
            ("0",),
            "as in MXNet: trainers update weights themselves",
        ),
        EnvironmentVariable(
            ("GLUONIC_OVERLAP",),
            ("0", "1"),
            "`0`: sum gradients over ranks of several machines after backward, not during it; "
            "`1`: on a single machine during it, too; the sums are the same (docs/distributed.md)",
        ),
        EnvironmentVariable(
            ("GLUONIC_SHARED_SUMS",),
            ("0",),
            "ranks of one machine exchange gradients by messages, not through shared memory; the "
            "sums are the same",
        ),
        EnvironmentVariable(
            ("GLUONIC_RANK_TIMEOUT",),
            ("600",),
            "how long a process waits for another, in seconds; 600 by default",
        ),
    ),
    "Graphs and sparse arrays, as in MXNet": (
        EnvironmentVariable(
            ("MXNET_ELIMINATE_COMMON_EXPR",),
            ("0",),
            "executors show equal computations separately",
        ),
        EnvironmentVariable(
            ("MXNET_STORAGE_FALLBACK_LOG_VERBOSE",),
            ("0",),
            "no warning when an operator computes with dense copies of sparse arrays",
        ),
        EnvironmentVariable(
            tuple(f"MXNET_DISABLE_MKLDNN_{switch}" for switch in _FUSIONS),
            (),
            "with `1`, what the name says is not fused by the backends `MKLDNN` and "
            "`MKLDNN_QUANTIZE`",
        ),
    ),
}


def names() -> list[str]:
    """The names of all variables."""
    return [name for listed in SUBJECTS.values() for each in listed for name in each.names]


def assigned() -> dict[str, str]:
    """The variables that are set, with their values."""
    return {name: os.environ[name] for name in names() if name in os.environ}
