"""The table of processors is what LLVM knows, and what is chosen for a GPU is in it."""

import subprocess
import sys

import pytest
from llvmlite import binding as llvm

from gluonic.device.errors import NoDeviceError
from gluonic.device.processors import (
    FIRST_PTX,
    PTX_OF_CUDA,
    PTX_OF_LLVM,
    Processor,
    Version,
    choose,
    number_of,
    ptx_of_cuda,
    ptx_of_llvm,
)

LLVM = llvm.llvm_version_info[0]
PTX_VERSIONS = sorted({*FIRST_PTX.values(), *PTX_OF_CUDA.values(), *PTX_OF_LLVM.values()})
MODULE = """
target triple = "nvptx64-nvidia-cuda"
define ptx_kernel void @k(ptr addrspace(1) %p, i64 %n) {
  store i64 %n, ptr addrspace(1) %p
  ret void
}
"""
COMPILE = f"""
import sys
from llvmlite import binding as llvm
llvm.initialize_all_targets()
llvm.initialize_all_asmprinters()
target, module = llvm.Target.from_triple("nvptx64-nvidia-cuda"), llvm.parse_assembly('''{MODULE}''')
for pair in sys.argv[1:]:
    name, ptx = pair.split(":")
    machine = target.create_target_machine(cpu=name, features="+ptx" + ptx.replace(".", ""))
    text = machine.emit_assembly(module).splitlines()
    if ".version " + ptx in text and ".target " + name in text:
        print(pair, flush=True)
"""


def compiled(*pairs: tuple[str, Version]) -> list[tuple[str, Version]]:
    """The pairs for which LLVM writes a kernel; another process tries, and ends where LLVM ends it."""
    texts = {f"{name}:{major}.{minor}": (name, (major, minor)) for name, (major, minor) in pairs}
    command = [sys.executable, "-c", COMPILE, *texts]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [texts[line] for line in done.stdout.split()]


KNOWN = [name for name, first in FIRST_PTX.items() if first <= ptx_of_llvm(LLVM)]
"""The processors that this LLVM knows."""


def test_llvm_knows_each_processor_from_its_first_version_on() -> None:
    newest = ptx_of_llvm(LLVM)
    pairs = [(name, ptx) for name in KNOWN for ptx in {FIRST_PTX[name], newest}]
    assert pairs
    assert compiled(*pairs) == pairs


@pytest.mark.parametrize("name", ["sm_52", "sm_80", "sm_90a", KNOWN[-1]])
def test_llvm_knows_no_processor_before_its_first_version(name: str) -> None:
    before = max(ptx for ptx in PTX_VERSIONS if ptx < FIRST_PTX[name])
    assert not compiled((name, before))


def test_llvm_writes_no_newer_ptx_than_the_table_says() -> None:
    major, minor = ptx_of_llvm(LLVM)
    assert compiled(("sm_90", (major, minor)))
    assert not compiled(("sm_90", (major, minor + 1)))


CAPABILITIES = sorted({divmod(number_of(name), 10) for name in FIRST_PTX})


@pytest.mark.parametrize("capability", [*CAPABILITIES, (13, 0)])
def test_what_is_chosen_is_in_the_table(capability: Version) -> None:
    for cuda in PTX_OF_CUDA:
        for llvm_version in (20, 21, 22, 23):
            try:
                name, ptx = choose(capability, cuda, llvm_version)
            except NoDeviceError:
                assert cuda < (9, 0) or capability < (5, 0)
                continue
            assert FIRST_PTX[name] <= ptx <= min(ptx_of_cuda(cuda), ptx_of_llvm(llvm_version))
            assert number_of(name) <= 10 * capability[0] + capability[1]
            if name.endswith("a"):
                assert number_of(name) == 10 * capability[0] + capability[1]


@pytest.mark.parametrize(
    ("capability", "cuda", "expected"),
    [
        ((7, 5), (12, 4), ("sm_75", (8, 4))),
        ((8, 0), (11, 0), ("sm_80", (7, 0))),
        ((9, 0), (13, 0), ("sm_90a", (9, 0))),
        ((9, 0), (11, 8), ("sm_90", (7, 8))),
        ((6, 1), (13, 0), ("sm_61", (8, 8))),
        ((13, 0), (13, 2), ("sm_121", (9, 0))),
    ],
)
def test_a_gpu_gets_its_own_processor_or_the_newest_before_it(
    capability: Version, cuda: Version, expected: tuple[str, Version]
) -> None:
    assert choose(capability, cuda, 22) == expected


def test_too_old_versions_are_refused() -> None:
    with pytest.raises(NoDeviceError, match=r"(?s)capability 3\.5.*5\.0 at least"):
        choose((3, 5), (13, 0), 22)


@pytest.mark.parametrize(
    ("name", "features", "types"),
    [
        ("sm_50", set(), set()),
        ("sm_75", {"float16", "float64_atomics", "ldmatrix"}, {"float16", "int8"}),
        (
            "sm_90",
            {"float16", "float64_atomics", "ldmatrix", "bfloat16", "cp_async", "redux"}
            | {"bfloat16_arithmetic", "clusters", "tma"},
            {"float16", "int8", "bfloat16", "tf32", "float64", "float8"},
        ),
    ],
)
def test_features_come_with_generations(name: str, features: set[str], types: set[str]) -> None:
    processor = Processor(name, FIRST_PTX[name])
    every = ["float16", "float64_atomics", "ldmatrix", "bfloat16", "cp_async", "redux"]
    every += ["bfloat16_arithmetic", "clusters", "tma", "wgmma", "tcgen05"]
    assert {feature for feature in every if processor.has(feature)} == features
    dtypes = ("float16", "int8", "bfloat16", "tf32", "float64", "float8")
    assert {dtype for dtype in dtypes if processor.multiplies(dtype)} == types


def test_a_processors_own_instructions_need_its_own_name() -> None:
    assert Processor("sm_90a", (8, 0)).has("wgmma")
    assert not Processor("sm_90", (8, 0)).has("wgmma")
    assert not Processor("sm_120a", (8, 7)).has("wgmma")
    assert Processor("sm_100a", (8, 6)).has("tcgen05")
    assert not Processor("sm_120a", (8, 7)).has("tcgen05")
