"""Any fault of a library becomes an error that describes it; the process survives."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gluonic as mx
from gluonic import autograd, nd, sym
from gluonic.extension.signatures import functions
from gluonic.graph.errors import MXNetError
from gluonic.graph.operator import REGISTRY
from tests.extension.building import Builder

HEAD = '#include "mxnet/lib_api.h"\nusing namespace mxnet::ext;\n'
INITIALIZE = "MXReturnValue initialize(int) { return MX_SUCCESS; }\n"


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    ("place", "function"),
    [
        ("parse", "ParseAttrs"),
        ("type", "InferType"),
        ("storage", "InferSType"),
        ("shape", "InferShape"),
        ("forward", "FCompute"),
    ],
)
def test_a_failing_function_is_named_with_the_library_s_message(place: str, function: str) -> None:
    with pytest.raises(MXNetError) as caught:
        nd.probe_fail(nd.ones(2), at=place)
    message = str(caught.value)
    assert message.startswith(f"Error calling {function} for custom operator 'probe_fail'")
    assert "probe.cc" in message
    assert f"failed in {place}" in message


@pytest.mark.usefixtures("probe")
def test_only_new_messages_are_shown() -> None:
    for _ in range(2):
        with pytest.raises(MXNetError) as caught:
            nd.probe_fail(nd.ones(2), at="forward")
        assert str(caught.value).count("failed in") == 1


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize("place", ["parse", "type", "storage", "shape", "forward"])
@pytest.mark.parametrize(("how", "text"), [("throw", "thrown in"), ("throw-int", "exception")])
def test_an_exception_of_the_library_becomes_a_python_error(
    place: str, how: str, text: str
) -> None:
    with pytest.raises(MXNetError, match=text):
        nd.probe_fail(nd.ones(2), at=place, how=how)
    assert nd.probe_fail(nd.ones(2)).asnumpy().tolist() == [1, 1]


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize("how", ["message", "throw"])
def test_a_failing_backward_is_an_error(how: str) -> None:
    x = nd.ones(2)
    x.attach_grad()
    with autograd.record():
        y = nd.probe_fail(x, at="backward", how=how)
    with pytest.raises(MXNetError, match="FCompute for custom operator 'probe_fail'"):
        y.backward()


@pytest.mark.usefixtures("probe")
def test_a_failure_in_a_graph_names_the_node_and_the_line() -> None:
    symbol = sym.probe_fail(sym.var("x"), at="shape", name="culprit")
    with pytest.raises(MXNetError) as caught:
        symbol.infer_shape(x=(2,))
    assert "failed in shape" in str(caught.value)
    assert "test_failures.py" in str(caught.value)
    assert "shape (2,) from x" in str(caught.value)


@pytest.mark.usefixtures("probe")
@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"type": 77}, "unknown type 77"),
        ({"type": -1}, "leaves output 0 without a dtype"),
        ({"type": 7}, "unknown type 7"),
        ({"outputs": 0}, "1 inputs and 0 outputs"),
        ({"storage": 5}, "unknown storage type 5"),
        ({"drop_shape": 1}, "leaves output 0 without a shape"),
        ({"more_shapes": 1}, "inferShape changed the number of shapes"),
    ],
)
def test_wrong_answers_of_a_library_are_refused(attributes: dict[str, int], message: str) -> None:
    with pytest.raises(MXNetError, match=message):
        nd.probe_fail(nd.ones(2), **attributes)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(MXNetError, match=r"missing\.so does NOT exist"):
        mx.library.load(tmp_path / "missing.so")
    with pytest.raises(MXNetError, match="does NOT exist"):
        mx.library.load(5)  # type: ignore[arg-type]


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    (tmp_path / "a.so").write_text("text")
    with pytest.raises(MXNetError, match="is NOT a library file"):
        mx.library.load(tmp_path / "a.txt")
    with pytest.raises(MXNetError, match="Error loading library"):
        mx.library.load(tmp_path / "a.so")


def test_a_library_of_another_kind_is_refused(build: Builder) -> None:
    library = build.text("other", 'extern "C" int answer() { return 42; }')
    with pytest.raises(MXNetError, match="Error getting function '_opVersion'"):
        mx.library.load(library)


@pytest.mark.parametrize(("version", "reason"), [(2, "before MXNet 1.7"), (12, "newer header")])
def test_an_unknown_version_is_refused(build: Builder, version: int, reason: str) -> None:
    code = f'extern "C" int _opVersion() {{ return {version}; }}'
    with pytest.raises(MXNetError, match=f"Library version .{version}. cannot be loaded.*{reason}"):
        mx.library.load(build.text(f"version{version}", code))


def test_a_library_whose_initialization_fails_is_refused(build: Builder) -> None:
    code = HEAD + (
        "MXReturnValue initialize(int version) {\n"
        '  MX_ERROR_MSG << "not with " << version;\n  return MX_FAIL;\n}\n'
    )
    with pytest.raises(MXNetError, match="Library failed to initialize") as caught:
        mx.library.load(build.text("unwilling", code))
    assert "not with 10901" in str(caught.value)


def test_an_incomplete_library_leaves_the_registry_as_it_was(build: Builder) -> None:
    code = (
        HEAD
        + INITIALIZE
        + """
MXReturnValue one(const Attributes&, int* in, int* out) { *in = *out = 1; return MX_SUCCESS; }
MXReturnValue run(const Attributes&, Tensors*, Tensors*, const OpResource&) { return MX_SUCCESS; }
MXReturnValue type(const Attributes&, std::vector<int>*, std::vector<int>*) { return MX_SUCCESS; }
MXReturnValue shape(const Attributes&, Shapes*, Shapes*) { return MX_SUCCESS; }
REGISTER_OP(whole).setForward(run).setParseAttrs(one).setInferType(type).setInferShape(shape);
REGISTER_OP(half).setForward(run).setParseAttrs(one).setInferType(type);
"""
    )
    before = set(REGISTRY)
    with pytest.raises(MXNetError, match="'half' custom op, InferShape function was not set"):
        mx.library.load(build.text("half", code))
    assert set(REGISTRY) == before


def test_an_exception_while_the_library_is_opened_does_not_end_the_process(build: Builder) -> None:
    code = (
        HEAD
        + INITIALIZE
        + """
MXReturnValue run(const Attributes&, Tensors*, Tensors*, const OpResource&) { return MX_SUCCESS; }
REGISTER_OP(twice).setForward(run, "cpu").setForward(run, "cpu");
"""
    )
    with pytest.raises(MXNetError, match="two functions for the same purpose on cpu"):
        mx.library.load(build.text("twice", code))


def test_a_library_is_printed_as_it_is_loaded(build: Builder) -> None:
    path = build("subgraph")
    code = (
        "import sys, gluonic; gluonic.library.load(sys.argv[1]); gluonic.library.load(sys.argv[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path.name],
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(mx.__file__).parent.parent), "HOME": str(path.parent)},
    )
    once = [
        "Found 1 operators in library",
        "\tOp[0] _elementwise_subgraph",
        "\t\tisSubgraphOp",
        "Found 2 partitioners in library",
        "\tPartitioner[0] elementwise",
        "\t\tStrategy[0] all subgraphOp: '_elementwise_subgraph'",
        "\tPartitioner[1] chains",
        "\t\tStrategy[0] chain subgraphOp: '_elementwise_subgraph'",
        "Found 0 graph passes in library",
    ]
    assert done.stdout.splitlines() == once * 2


def test_loading_a_recompiled_library_loads_the_new_code(build: Builder) -> None:
    code = (
        HEAD
        + INITIALIZE
        + """
REGISTER_OP(answer)
    .setParseAttrs([](const Attributes&, int* in, int* out) {
      *in = *out = 1;
      return MX_SUCCESS;
    })
    .setInferType([](const Attributes&, std::vector<int>* in, std::vector<int>* out) {
      *out = *in;
      return MX_SUCCESS;
    })
    .setInferShape([](const Attributes&, Shapes* in, Shapes* out) {
      *out = *in;
      return MX_SUCCESS;
    })
    .setForward([](const Attributes&, Tensors*, Tensors* out) {
      out->at(0).data<float>()[0] = ANSWER;
      return MX_SUCCESS;
    });
"""
    )
    for answer in ("1", "2"):
        library = build.folder / "libanswer.so"
        library.unlink(missing_ok=True)
        mx.library.load(build.text("answer", code.replace("ANSWER", answer)), verbose=False)
        assert nd.answer(nd.zeros(1)).asscalar() == float(answer)


STEPS = ("opening it", "asking for its version", "initializing it", "reading what it registers")
WAYS = {
    "exit0": "with status 0",
    "exit3": "with status 3",
    "abort": "with signal 6",
    "write": "with signal 11",
    "throw": "thrown text",
}
_ENDING = """
#include <cstdlib>
#include <stdexcept>
#include <string>

static void end_at(const char* step) {
  const char* asked = std::getenv("END_AT");
  if (!asked || std::string(asked) != step) return;
  std::string way = std::getenv("END_BY");
  if (way == "exit0") std::exit(0);
  if (way == "exit3") std::exit(3);
  if (way == "abort") std::abort();
  if (way == "write") *(volatile int*)8 = 1;
  throw std::runtime_error("thrown text");
}

struct Ends { Ends() { end_at("opening it"); } };
static Ends ends;

extern "C" {
int _opVersion() { end_at("asking for its version"); return 11; }
int initialize(int) { end_at("initializing it"); return 1; }
int _opRegSize() { return 1000; }
int _opRegGet(int, ...) { end_at("reading what it registers"); return 0; }
"""


@pytest.fixture(scope="session")
def ending(build: Builder) -> Path:
    """A library that ends the process where and in the way that the environment says."""
    own = ("_opVersion", "initialize", "_opRegSize", "_opRegGet")
    others = [f"int {name}(...) {{ return 0; }}" for name in functions(11) if name not in own]
    return build.text("ending", "\n".join([_ENDING, *others, "}"]))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("step", STEPS)
def test_a_library_that_ends_the_process_is_refused(
    ending: Path, step: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("END_AT", step)
    monkeypatch.setenv("END_BY", way)
    with pytest.raises(MXNetError, match="Error loading library") as caught:
        mx.library.load(ending)
    assert WAYS[way] in str(caught.value)
    assert step in str(caught.value)


@pytest.mark.parametrize("name", ["initialize", "_opCallFree"])
def test_a_library_that_lacks_a_function_is_refused(build: Builder, name: str) -> None:
    """One that loading calls, or one that nothing calls before an operator runs."""
    bodies = {"_opVersion": "return 11", "initialize": "return 1", name: "return missing()"}
    functions_of_it = [
        f"int {one}(...) {{ {bodies.get(one, 'return 0')}; }}" for one in functions(11)
    ]
    code = "\n".join(["int missing();", 'extern "C" {', *functions_of_it, "}"])
    with pytest.raises(MXNetError, match=r"(?s)Error loading library.*undefined symbol.*missing"):
        mx.library.load(build.text(f"lacking{name}", code))


@pytest.fixture(scope="session")
def library_of_nothing(build: Builder) -> bytes:
    """A library that registers no operators."""
    return build.text("nothing", HEAD + INITIALIZE).read_bytes()


@pytest.mark.parametrize("claimed", [7, 8, 10])
def test_a_library_of_another_version_than_it_says_is_refused(
    library_of_nothing: bytes, tmp_path: Path, claimed: int
) -> None:
    path, code = tmp_path / "libliar.so", library_of_nothing
    version, changed = b"\xb8\x0b\0\0\0", b"\xb8%c\0\0\0" % claimed  # mov eax, 11
    if platform.machine() != "x86_64" or version not in code:
        pytest.skip("this test changes machine code of x86-64")
    path.write_bytes(code.replace(version, changed))
    with pytest.raises(MXNetError, match=r"is not what it says|ends the process"):
        mx.library.load(path)


def test_a_file_is_tried_once_for_each_content(
    build: Builder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tried: list[str] = []
    run = subprocess.run

    def counted(command: list[str], **settings: Any) -> Any:
        tried.append(command[-3])
        return run(command, **settings)

    path = build.text("tried", HEAD + INITIALIZE + f"int number = {os.getpid()};")
    copies = [Path(shutil.copy(path, tmp_path / f"{name}.so")) for name in "ab"]
    monkeypatch.setattr(subprocess, "run", counted)
    for one in (path, *copies):
        mx.library.load(one, verbose=False)
    assert tried == [str(path)]
    code = "import sys, subprocess, gluonic; del subprocess.run; gluonic.library.load(sys.argv[1])"
    monkeypatch.undo()
    done = run([sys.executable, "-c", code, copies[0]], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
