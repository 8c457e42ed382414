"""Names that MXNet's modules import, and programs import from there: ``from mxnet.metric import ndarray``."""

from functools import cache

# The sources of names: a module, and the names imported from it. A leading dot stands for gluonic.
_SOURCES = """
.attribute: AttrScope
.base: MXCallbackList DLPackHandle DataIterHandle ExecutorHandle KVStoreHandle MXNetError NDArrayHandle
    NotImplementedForSymbol NotSupportedForSparseNDArray OpHandle ProfileHandle RecordIOHandle SymbolHandle
    c_array c_array_buf c_handle_array c_str c_str_array check_call classproperty ctypes2buffer integer_types
    mx_float mx_int mx_int64 mx_real_t mx_uint numeric_types py_str register_error string_types
    with_metaclass
.callback: LogValidationMetricsCallback
.context: Context cpu current_context gpu num_gpus
.contrib.amp.loss_scaler: LossScaler
.executor: Executor
.executor_manager: DataParallelExecutorManager _check_arguments _load_data _load_general _load_label
    _split_input_slice
.gluon.block: Block HybridBlock SymbolBlock
.gluon.contrib.estimator.batch_processor: BatchProcessor
.gluon.contrib.estimator.event_handler: BatchBegin BatchEnd EpochBegin EpochEnd GradientUpdateHandler
    LoggingHandler MetricHandler StoppingHandler TrainBegin TrainEnd ValidationHandler
.gluon.contrib.nn.basic_layers: HybridConcurrent Identity
.gluon.data.dataloader: DataLoader
.gluon.loss: SoftmaxCrossEntropyLoss
.gluon.nn.activations: Activation LeakyReLU
.gluon.nn.basic_layers: BatchNorm HybridSequential Sequential
.gluon.parameter: DeferredInitializationError Parameter ParameterDict
.gluon.rnn.rnn_cell: BidirectionalCell HybridRecurrentCell ModifierCell SequentialRNNCell
.gluon.trainer: Trainer
.gluon.utils: _brief_print_list _indent HookHandle check_sha1 download replace_file shape_is_known
    split_and_load
.image: Augmenter CastAug ColorJitterAug ColorNormalizeAug ForceResizeAug HueJitterAug ImageIter LightingAug
    RandomGrayAug RandomOrderAug ResizeAug copyMakeBorder fixed_crop
.initializer: InitDesc Uniform Xavier
.metric: Accuracy CompositeEvalMetric EvalMetric
.io.io: DataBatch DataDesc DataIter
.kvstore.base: KVStoreBase
.kvstore.kvstore: KVStore
.model: _create_kvstore _create_sparse_kvstore _initialize_kvstore _update_params _update_params_on_kvstore
    load_checkpoint load_params save_checkpoint
.module.base_module: _check_input_names _parse_data_desc BaseModule
.module.bucketing_module: BucketingModule
.module.module: Module
.name: NameManager
.ndarray.contrib: multi_lamb_update multi_mp_lamb_update
.ndarray.numbering: _DTYPE_MX_TO_NP _DTYPE_NP_TO_MX _GRAD_REQ_MAP
.ndarray.ndarray: NDArray maximum multiply
.ndarray.random: exponential gamma generalized_negative_binomial multinomial negative_binomial normal
    poisson randint randn shuffle uniform
.ndarray.sparse: CSRNDArray
.ndarray.utils: load zeros
.optimizer.optimizer: Optimizer get_updater
.rnn.rnn_cell: BaseRNNCell
.runtime: Features
.symbol.symbol: Symbol load_json
.util: get_cuda_compute_capability getenv is_np_array is_np_shape np_array np_shape set_np setenv use_np
.gluon.nesting: tensor_types
.ndarray: adam_update clip concat ftml_update ftrl_update lamb_update_phase1 lamb_update_phase2 mean
    mp_lamb_update_phase1 mp_lamb_update_phase2 mp_nag_mom_update mp_sgd_mom_update mp_sgd_update multi_lars
    multi_mp_sgd_mom_update multi_mp_sgd_update multi_sgd_mom_update multi_sgd_update multi_sum_sq
    nag_mom_update preloaded_multi_mp_sgd_mom_update preloaded_multi_mp_sgd_update
    preloaded_multi_sgd_mom_update preloaded_multi_sgd_update rmsprop_update rmspropalex_update
    sgd_mom_update sgd_update signsgd_update signum_update sqrt square tile
array: array
collections: OrderedDict defaultdict namedtuple
contextlib: contextmanager
ctypes: CFUNCTYPE POINTER Structure c_bool c_char c_char_p c_int c_void_p cast pointer
multiprocessing.pool: ThreadPool
multiprocessing.reduction: ForkingPickler
numbers: Number
threading: Lock
"""
# Modules that are imported under other names.
_RENAMED = """
.: mx
.autograd: ag autograd
.gluon.trainer: trainer
.symbol.contrib: symbol_contrib
.base: base
.context: context ctx
.contrib.text.vocab: vocab
.contrib.text: text
.gluon.contrib.data._constants: C
.gluon.data.dataset: dataset
.gluon.data.sampler: sampler
.gluon.nn: nn
.gluon.rnn.rnn_cell: rnn_cell
.image: image
.initializer: init initializer
.kvstore: kvs
.libinfo: libinfo
.metric: metric
.ndarray: nd ndarray
.ndarray.contrib: contrib
.ndarray.op: op
.ndarray.sparse: sparse
.optimizer: opt
.recordio: recordio
.registry: registry
.symbol: sym symbol
numpy: np
numpy.random: rnd
numpy.testing: npt
scipy.sparse: spsp
scipy.stats: ss
"""
# The imports of each module; ``name=source`` if the name has another meaning there than elsewhere. A star:
# the module has no `__all__`, so ``from module import *`` imports these names, too.
_IMPORTED = """
attribute*: classproperty defaultdict string_types threading warnings with_metaclass
autograd*: CFUNCTYPE Lock MXCallbackList NDArray NDArrayHandle POINTER Symbol SymbolHandle array c_array
    c_array_buf c_handle_array c_int c_void_p cast check_call ctypes mx_uint string_types traceback
base: atexit ctypes inspect libinfo os platform re sys
callback*: logging math save_checkpoint time
context*: check_call classproperty ctypes threading warnings with_metaclass
contrib.amp: BucketingModule LossScaler NDArray Symbol SymbolHandle array base c_array_buf c_str_array
    check_call contextlib ctypes gpu lists logging mx_uint ndarray np opt symbol symbol_contrib trainer
contrib.amp.loss_scaler*: ag logging nd=.ndarray.ndarray
    multi_all_finite=.ndarray:multi_all_finite
contrib.autograd*: NDArray NDArrayHandle array c_array c_array_buf c_handle_array check_call ctypes functools
    mx_uint string_types
contrib.quantization*: Context DataBatch DataDesc DataIter Module NDArray NDArrayHandle Symbol SymbolHandle
    c_array c_str c_str_array check_call cpu ctypes logging mx_uint nd_load=.ndarray.utils:load
    nd_save=.ndarray.utils:save ndarray np os py_str shutil stats=scipy.stats sym_load=.symbol.symbol:load
    warnings
contrib.svrg_optimization.svrg_module*: Module logging mx time
contrib.svrg_optimization.svrg_optimizer*: mx
contrib.tensorboard*: logging
contrib.text.embedding*: C=.contrib.text.pretrained base is_np_array logging nd os registry tarfile vocab
    warnings zipfile
contrib.text.utils*: collections re
contrib.text.vocab*: C=.contrib.text.pretrained collections
engine*: check_call ctypes
error: MXNetError register register_error
executor*: ExecutorHandle NDArray NDArrayHandle SymbolHandle c_array_buf c_handle_array c_str_array
    check_call copy ctypes mx_int mx_uint ndarray np py_str
    py_array=array:array
executor_manager*: DataDesc cpu logging mx_real_t nd np
gluon: tensor_types
gluon.block: _brief_print_list _indent DeferredInitializationError HookHandle MXNetError NDArray OrderedDict
    Parameter ParameterDict
    Symbol copy defaultdict initializer is_np_array json load_json mx_real_t ndarray np np_array np_shape re
    symbol threading warnings
    np_symbol=.symbol.numpy
gluon.contrib.cnn.conv_layers: Activation HybridBlock numeric_types symbol
gluon.contrib.data.sampler: sampler
gluon.contrib.data.text: C base check_sha1 dataset download nd np os shutil text zipfile
gluon.contrib.estimator.batch_processor: autograd split_and_load
gluon.contrib.estimator.estimator: BatchBegin BatchEnd BatchProcessor Context DataLoader EpochBegin EpochEnd
    GradientUpdateHandler LoggingHandler MetricHandler StoppingHandler TrainBegin TrainEnd Trainer
    ValidationHandler copy cpu gpu logging num_gpus split_and_load sys warnings
    gluon_loss=.gluon.loss:Loss metric_loss=.metric:Loss
gluon.contrib.estimator.event_handler: CompositeEvalMetric EvalMetric np os time warnings
    metric_loss=.metric:Loss
gluon.contrib.estimator.utils*: Accuracy CompositeEvalMetric EvalMetric SoftmaxCrossEntropyLoss
gluon.contrib.nn.basic_layers: BatchNorm Block HybridBlock HybridSequential Sequential context nd warnings
gluon.contrib.rnn.conv_rnn_cell: HybridRecurrentCell numeric_types
    floor=math:floor
gluon.contrib.rnn.rnn_cell: BidirectionalCell HybridRecurrentCell ModifierCell SequentialRNNCell
    tensor_types
gluon.data.dataloader: ForkingPickler ThreadPool context io is_np_array is_np_shape multiprocessing nd np
    pickle set_np signal sys threading
gluon.data.dataset: ndarray os recordio
gluon.data.sampler: np
gluon.data.vision.datasets: base check_sha1 dataset download gzip image is_np_array nd np os recordio struct
    tarfile warnings
gluon.data.vision.transforms*: Block HybridBlock HybridSequential Sequential image is_np_array np
    numeric_types random
gluon.loss: HybridBlock is_np_array ndarray np numeric_types
gluon.model_zoo.model_store: apache_repo_url=.gluon.fetching:_REPOSITORY base check_sha1 download logging os
    replace_file shutil tempfile uuid zipfile
gluon.model_zoo.vision.alexnet: HybridBlock base cpu nn os
gluon.model_zoo.vision.densenet: HybridBlock HybridConcurrent Identity base cpu nn os
gluon.model_zoo.vision.inception: HybridBlock HybridConcurrent base cpu nn os
gluon.model_zoo.vision.mobilenet: HybridBlock base cpu nn os
gluon.model_zoo.vision.resnet: HybridBlock base cpu is_np_array nn os
gluon.model_zoo.vision.squeezenet: HybridBlock HybridConcurrent base cpu nn os
gluon.model_zoo.vision.vgg: HybridBlock Xavier base cpu nn os
gluon.nn*: Block HybridBlock SymbolBlock
gluon.nn.activations: HybridBlock initializer is_np_array
gluon.nn.basic_layers: _indent Activation Block HybridBlock is_np_array nd np sym warnings
gluon.nn.conv_layers: Activation HybridBlock is_np_array numeric_types symbol
gluon.parameter: _brief_print_list _indent Context MXNetError OrderedDict autograd context cpu defaultdict
    initializer is_np_array
    is_np_shape mx_real_t ndarray np shape_is_known symbol warnings
    tensor_types
gluon.rnn.rnn_cell: _indent Block HybridBlock LeakyReLU ndarray numeric_types string_types symbol
    tensor_types
gluon.rnn.rnn_layer: HybridBlock is_np_array ndarray re rnn_cell symbol
    tensor_types
gluon.trainer: _create_kvstore _create_sparse_kvstore KVStore Parameter ParameterDict opt
gluon.utils: collections hashlib is_np_array is_np_shape ndarray np os requests sys uuid warnings weakref
image*: Number cv2 io=.io is_np_array json logging nd np numeric_types os random recordio sys warnings
image.detection*: Augmenter CastAug ColorJitterAug ColorNormalizeAug ForceResizeAug HueJitterAug ImageIter
    LightingAug RandomGrayAug RandomOrderAug ResizeAug copyMakeBorder fixed_crop io=.io is_np_array json
    logging nd np numeric_types random warnings
image.image*: Number cv2 io=.io is_np_array json logging nd np numeric_types os random recordio sys warnings
initializer*: NDArray is_np_array json load logging ndarray np random=.random re registry string_types
    warnings
    sqrt=math:sqrt
io: _init_data=.io.arrays:_init_data
io.io*: CSRNDArray DataIterHandle NDArray NDArrayHandle array=.ndarray.utils:array c_str_array check_call
    ctypes logging mx_real_t mx_uint namedtuple np py_str sys threading
    concat tile
io.utils*: CSRNDArray NDArray OrderedDict array=.ndarray.utils:array np sparse_array=.ndarray.sparse:array
kvstore.base: KVStoreHandle NDArray array c_array c_array_buf c_handle_array c_str c_str_array check_call
    ctypes string_types warnings
    set_kvstore_handle=.profiler:set_kvstore_handle
kvstore.kvstore: KVStoreBase KVStoreHandle NDArray NDArrayHandle c_str check_call ctypes mx_uint opt os
    pickle py_str
libinfo*: logging os platform
library*: MXNetError check_call ctypes mx_uint os sys
log*: logging warnings
lr_scheduler*: logging
    cos=math:cos pi=math:pi
metric*: OrderedDict math ndarray numeric_types numpy registry string_types
model*: DataParallelExecutorManager _check_arguments _load_data Context DataDesc LogValidationMetricsCallback
    Uniform cpu get_updater
    io=.io kvs logging metric
    mx_real_t namedtuple nd np opt os sym time warnings
module.base_module*: DataBatch DataDesc DataIter Uniform cpu logging metric ndarray np time warnings
module.bucketing_module*: _check_input_names BaseModule Module NameManager Uniform ctx load_params logging nd
    np sym warnings
module.executor_group*: _load_data _load_general _load_label _split_input_slice DataDesc OrderedDict ctx
    logging nd
module.module*: _check_input_names _create_kvstore _initialize_kvstore _parse_data_desc _update_params
    _update_params_on_kvstore BaseModule DataDesc InitDesc Uniform ctx load_checkpoint logging nd opt
    warnings zeros
module.python_module*: BaseModule Uniform logging nd
module.sequential_module*: BaseModule Uniform copy logging
monitor*: NDArray NDArrayHandle ctypes logging ndarray py_str re
    sqrt
name*: classproperty threading warnings with_metaclass
ndarray: _new_empty_handle=.c_api.values:_new_empty_handle _DTYPE_MX_TO_NP _DTYPE_NP_TO_MX _GRAD_REQ_MAP
ndarray.contrib: current_context math mx ndarray=.ndarray.ndarray np uniform
ndarray.ndarray: Context DLPackHandle Features NDArrayHandle c_array c_array_buf c_handle_array c_str
    check_call ctypes ctypes2buffer current_context integer_types is_np_array mx_int mx_int64 mx_real_t
    mx_uint np numeric_types op operator py_slice=builtins:slice warnings
    native_array=array:array _new_empty_handle=.c_api.values:_new_empty_handle
ndarray.random: NDArray current_context numeric_types
ndarray.sparse: Context NDArray NDArrayHandle NotSupportedForSparseNDArray c_array_buf check_call ctypes
    current_context integer_types mx_real_t np numeric_types op operator py_slice=builtins:slice spsp warnings
    native_array=array:array py_sum=builtins:sum
ndarray.utils: NDArray NDArrayHandle c_array c_handle_array c_str c_str_array check_call ctypes mx_uint
    py_str spsp string_types
operator*: CFUNCTYPE Lock MXCallbackList NDArray NDArrayHandle OpHandle POINTER Structure array c_array
    c_array_buf c_bool c_char c_char_p c_int c_str c_void_p cast check_call collections context ctypes
    is_np_array mx_float mx_int mx_uint pointer py_str symbol traceback warnings
    ctypes2numpy_shared=.base:ctypes2numpy_shared
optimizer: NDabs=.ndarray:abs
optimizer.contrib: NDArray Optimizer contrib register=.optimizer.optimizer:Optimizer.register zeros
    clip mean sqrt square
optimizer.optimizer: NDArray array=.ndarray.utils:array is_np_array logging math maximum multi_lamb_update
    multi_mp_lamb_update multiply normal numpy os pickle py_str sparse warnings zeros
    NDabs=.ndarray:abs NDnorm=.ndarray:norm adam_update cast=.ndarray:cast clip ftml_update ftrl_update
    lamb_update_phase1 lamb_update_phase2 mp_lamb_update_phase1 mp_lamb_update_phase2 mp_nag_mom_update
    mp_sgd_mom_update mp_sgd_update multi_lars multi_mp_sgd_mom_update multi_mp_sgd_update multi_sgd_mom_update
    multi_sgd_update multi_sum_sq nag_mom_update preloaded_multi_mp_sgd_mom_update
    preloaded_multi_mp_sgd_update preloaded_multi_sgd_mom_update preloaded_multi_sgd_update rmsprop_update
    rmspropalex_update sgd_mom_update sgd_update signsgd_update signum_update sqrt square
profiler*: KVStoreHandle ProfileHandle c_str c_str_array check_call ctypes py_str warnings
random*: Context check_call ctypes exponential gamma generalized_negative_binomial integer_types multinomial
    negative_binomial normal poisson randint randn shuffle uniform
recordio*: RecordIOHandle c_str check_call ctypes cv2 namedtuple np numbers struct
    current_process=multiprocessing:current_process
registry*: json string_types warnings
rnn*: DataBatch DataDesc DataIter bisect functools init load_checkpoint ndarray np numeric_types random
    save_checkpoint string_types symbol warnings
rnn.io*: DataBatch DataDesc DataIter bisect ndarray np random
rnn.rnn*: BaseRNNCell load_checkpoint save_checkpoint warnings
rnn.rnn_cell*: functools init ndarray numeric_types string_types symbol warnings
runtime*: check_call collections ctypes
symbol.contrib: AttrScope Symbol SymbolHandle check_call copy ctypes math symbol=.symbol.symbol
    uniform=.symbol.random:uniform
symbol.random: Symbol numeric_types
symbol.symbol: AttrScope Context Executor ExecutorHandle MXNetError NDArray NDArrayHandle
    NotImplementedForSymbol Number SymbolHandle array c_array c_array_buf c_handle_array c_str c_str_array
    check_call ctypes current_context integer_types is_np_shape mx_int mx_int64 mx_uint numeric_types
    op=.symbol.op py_slice=builtins:slice py_str string_types warnings
test_utils*: Context Features OrderedDict Symbol array=.ndarray.utils:array bz2 contextmanager
    current_context errno get_cuda_compute_capability getenv gzip json logging mx np npt numbers os platform
    requests rnd setenv ss struct sys time traceback use_np zipfile
    np_symbol=.symbol.numpy:_Symbol
util*: c_str check_call ctypes functools inspect py_str threading
visualization*: Symbol copy json re warnings
"""


@cache
def _rows(table: str) -> dict[str, list[str]]:
    """The rows of a table; an indented line continues the row before it."""
    lines = table.strip().replace("\n    ", " ").splitlines()
    return {key: names.split() for key, names in (line.split(": ", 1) for line in lines)}


@cache
def _sources() -> dict[str, str]:
    """The source of each imported name: ``module``, or ``module:name``."""
    found = {name: module for module, names in _rows(_RENAMED).items() for name in names}
    taken = {n: f"{module}:{n}" for module, names in _rows(_SOURCES).items() for n in names}
    return {**found, **taken}


def imports_of(module: str) -> dict[str, str]:
    """The names that a module of MXNet imports.

    Parameters
    ----------
    module : its name, without ``mxnet.``

    Returns
    -------
    dict
        the source by name: ``module`` or ``module:name``; a leading dot stands for gluonic
    """
    rows, sources = _rows(_IMPORTED), _sources()
    words = [word.partition("=") for word in rows.get(module, rows.get(f"{module}*", []))]
    return {name: source or sources.get(name, name) for name, _, source in words}


def has_no_all(module: str) -> bool:
    """Whether ``from module import *`` also imports the names that the module imports."""
    return f"{module}*" in _rows(_IMPORTED)
