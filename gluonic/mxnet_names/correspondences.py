"""What names of MXNet 1.x are called in 2.0: one table for `doctor`, `modernize`, errors and docs/mxnet2.md."""

from collections.abc import Iterator
from functools import cache

from gluonic.support.record import record


@record
class Correspondence:
    """A name of MXNet 1.x, and what it is called in 2.0.

    Attributes
    ----------
    before : the name in 1.x, without ``mx.``; of a method, only its name behind a dot
    after : the name in 2.0; empty if there is none
    why : what the author of a program must decide; empty if the names can be exchanged without changing
        results. For a name that is gone, what to use instead.
    parameters : how arguments change, see `Argument`; None if they do not
    result : what follows the call, such as ``.astype("float32")``
    is_gone : whether 2.0 has nothing of the name
    """

    before: str
    after: str
    why: str = ""
    parameters: str | None = None
    result: str = ""
    is_gone: bool = False

    @property
    def is_safe(self) -> bool:
        """Whether a program can be rewritten without changing what it computes."""
        return bool(self.after) and not self.why

    @property
    def advice(self) -> str:
        """What to use in 2.0, in words."""
        if not self.after:
            return self.why
        return f"use mx.{self.after}" + (f": {self.why}" if self.why else "")


@record
class Argument:
    """How an argument of a function of 1.x is given in 2.0.

    In the table, ``data=a axis | ctx=device dim=axis:1`` are arguments in order: ``data`` is called ``a``;
    those behind the bar become keywords; ``dim`` is called ``axis``, and 1 if it is left out. ``*`` in front
    stands for all positional arguments, which become a list; ``**`` at the end for all other keywords.
    """

    before: str
    after: str
    is_keyword: bool
    default: str

    @property
    def takes_all(self) -> bool:
        """Whether it stands for arguments without names."""
        return self.before in ("*", "**")


@cache
def arguments_of(parameters: str) -> tuple[Argument, ...]:
    """The arguments that a row of the table describes."""
    return tuple(_arguments(parameters))


def _arguments(parameters: str) -> Iterator[Argument]:
    positional, _, keywords = parameters.partition("|")
    for is_keyword, words in ((False, positional), (True, keywords)):
        for word in words.split():
            name, _, default = word.partition(":")
            before, _, after = name.partition("=")
            yield Argument(before, after or before, is_keyword, default)


# Names that 2.0 lacks: 1.x's, 2.0's, what to decide.
_GLUON = "use gluon.HybridBlock and gluon.Trainer"
_GONE = (
    ("metric", "gluon.metric", ""),
    ("contrib.amp", "amp", ""),
    ("contrib.autograd", "", "use mx.autograd"),
    ("contrib.svrg_optimization", "", "use mx.optimizer"),
    ("gluon.contrib.nn", "gluon.nn", ""),
    ("gluon.contrib.nn.Concurrent", "gluon.nn.Concatenate", ""),
    ("gluon.contrib.nn.HybridConcurrent", "gluon.nn.HybridConcatenate", ""),
    ("gluon.contrib.nn.SparseEmbedding", "", "use gluon.nn.Embedding with sparse_grad=True"),
    ("gluon.contrib.cnn", "gluon.nn", ""),
    ("gluon.contrib.rnn", "gluon.rnn", ""),
    ("gluon.ParameterDict", "", "net.collect_params() is a dictionary"),
    ("mod", "", _GLUON),
    ("module", "", _GLUON),
    ("model.FeedForward", "", _GLUON),
    ("executor_manager", "", _GLUON),
    ("rnn", "", "use mx.gluon.rnn"),
    ("monitor", "", "use Block.register_op_hook"),
    ("mon", "", "use Block.register_op_hook"),
)
# Names that both have, with another name or meaning in 2.0.
_DRAWN = ("uniform", "normal", "randint", "exponential", "gamma")
_DRAWS = "it draws other numbers of the same distribution"
_MOVED = (
    ("context", "device", ""),
    ("Context", "Device", ""),
    ("context.Context", "device.Device", ""),
    ("current_context", "current_device", ""),
    ("context.current_context", "device.current_device", ""),
    ("metric.F1", "gluon.metric.F1", "it counts all updates together, where 1.x averages their scores"),
    ("nd.save", "npx.savez", "files are NumPy's .npz, which MXNet 1.x cannot read"),
    ("nd.load", "npx.load", "what it returns are arrays of mx.np"),
    ("nd.round", "np.round", "halves are rounded to even numbers, where 1.x rounds them away from zero"),
    *((f"nd.random.{name}", f"np.random.{name}", _DRAWS) for name in _DRAWN),
    *((f"nd.random_{name}", f"np.random.{name}", _DRAWS) for name in _DRAWN),
    ("nd.random.shuffle", "np.random.shuffle", "it shuffles in place"),
    ("nd.random.multinomial", "np.random.multinomial", "it counts, where 1.x returns indices"),
    ("nd.SoftmaxOutput", "gluon.loss.SoftmaxCrossEntropyLoss", "it is a loss, not a layer with a gradient"),
    ("nd.LinearRegressionOutput", "gluon.loss.L2Loss", "it is a loss, not a layer with a gradient"),
)  # fmt: skip

# Functions of 1.x's arrays, how arguments change, and what follows the call; {} is the name itself.
_FUNCTIONS = (
    ("zeros ones empty", "np.{}", "shape | ctx=device dtype", ""),
    ("full", "np.full", 'shape val=fill_value | ctx=device dtype:"float32"', ""),
    ("array", "np.array", 'source_array=object | ctx=device dtype:"float32"', ""),
    ("arange", "np.arange", "start stop step | ctx=device dtype", ""),
    ("eye", "np.eye", "N | k ctx=device dtype", ""),
    ("linspace", "np.linspace", "start stop num endpoint | ctx=device dtype", ""),
    ("zeros_like ones_like", "np.{}", "data=a", ""),
    (
        "abs exp log sqrt square sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh log2 "
        "log10 log1p expm1 cbrt reciprocal negative ceil floor rint fix trunc sign degrees radians",
        "np.{}",
        "data=x",
        "",
    ),
    ("relu sigmoid erf erfinv gamma gammaln softmin", "npx.{}", "data | **", ""),
    ("add broadcast_add broadcast_plus elemwise_add", "np.add", "lhs=x1 rhs=x2", ""),
    ("subtract broadcast_sub broadcast_minus elemwise_sub", "np.subtract", "lhs=x1 rhs=x2", ""),
    ("multiply broadcast_mul elemwise_mul", "np.multiply", "lhs=x1 rhs=x2", ""),
    ("divide broadcast_div elemwise_div", "np.true_divide", "lhs=x1 rhs=x2", ""),
    ("broadcast_power", "np.power", "lhs=x1 rhs=x2", ""),
    ("power", "np.power", "base=x1 exp=x2", ""),
    ("broadcast_mod modulo", "np.mod", "lhs=x1 rhs=x2", ""),
    ("broadcast_hypot", "np.hypot", "lhs=x1 rhs=x2", ""),
    ("maximum broadcast_maximum", "np.maximum", "lhs=x1 rhs=x2", ""),
    ("minimum broadcast_minimum", "np.minimum", "lhs=x1 rhs=x2", ""),
    ("equal broadcast_equal", "np.equal", "lhs=x1 rhs=x2", '.astype("float32")'),
    ("not_equal broadcast_not_equal", "np.not_equal", "lhs=x1 rhs=x2", '.astype("float32")'),
    ("greater broadcast_greater", "np.greater", "lhs=x1 rhs=x2", '.astype("float32")'),
    ("lesser broadcast_lesser", "np.less", "lhs=x1 rhs=x2", '.astype("float32")'),
    ("greater_equal broadcast_greater_equal", "np.greater_equal", "lhs=x1 rhs=x2", '.astype("float32")'),
    ("lesser_equal broadcast_lesser_equal", "np.less_equal", "lhs=x1 rhs=x2", '.astype("float32")'),
    ("sum mean max min prod", "np.{}", "data=a axis | keepdims", ""),
    ("sum_axis", "np.sum", "data=a axis | keepdims", ""),
    ("norm", "np.linalg.norm", "data=x", ""),
    ("argmax argmin", "np.{}", "data=a axis | keepdims", '.astype("float32")'),
    ("argsort", "np.argsort", "data=a axis", '.astype("float32")'),
    ("sort", "np.sort", "data=a axis", ""),
    ("clip", "np.clip", "data=a a_min a_max", ""),
    ("expand_dims", "np.expand_dims", "data=a axis", ""),
    ("squeeze", "np.squeeze", "data=x axis", ""),
    ("tile", "np.tile", "data=A reps", ""),
    ("repeat", "np.repeat", "data=a repeats axis", ""),
    ("transpose", "np.transpose", "data=a axes", ""),
    ("swapaxes SwapAxis", "np.swapaxes", "data=a dim1=axis1 dim2=axis2", ""),
    ("flip reverse", "np.flip", "data=m axis", ""),
    ("where", "np.where", "condition x y", ""),
    ("take", "np.take", 'a indices | axis:0 mode:"clip"', ""),
    ("broadcast_to", "np.broadcast_to", "data=array shape", ""),
    ("diag", "np.diag", "data=v k", ""),
    ("cumsum", "np.cumsum", "a axis dtype", ""),
    ("concat Concat", "np.concatenate", "* | dim=axis:1", ""),
    ("stack", "np.stack", "* | axis", ""),
    ("concatenate", "np.concatenate", "arrays=seq axis", ""),
    ("split SliceChannel", "np.split", "data=ary num_outputs=indices_or_sections | axis:1", ""),
    ("dot", "np.tensordot", "lhs=a rhs=b | axes:1", ""),
    ("batch_dot", "npx.batch_dot", "lhs rhs | **", ""),
    ("reshape Reshape", "npx.reshape", "data=a shape=newshape", ""),
    ("reshape_like broadcast_like slice_like", "npx.{}", "lhs rhs | **", ""),
    ("flatten Flatten", "npx.batch_flatten", "data", ""),
    ("slice_axis", "npx.slice_axis", "data axis begin end", ""),
    ("softmax", "npx.softmax", "data length | **", ""),
    ("log_softmax", "npx.log_softmax", "data axis | **", ""),
    ("FullyConnected", "npx.fully_connected", "data weight bias | **", ""),
    ("Convolution", "npx.convolution", "data weight bias | **", ""),
    ("Deconvolution", "npx.deconvolution", "data weight bias | **", ""),
    ("Pooling", "npx.pooling", "data | **", ""),
    ("Activation", "npx.activation", "data act_type", ""),
    ("Dropout", "npx.dropout", "data p | **", ""),
    ("BatchNorm", "npx.batch_norm", "data gamma beta moving_mean moving_var | **", ""),
    ("LayerNorm", "npx.layer_norm", "data gamma beta | **", ""),
    ("Embedding", "npx.embedding", "data weight | **", ""),
    ("LeakyReLU", "npx.leaky_relu", "data gamma | **", ""),
    ("SequenceMask", "npx.sequence_mask", "data sequence_length | **", ""),
    ("one_hot", "npx.one_hot", "indices depth | **", ""),
    ("pick", "npx.pick", "data index | **", ""),
    ("topk", "npx.topk", "data | **", ""),
    ("smooth_l1", "npx.smooth_l1", "data scalar", ""),
    ("gather_nd", "npx.gather_nd", "data indices", ""),
    ("BlockGrad stop_gradient", "npx.stop_gradient", "data", ""),
    ("contrib.MultiBoxPrior", "npx.multibox_prior", "data | **", ""),
    ("contrib.MultiBoxTarget", "npx.multibox_target", "anchor label cls_pred | **", ""),
    ("contrib.MultiBoxDetection", "npx.multibox_detection", "cls_prob loc_pred anchor | **", ""),
    ("contrib.arange_like", "npx.arange_like", "data | **", ""),
    ("waitall", "npx.waitall", "", ""),
)  # fmt: skip

# Methods of arrays, blocks and parameters that are called otherwise, or mean something else.
_INDICES = "indices are int64 in mx.np, float32 in 1.x"
_METHODS = (
    ("asscalar", "item", ""),
    ("as_in_context", "to_device", ""),
    ("as_in_ctx", "to_device", ""),
    ("list_ctx", "list_device", ""),
    ("reset_ctx", "reset_device", ""),
    ("argmax", "argmax", _INDICES),
    ("argmin", "argmin", _INDICES),
    ("argsort", "argsort", _INDICES),
)
# Methods of arrays that are functions in 2.0. Names that other objects have, such as `split`, are left out.
_METHODS_AS_FUNCTIONS = (
    "exp sqrt square sin cos tan sinh cosh tanh arcsin arccos arctan log1p expm1 cbrt reciprocal rint "
    "zeros_like ones_like relu sigmoid softmax log_softmax expand_dims one_hot pick topk slice_axis "
    "slice_like reshape_like broadcast_like"
)
DEVICE_TAKERS = frozenset(
    (
        "initialize",
        "load_parameters",
        "imports",
        "get_model",
        "data",
        "grad",
        "reset_ctx",
        "list_data",
    )
)
"""Methods whose ``ctx`` is called ``device`` in 2.0, whatever they are called on."""


@cache
def correspondences() -> dict[str, Correspondence]:
    """The table, by 1.x's names."""
    return {row.before: row for row in _rows()}


def _rows() -> Iterator[Correspondence]:
    for before, after, why in _GONE:
        yield Correspondence(before, after, why, is_gone=True)
    for before, after, why in _MOVED:
        yield Correspondence(before, after, why)
    for names, after, parameters, result in _FUNCTIONS:
        for name in names.split():
            yield Correspondence(f"nd.{name}", after.format(name), "", parameters, result)
    for before, after, why in _METHODS:
        yield Correspondence(f".{before}", f".{after}", why)
    targets = {name: after for names, after, *_ in _FUNCTIONS for name in names.split()}
    for name in _METHODS_AS_FUNCTIONS.split():
        yield Correspondence(f".{name}", targets[name].format(name))


_SAME_MODULES = {
    "ndarray": "nd", "symbol": "sym", "initializer": "init", "kvstore": "kv", "numpy": "np",
    "numpy_extension": "npx",
}  # fmt: skip


def canonical(name: str) -> str:
    """A name without ``mxnet.``, and with its module's short name: ``nd.ones`` for ``mxnet.ndarray.ones``."""
    name = name.removeprefix("mxnet.")
    first, dot, rest = name.partition(".")
    return f"{_SAME_MODULES.get(first, first)}{dot}{rest}"


def correspondence(name: str) -> tuple[Correspondence, str] | None:
    """The row of a name, or of the longest module or class above it, with what follows that.

    Parameters
    ----------
    name : a name of 1.x, such as ``metric.Accuracy``

    Returns
    -------
    tuple[Correspondence, str] or None
        None if the name means the same in 2.0
    """
    name, rest = canonical(name), ""
    table = correspondences()
    while name:
        if name in table:
            return table[name], rest
        name, _, last = name.rpartition(".")
        rest = f".{last}{rest}"
    return None
