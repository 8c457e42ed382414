"""What of the house's counts must not grow again."""

import ast

import pytest

from tests import house

OF_MXNET = {
    *("BidirectionalCell", "DropoutCell", "GRUCell", "LSTMCell", "ModifierCell", "RNNCell"),
    *("ResidualCell", "SequentialRNNCell", "ZoneoutCell"),
    *("Constant", "Loss"),
}
"""MXNet itself has two public classes of that name."""


def test_a_class_has_a_name_of_its_own() -> None:
    alike = house.homonyms()
    assert alike, "nothing was looked at"
    assert alike.keys() == OF_MXNET


def test_files_are_short() -> None:
    lengths = house.lines_of_files()
    assert not [house.module_name(path) for path, lines in lengths.items() if lines > 400]


def test_functions_do_their_work_in_few_lines() -> None:
    assert not [name for name, lines in house.lines_of_bodies().items() if lines > 50]


def test_modules_do_not_import_each_other() -> None:
    assert len(house.trees()) > 500
    assert not house.circles("top")


def test_applications_of_known_operator_nodes_are_read_by_the_property() -> None:
    claims = {
        f"{house.module_name(path)}: {ast.unparse(node)}"
        for path, node in house.all_nodes()
        if isinstance(node, ast.Assert)
        and ast.unparse(node.test).endswith(".application is not None")
    }
    assert not claims, "`node.applied` is the application, and raises where there is none"


CIRCLES_OF_FUNCTIONS = {
    "gluonic.ndarray.array": "methods of the class return arrays of the one that mx.np derives from it",
    "gluonic.symbol.symbol": "so do those of symbols",
}
"""A module of each group of modules that import each other at the latest in functions, and why they do."""


def test_circles_of_imports_in_functions_have_a_reason() -> None:
    found = house.circles("top", "late")
    assert all(any(known in circle for circle in found) for known in CIRCLES_OF_FUNCTIONS)
    assert len(found) == len(CIRCLES_OF_FUNCTIONS)


CIRCLES = {
    "gluonic.gluon.block": "a block can be drawn, summed up and traced, and what does that knows blocks",
    "gluonic.gluon.contrib.estimator.estimator": "handlers of events are given the estimator that calls them",
    "gluonic.codegen.maths.values": "the operators of a value write code, and what writes code makes values",
    "gluonic.symbol.symbol": "a symbol binds itself to an executor, which knows its symbol",
    "gluonic.gluon.parameter_values": "what complains about a parameter's values is given them",
    "gluonic.graph.operator": "an operator makes applications of itself",
    "gluonic.ndarray.array": "an array refers to its entry on the tape, which holds arrays",
    "gluonic.model": "type checkers find `FeedForward` there, as in MXNet, and it saves checkpoints",
}
"""A module of each group of modules that know each other, imports for types alone included, and why they do."""


def test_circles_of_modules_have_a_reason() -> None:
    found = house.circles("top", "late", "types")
    unknown = [circle for circle in found if CIRCLES.keys().isdisjoint(circle)]
    assert not unknown
    assert all(any(known in circle for circle in found) for known in CIRCLES), "a circle is gone"


NAMES_OF_OPERATORS = {
    "gluonic.codegen.control_flow": "it defines loops and branches",
    "gluonic.codegen.cuda.operator_steps": "it is the table of hand-written kernels for GPUs",
    "gluonic.codegen.threads.rules": "it is the table of kernels with a thread for each piece of work",
    "gluonic.codegen.maths.mxnet": "functions in expressions of operators are called as operators are",
    "gluonic.codegen.tracing.elements": "some of NumPy's functions of elements are called as operators are",
    "gluonic.codegen.tracing.functions": "some of NumPy's functions of arrays are called as operators are",
}
"""The modules of the compiler that name operators outside their entries, and why they do."""


def test_operators_are_known_by_their_entries() -> None:
    found = {house.module_name(path) for path in house.operator_names()}
    assert found == NAMES_OF_OPERATORS.keys(), "what is known of one stands in its entry"


def test_attributes_that_other_files_read_are_public() -> None:
    assert len(house.private_accesses()) <= 20, "an attribute that other files read is public"


MXNETS_PRIVATE = {
    *(
        "_data",
        "_grad",
        "_finish_deferred_init",
        "_init_impl",
        "_load_init",
        "_params",
        "_get_impl",
    ),  # parameters
    *(
        "_active",
        "_cached_graph",
        "_cached_op",
        "_cached_op_args",
        "_children",
        "_clear_cached_op",
        "_get_graph",
        "_out_format",
    ),  # blocks
    *(
        "_collect_params_with_prefix",
        "_forward_hooks",
        "_flatten",
        "_regroup",
        "_reg_params",
        "_hidden_size",
        "_kwargs",
    ),  # blocks
    *(
        "_init_kvstore",
        "_kv_initialized",
        "_kvstore",
        "_update_on_kvstore",
        "_updaters",
    ),  # trainers
    *(
        "_get_lr",
        "_get_wd",
        "_update_count",
        "_index_update_count",
        "_set_updater",
        "_barrier",
    ),  # optimizers, key-value stores
    *("_exec_group", "_mod_aux"),  # modules
    *(
        *("_split_input_slice", "_load_data", "_load_label", "_check_arguments", "_create_kvstore"),
        *("_initialize_kvstore", "_update_params", "_update_params_on_kvstore"),
        *("_parse_data_desc", "_check_input_names", "_as_list", "_check_names_match"),
        *("_create_sparse_kvstore", "_train_multi_device"),
    ),  # training loops
    *("_iter", "_get_interp_method", "_init_data", "_DownloadedDataset"),  # data
    *("_format_sequence", "_get_begin_state"),  # recurrent cells
    *("_mask_sequence_variable_length", "_reverse_sequences"),
    *("_brief_print_list", "_indent", "_infer_weight_shape"),  # layers
    *(
        "_apply_weighting",
        "_reshape_like",
        "_get_repo_file_url",
        "_get_repo_url",
        "_model_sha1",
    ),  # losses, files of models
    *(
        "_as_in_context",
        "_fresh_grad",
        "_internal",
        "_set_attr",
        "_Symbol",
        "_get_builtin_op",
        "_numpy_op_doc",
    ),  # arrays, symbols
    *("_init_weight",),  # initializers
    *("_amp_initialized", "_amp_loss_scaler"),  # mixed precision
    *("_get_optimal_threshold", "_LayerHistogramCollector", "_smooth_distribution"),  # quantization
    *("_LIB", "_Null"),  # mx.base
}
"""What MXNet 1.9.1 itself calls so, and programs read or call: tests ask for it by the only name there is."""

OF_LIBRARIES = {
    "_Pickler": "pickle's, written in Python, whose steps can be overridden",
    "_lock": "llvmlite's, which a signal must never leave closed",
}


def test_tests_read_no_private_names_but_those_that_programs_read() -> None:
    read = house.privates_read_by_tests().keys()
    assert read == MXNETS_PRIVATE | OF_LIBRARIES.keys()


def test_arithmetic_on_addresses_is_written_by_methods() -> None:
    assert house.instructions_as_text() <= 59, "`machine/integers.py` has methods for them"


def test_no_test_returns_before_its_first_check() -> None:
    assert not house.silent_ends(), "what is known is asserted there, too"


@pytest.mark.parametrize(
    ("end", "is_silent"),
    [
        ("if x: return", True),
        ("try: f()\n except E: pass", True),
        ("for x in y:\n  try: f()\n  except E: continue", True),
        ("if x:\n  assert y\n  return", False),
        ("try: f()\n except E as error: assert error", False),
        ("class C:\n  def f(self): return", False),
        ("for x in y:\n  if x: continue", False),
    ],
)
def test_a_silent_end_is_found(end: str, is_silent: bool) -> None:
    (function,) = ast.parse(f"def test():\n {end}").body
    assert bool([*house.silent_lines(function)]) == is_silent
