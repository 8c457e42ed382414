"""Compiled graphs that are found on disk compute what those that were just compiled do."""

import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from gluonic.codegen.compiled import CompiledGraph
from gluonic.codegen.lowerings.entry import lowering_of
from gluonic.codegen.machine import cache, jit
from gluonic.codegen.machine.bail_out import BailOut
from gluonic.codegen.machine.target import host
from gluonic.codegen.native import shared_kernels, stored_code
from gluonic.codegen.runtime.graph_key import sources_digest
from gluonic.codegen.shapes.facts import NotCompiledError
from gluonic.graph import Array, Entry, Graph, Node
from gluonic.graph.builder import F
from gluonic.graph.errors import MXNetError
from gluonic.graph.node import make_node
from gluonic.graph.operator import REGISTRY
from tests.codegen.agreement import new_run
from tests.codegen.growing import RandomGraph
from tests.codegen.other_shapes import CHANGES, Change, changed
from tests.codegen.random_graphs import random_graphs
from tests.face.commands import command
from tests.graph.registry_samples import SAMPLES, application_of, cast, over_operators, run_of


@pytest.fixture(scope="module")
def common_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code cache of all tests: functions that are in memory are in its files."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, common_folder: Path) -> Path:
    """The code cache; object files are linked even where their code is in memory.

    Functions of other tests, whose object files are in another folder, are out of sight.
    """
    for table in ("LIVING", "LIBRARIES"):
        monkeypatch.setattr(shared_kernels, table, WeakValueDictionary())
    monkeypatch.setenv("GLUONIC_CACHE_DIR", str(common_folder))
    monkeypatch.setenv("GLUONIC_CACHE", "1")
    monkeypatch.setattr(stored_code, "living_library", lambda *_: None)
    return common_folder


_numbers = itertools.count(5)
"""Tests have graphs of their own, each with another number in it."""


def layers() -> tuple[Graph, list[Node], list[Node], list[Array]]:
    """A convolution, a dense layer and a normalization, their inputs, their parameters, and arrays."""
    units = next(_numbers)
    x, w, filters, gamma, beta = (Node(None, name) for name in ("x", "w", "f", "gamma", "beta"))
    images = F.Convolution(x.entry(), filters.entry(), kernel=(3, 3), num_filter=4, no_bias=True)
    rows = F.FullyConnected(F.relu(images), w.entry(), num_hidden=units, no_bias=True)
    found, *_ = F.LayerNorm(rows, gamma.entry(), beta.entry())
    random = np.random.default_rng(0)
    shapes = [(2, 3, 6, 6), (units, 64), (4, 3, 3, 3), (units,), (units,)]
    arrays = [random.standard_normal(shape).astype("float32") for shape in shapes]
    return Graph([found]), [x, w, filters, gamma, beta], [w, filters, gamma, beta], arrays


def is_from_disk(compiled: CompiledGraph) -> bool:
    """Whether nothing of the graph had to be specialized."""
    return "specializer" not in vars(compiled)


def assert_equal(found: Sequence[Array], expected: Sequence[Array], what: str = "") -> None:
    """Compare bit by bit."""
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other, what)
        assert one.dtype == other.dtype, what


def test_a_graph_from_disk_computes_the_same_for_the_first_and_for_other_batches() -> None:
    graph, inputs, parameters, arrays = layers()
    first = CompiledGraph(graph, inputs, parameters)
    expected = first(arrays, new_run())
    stored = CompiledGraph(graph, inputs, parameters)
    assert_equal(stored(arrays, new_run()), expected)
    assert is_from_disk(stored)
    assert not is_from_disk(first)
    for batch in (5, 1, 2):
        images = np.resize(arrays[0], (batch, 3, 6, 6))
        others = [images, *arrays[1:]]
        assert_equal(stored(others, new_run()), first(others, new_run()))
    (specialization,) = stored.specializations
    assert specialization.call == first.specializations[0].call
    assert {binding.executable for binding in stored.bindings.values()} == {
        specialization.executable
    }
    assert "code" not in vars(specialization), "the code on disk serves all batches"


def test_prepacked_values_of_a_graph_from_disk_follow_its_parameters() -> None:
    graph, inputs, parameters, arrays = layers()
    CompiledGraph(graph, inputs, parameters)(arrays, new_run())
    stored = CompiledGraph(graph, inputs, parameters)
    before = stored(arrays, new_run())
    assert stored.cache_info().prepackings == 1
    stored(arrays, new_run())
    assert stored.cache_info().prepackings == 1
    other = [arrays[0], *(-array for array in arrays[1:])]
    found = stored(other, new_run())
    assert not np.array_equal(found[0], before[0])
    assert_equal(found, CompiledGraph(graph, inputs, parameters)(other, new_run()))


def test_a_graph_from_disk_can_be_explained_and_counted() -> None:
    from gluonic.codegen.inspection.explain import explain

    graph, inputs, parameters, arrays = layers()
    first, stored = (CompiledGraph(graph, inputs, parameters) for _ in range(2))
    told = explain(first.binding(arrays), graph)
    binding = stored.binding(arrays)
    info = stored.cache_info()
    assert (info.specializations, info.disk_hits, info.misses) == (1, 1, 1)
    again = explain(binding, graph)
    assert again.code_origin is not None
    assert again.code_origin.from_disk
    assert again.code_origin.functions == info.functions > 0
    assert [str(step) for step in again.steps] == [str(step) for step in told.steps]
    assert again.code == told.code
    assert again.memory == told.memory


@over_operators()
def test_every_operator_from_disk_computes_the_same(name: str, thorough: bool) -> None:
    for sample in SAMPLES[name] if thorough else SAMPLES[name][:1]:
        application = application_of(name, sample)
        variables = [Node(None, name) for name in application.inputs]
        node = Node(application, "node", [v.entry() for v in variables])
        graph = Graph([node.entry(i) for i in range(node.output_count)])
        results = []
        for _ in range(2):
            compiled = CompiledGraph(graph, variables)
            try:
                results.append(compiled(cast(sample, None), run_of(sample)))
            except NotCompiledError:
                assert application.op.dynamic
                return
        binding = next(iter(compiled.bindings.values()))
        executable = binding.executable
        if is_from_disk(compiled):
            expected, found = results
            assert_equal(found, expected, name)
            (specialization,) = compiled.specializations
            assert specialization.executable is executable
        else:
            assert not executable.is_native or application.op.native or not executable.library


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.function_scoped_fixture,  # all examples may share a folder
    ],
)
@given(random_graphs(most=12), CHANGES)
def test_random_graphs_from_disk_compute_the_same_for_shapes_that_change(
    random: RandomGraph, changes: list[Change]
) -> None:
    first, stored = (CompiledGraph(random.graph, random.variables) for _ in range(2))
    shapes = [a.shape for a in random.arrays]
    for change in ((True, (0,)), *changes):
        arrays = [
            np.resize(a, s) if a.size else np.ones(s, a.dtype)
            for a, s in zip(random.arrays, changed(shapes, change), strict=True)
        ]
        try:
            expected = first([a.copy() for a in arrays], new_run(random.train))
        except (MXNetError, NotCompiledError, BailOut) as error:
            with pytest.raises(type(error)):
                stored([a.copy() for a in arrays], new_run(random.train))
            continue
        assert_equal(stored([a.copy() for a in arrays], new_run(random.train)), expected)


def scaled_sum(number: int, **changed: Any) -> tuple[Graph, list[Node]]:
    x = Node(None, changed.get("name", "x"))
    total = make_node("sum", [F.tanh(x.entry() * number)], {"axis": changed.get("axis", 1)})
    outputs: list[Entry] = [total.entry(), x.entry()]
    return Graph(outputs[: changed.get("outputs", 1)]), [x]


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        ({}, True),
        ({"name": "y"}, True),
        ({"axis": 0}, False),
        ({"outputs": 2}, False),
        ({"shape": (2, 4)}, False),
        ({"dtype": "float64"}, False),
        ({"is_parameter": True}, False),
        ({"data": ()}, False),
    ],
)
def test_a_graph_is_found_under_all_that_determines_its_code(
    change: dict[str, Any], is_same: bool
) -> None:
    number = next(_numbers)

    def called(**changed: Any) -> CompiledGraph:
        graph, inputs = scaled_sum(number, **changed)
        parameters = inputs if changed.get("is_parameter") else ()
        compiled = CompiledGraph(graph, inputs, parameters, changed.get("data"))
        compiled(
            [np.ones(changed.get("shape", (2, 3)), changed.get("dtype", "float32"))], new_run()
        )
        return compiled

    called()
    assert is_from_disk(called(**change)) == is_same


@pytest.mark.usefixtures("many_processors")
@pytest.mark.parametrize(
    ("variable", "value"),
    [("GLUONIC_NUM_THREADS", "3"), ("GLUONIC_CPU", "x86-64-v2"), ("GLUONIC_WINOGRAD", "0")],
)
def test_other_threads_processors_and_algorithms_have_code_of_their_own(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    graph, inputs = scaled_sum(next(_numbers))
    arrays = [np.ones((2, 3), "float32")]
    CompiledGraph(graph, inputs)(arrays, new_run())
    monkeypatch.setenv(variable, value)
    other = CompiledGraph(graph, inputs)
    other(arrays, new_run())
    assert not is_from_disk(other)


@pytest.mark.parametrize("which", ["objects", "0"])
def test_graphs_are_not_stored_where_the_environment_says_so(
    monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    monkeypatch.setenv("GLUONIC_CACHE", which)
    number = next(_numbers)
    for _ in range(2):
        graph, inputs = scaled_sum(number)
        compiled = CompiledGraph(graph, inputs)
        compiled([np.ones((2, 3), "float32")], new_run())
        assert not is_from_disk(compiled)


def test_a_graph_of_which_python_runs_a_part_is_not_stored(folder: Path) -> None:
    assert lowering_of(REGISTRY["sort"]).python
    x = Node(None, "x")
    graph = Graph([F.tanh(F.sort(x.entry())[0])])
    for _ in range(2):
        compiled = CompiledGraph(graph, [x])
        compiled([np.ones((2, 3), "float32")], new_run())
        assert not is_from_disk(compiled)


@pytest.mark.parametrize("fault", ["missing", "damaged"])
def test_a_graph_whose_object_file_is_gone_is_compiled_again(tmp_path: Path, fault: str) -> None:
    program = (
        "import hashlib, sys; from gluonic import nd; from gluonic.gluon import nn; "
        "net = nn.HybridLambda(lambda F, x: F.tanh(x) * 2); net.hybridize(); y = net(nd.arange(9)); "
        "print(hashlib.sha256(y.asnumpy()).hexdigest(), 'gluonic.codegen.specializer' in sys.modules)"
    )

    def run() -> list[str]:
        found = command("-c", program, GLUONIC_CACHE_DIR=str(tmp_path))
        assert not found.stderr
        return found.stdout.split()

    digest, _ = run()
    assert run() == [digest, "False"]
    for file in tmp_path.glob("*.object"):
        is_code = file.read_bytes()[len(b"gluonic object 2\n") + 32 :][:1] != b"{"
        if is_code and fault == "missing":
            file.unlink()
        elif is_code:
            file.write_bytes(file.read_bytes()[:-1] + b"?")
    assert run() == [digest, "True"]
    assert run() == [digest, "False"]


def test_exchanged_files_of_the_cache_change_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_CACHE_DIR", str(tmp_path))
    sums: list[Any] = [(*scaled_sum(next(_numbers)), [], [np.ones((2, 3))]) for _ in range(2)]
    graphs = [layers(), *sums]
    expected = [_computed(*each) for each in graphs]
    entries = sorted(tmp_path.iterdir())
    assert len(entries) >= 2 * len(graphs)
    kept = [entry.read_bytes() for entry in entries]
    numbers = range(len(entries))
    pairs = [{one: other, other: one} for one, other in itertools.combinations(numbers, 2)]
    draw = np.random.default_rng(0)
    orders = [dict(enumerate(draw.permutation(len(entries)))) for _ in range(30)]
    for exchanged in [*pairs, *orders]:
        for entry, number in zip(entries, numbers, strict=True):
            entry.write_bytes(kept[exchanged.get(number, number)])
        for each, wanted in zip(graphs, expected, strict=True):
            assert_equal(_computed(*each), wanted, f"{exchanged}")


@pytest.mark.parametrize("what", ["no text", "no binding", "another binding", "no code"])
def test_an_entry_that_does_not_fit_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setenv("GLUONIC_CACHE_DIR", str(tmp_path))
    graph, inputs, parameters, arrays = layers()
    expected = _computed(graph, inputs, parameters, arrays)
    names = [path.stem for path in tmp_path.iterdir()]
    contents = {name: cache.read(name) or b"" for name in names}
    (binding,) = [name for name, content in contents.items() if content.startswith(b"{")]
    if what == "another binding":
        other = contents[binding].replace(b"[[2,3,6,6]", b"[[2,3,7,6]")
        assert other != contents[binding]
        cache.store(binding, other)
    elif what == "no code":
        empty = jit.compile_object("define void @other() {\n ret void\n}\n", host())
        for name in names:
            if name != binding:
                cache.store(name, empty)
    else:
        cache.store(binding, {"no text": b"\xff", "no binding": b'{"libraries": []}'}[what])
    again = CompiledGraph(graph, inputs, parameters)
    assert_equal(again(arrays, new_run()), expected)
    assert not is_from_disk(again)
    third = CompiledGraph(graph, inputs, parameters)
    assert_equal(third(arrays, new_run()), expected)
    assert what == "no code" or is_from_disk(third), "it was stored again"


def _computed(
    graph: Graph, inputs: list[Node], parameters: list[Node], arrays: list[Array]
) -> list[Array]:
    return CompiledGraph(graph, inputs, parameters)(arrays, new_run())


def test_functions_shared_with_another_graph_are_found_on_disk_without_it() -> None:
    """The second graph was compiled while the first, whose products it shares, was in memory."""
    program = """
        import sys, hashlib
        from gluonic import nd
        from gluonic.gluon import nn
        def net(*units):
            made = nn.HybridSequential()
            for number in units:
                made.add(nn.Dense(number, in_units=64, activation="tanh"))
            made.initialize()
            made.hybridize()
            return made
        x = nd.arange(128 * 64).reshape((128, 64)) / 1000
        first, second = net(64), net(64, 64)
        if "both" in sys.argv:
            first(x)
        digest = hashlib.sha256(second(x).asnumpy())
        told = "gluonic.codegen.specializer" in sys.modules, second.cache_info().shared_functions > 0
        digest.update(second(x[:50]).asnumpy())
        assert second.cache_info().prepackings == 1, "the code on disk serves the other batch, too"
        print(digest.hexdigest(), *told)
    """
    lines = [line[8:] for line in program.splitlines()]
    both, alone = (
        command("-c", "\n".join(lines), which, PYTHONHASHSEED=seed)
        for seed, which in (("1", "both"), ("2", "alone"))
    )
    digest, *told = both.stdout.split()
    assert told == ["True", "True"], both.stderr
    assert alone.stdout.split() == [digest, "False", "False"], alone.stderr


def test_steps_that_threads_share_are_loaded_with_their_workers() -> None:
    program = (
        "import hashlib, sys; from gluonic import nd; from gluonic.gluon import nn; "
        "net = nn.HybridLambda(lambda F, x: F.tanh(x) * 2); net.hybridize(); "
        "y = net(nd.arange(1 << 20)); "
        "print(hashlib.sha256(y.asnumpy()).hexdigest(), 'gluonic.codegen.specializer' in sys.modules)"
    )
    first, again = (command("-c", program, GLUONIC_NUM_THREADS="2") for _ in range(2))
    digest, is_new = first.stdout.split()
    assert is_new == "True"
    assert again.stdout.split() == [digest, "False"], again.stderr


def test_entries_of_graphs_are_counted_with_the_others(folder: Path) -> None:
    before = cache.sizes()
    graph, inputs = scaled_sum(next(_numbers))
    CompiledGraph(graph, inputs)([np.ones((2, 3), "float32")], new_run())
    after = cache.sizes()
    assert before is not None
    assert after is not None
    assert len(after) == len([*folder.glob("*.object")]) == len(before) + 2


def test_a_graph_from_disk_is_dumped_like_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    graph, inputs, parameters, arrays = layers()
    CompiledGraph(graph, inputs, parameters)(arrays, new_run())
    monkeypatch.setenv("GLUONIC_DUMP", str(tmp_path))
    CompiledGraph(graph, inputs, parameters)(arrays, new_run())
    assert len([*tmp_path.glob("*.optimised.ll")]) == 1


def test_graphs_are_stored_for_the_very_sources_that_are_there(tmp_path: Path) -> None:
    def digest(name: str) -> str | None:
        return sources_digest(str(tmp_path / name))

    def write(name: str, text: str, time: int = 1_000_000_000) -> None:
        for folder in ("codegen/loops", "graph", "support"):
            file = tmp_path / name / folder / "module.py"
            file.parent.mkdir(parents=True)
            file.write_text(text)
            os.utime(file, (time, time))

    assert digest("missing") is None
    for folder in ("codegen", "graph", "support"):
        (tmp_path / "bare" / folder).mkdir(parents=True)
    assert digest("bare") is None, "a program without sources"
    write("one", "x = 1")
    write("same", "x = 1")
    write("longer", "x = 11")
    write("later", "x = 1", 1_000_000_001)
    assert digest("one") == digest("same") is not None
    assert len({digest(name) for name in ("one", "longer", "later")}) == 3
