"""MXNet's modules whose contents gluonic divides differently."""

from functools import cache

from gluonic.mxnet_names.second import SECOND

# A module of MXNet, and the modules here that make it up, besides the file of its name, if there is one. A star
# stands for all files of a package. Modules that are divided as in MXNet need no row.
PARTS: dict[str, tuple[str, ...]] = {
    "attribute": ("symbol.scopes",),
    "base": ("graph.errors", "symbol.unsupported", "c_api.values", "c_api.library"),
    "context": ("ndarray.context",),
    "contrib.onnx.mx2onnx": ("onnx.exporting",),
    "contrib.onnx.mx2onnx.export_model": ("onnx.exporting",),
    "contrib.onnx.onnx2mx": ("contrib.onnx",),
    "contrib.onnx.onnx2mx.import_model": ("onnx.importing",),
    "contrib.onnx.onnx2mx.import_to_gluon": ("contrib.onnx",),
    "contrib.text.utils": ("contrib.text.counting",),
    "executor": ("symbol.executor",),
    "gluon.block": ("gluon.hybrid", "gluon.symbol_block", "gluon.naming", "gluon.nesting"),
    "gluon.contrib.estimator.event_handler": tuple(
        f"gluon.contrib.estimator.{part}"
        for part in ("events", "measuring", "updating", "stopping", "logs", "checkpoints")
    ),
    "gluon.contrib.estimator.utils": ("gluon.contrib.estimator.metrics",),
    "gluon.data.dataloader": (
        "gluon.data.batchify", "gluon.data.pooled", "gluon.data.queues", "gluon.data.shared_arrays",
    ),
    "gluon.data.vision.transforms": ("gluon.data.vision.transforms.*",),
    "gluon.loss": ("gluon.loss.*",),
    "gluon.nn.basic_layers": ("gluon.nn.containers", "gluon.nn.norm_layers"),
    "gluon.nn.conv_layers": ("gluon.nn.pool_layers",),
    "gluon.parameter": ("gluon.parameter_dict", "gluon.constant", "gluon.parameter_errors"),
    "gluon.rnn.rnn_cell": (
        "gluon.rnn.base", "gluon.rnn.cells", "gluon.rnn.compound", "gluon.rnn.sequence_functions",
    ),
    "gluon.rnn.rnn_layer": ("gluon.rnn.fused_layer",),
    "gluon.utils": ("gluon.hooks",),
    "image.detection": (
        "image.detection_augmenter", "image.detection_iterator", "image.detection_windows",
        "image.standard_detection",
    ),
    "image.image": (
        "image.augmenter", "image.colour_augmenters", "image.cropping", "image.interpolation", "image.iterator",
        "image.reading", "image.resizing", "image.rotation", "image.shape_augmenters",
        "image.standard_augmenters",
    ),
    "initializer": ("initializer.*",),
    "io.io": (
        "io.batch", "io.arrays", "io.files", "io.detection_records", "io.image_records", "io.libsvm",
        "io.mx_data_iter", "io.wrapping",
    ),
    "io.utils": ("io.arrays",),
    "kvstore.base": ("kvstore.creation",),
    "kvstore.kvstore": (
        "kvstore.asynchronous", "kvstore.device", "kvstore.distributed", "kvstore.horovod",
    ),
    "metric": ("metric.*",),
    "mxnet2.ndarray.ndarray": ("mxnet2.ndarray", "ndarray.array", "ndarray.numbering"),
    "mxnet2.symbol.symbol": ("mxnet2.symbol", "symbol.symbol", "symbol.functions", "symbol.variables"),
    "model": ("module.feed_forward", "module.store_functions", "module.training_loop"),
    "module.base_module": ("module.base", "module.interface", "module.input_functions"),
    "module.bucketing_module": ("module.bucketing", "module.bucket_files", "module.delegating"),
    "module.executor_group": ("module.bound_executors",),
    "module.module": ("module.optimizing", "module.parameters"),
    "module.python_module": ("module.python",),
    "module.sequential_module": ("module.sequential",),
    **{
        f"mxnet2.{module}": (f"mxnet2.{whole}",)
        for whole, modules in {
            "amp": ("amp.amp", "amp.loss_scaler"),
            "gluon.hybrid": ("gluon.block",),
            "gluon.data": ("gluon.data.dataloader", "gluon.data.dataset", "gluon.data.sampler"),
            "gluon.data.vision": ("gluon.data.vision.datasets",),
            "gluon.data.vision.transforms": ("gluon.data.vision.transforms.image",),
            "gluon.nn": ("gluon.nn.activations", "gluon.nn.basic_layers", "gluon.nn.conv_layers"),
            "gluon.bounding_boxes": tuple(
                f"gluon.contrib.data.vision{below}"
                for below in (
                    "", ".transforms", ".transforms.bbox", ".transforms.bbox.bbox", ".transforms.bbox.utils",
                )
            ),
            "gluon.rnn": ("gluon.rnn.conv_rnn_cell", "gluon.rnn.rnn_cell", "gluon.rnn.rnn_layer"),
            "gluon.model_zoo.vision": tuple(
                f"gluon.model_zoo.vision.{net}"
                for net in ("alexnet", "densenet", "inception", "mobilenet", "resnet", "squeezenet", "vgg")
            ),
            "gluon.probability": (
                "gluon.probability.block", "gluon.probability.block.stochastic_block",
                "gluon.probability.distributions", "gluon.probability.transformation.domain_map",
                *(
                    f"gluon.probability.distributions.{kind}"
                    for kind in (
                        "bernoulli", "beta", "binomial", "categorical", "cauchy", "chi2", "dirichlet",
                        "exp_family", "exponential", "fishersnedecor", "gamma", "geometric", "gumbel",
                        "half_cauchy", "half_normal", "independent", "laplace", "multinomial",
                        "multivariate_normal", "negative_binomial", "normal", "one_hot_categorical", "pareto",
                        "poisson", "relaxed_bernoulli", "relaxed_one_hot_categorical", "studentT",
                        "transformed_distribution", "uniform", "utils", "weibull",
                    )
                ),
            ),
            "gluon.probability.constraint": ("gluon.probability.distributions.constraint",),
            "gluon.probability.distribution": ("gluon.probability.distributions.distribution",),
            "gluon.probability.divergence": ("gluon.probability.distributions.divergence",),
            "gluon.probability.transformation": ("gluon.probability.transformation.transformation",),
            "numpy": tuple(
                f"numpy.{part}"
                for part in (
                    "arrayprint", "fallback", "function_base", "io", "multiarray", "set_functions",
                    "stride_tricks", "type_functions", "utils",
                )
            ),
            "onnx": ("onnx.mx2onnx",),
            "numpy_extension": ("numpy_extension.control_flow", "numpy_extension.utils"),
            "optimizer": tuple(
                f"optimizer.{kind}"
                for kind in (
                    "adabelief", "adadelta", "adagrad", "adam", "adamW", "adamax", "dcasgd", "ftml", "ftrl",
                    "lamb", "lans", "lars", "nadam", "nag", "optimizer", "rmsprop", "sgd", "sgld", "signum",
                    "updater", "utils",
                )
            ),
        }.items()
        for module in modules
    },
    "name": ("symbol.naming",),
    "onnx.mx2onnx": ("onnx.exporting",),
    "ndarray.ndarray": (
        "ndarray.array", "ndarray.arithmetic", "ndarray.array_functions", "ndarray.creation",
        "ndarray.dlpack_structures", "ndarray.index_keys", "ndarray.interchange", "ndarray.numbering",
    ),
    "ndarray.sparse": ("ndarray.storage.arrays", "ndarray.storage.creation"),
    "ndarray.utils": ("ndarray.creation", "ndarray.serialization"),
    "operator": ("ndarray.custom", "graph.argument_types"),
    "optimizer.optimizer": (
        "optimizer.base", "optimizer.adaptive", "optimizer.descent", "optimizer.layerwise", "optimizer.updater",
    ),
    "profiler": ("profiler.*",),
    "recordio": ("recordio.*",),
    "rnn.rnn": ("rnn.checkpoints",),
    "rnn.rnn_cell": (
        "rnn.base", "rnn.cells", "rnn.compound", "rnn.convolutional", "rnn.fused", "rnn.modifiers",
    ),
    "symbol.numpy": ("symbol.numpy.symbols",),
    "symbol.numpy._symbol": ("symbol.numpy.symbols",),
    "symbol.symbol": ("symbol.functions", "symbol.variables"),
    "test_utils": ("test_utils.*",),
}  # fmt: skip

# Further names of modules: both names refer to the same object.
SAME: dict[str, str] = {
    "_numpy_op_doc": "numpy_op_signature",
    "numpy.fallback_linalg": "numpy.linalg",
    "numpy.function_base": "numpy",
    "numpy.multiarray": "numpy",
    "numpy.stride_tricks": "numpy",
    "ndarray.numpy._op": "ndarray.numpy",
    "symbol.numpy._op": "symbol.numpy",
    "contrib.amp.amp": "contrib.amp",
    "contrib.ndarray": "ndarray.contrib",
    "contrib.symbol": "symbol.contrib",
    "image.det": "image.detection",
    **{
        f"{room}.gen_{part}": f"{room}.{part}"
        for room in ("ndarray", "symbol")
        for part in ("_internal", "contrib", "image", "linalg", "op", "random", "sparse")
    },
}

# Modules without a counterpart in MXNet, other than the parts above.
_OURS = {
    "alias",
    "codegen",
    "commands",
    "serving",
    "distributed",
    "extension",
    "graph",
    "horovod",
    "minpy",
    "mxnet_names",
    "tools",
}


@cache
def _whole() -> dict[str, str]:
    """For each part, the first module of MXNet that it belongs to."""
    of_one = [row for row in reversed(PARTS.items()) if not row[0].startswith(SECOND)]
    return {part: name for name, parts in of_one for part in parts}


def home_of(module: str) -> str | None:
    """The module of MXNet with the definitions of one of ours; None without a counterpart.

    Parameters
    ----------
    module : its name, without ``gluonic.``
    """
    if module.startswith(SECOND):
        return module
    package, _, _ = module.rpartition(".")
    home = _whole().get(module) or _whole().get(f"{package}.*")
    if home is not None:
        return home
    return None if module.partition(".")[0] in _OURS else module
