"""The emulated GPU notices faults that a GPU doesn't, and runs kernels without them."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest

from gluonic.device import DeviceArray
from gluonic.device.emulated import EmulatedDevice
from gluonic.device.errors import DeviceError, DeviceMemoryError, NoDeviceError

INDEX = """
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.s32 %r4, %r2, %r3, %r1;
    ld.param.b64 %rd1, [k_param_0];
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd3, %rd1, %rd2;
"""


def kernel(body: str, parameters: int = 1) -> str:
    """A kernel named k, in which %r4 is the thread's number in the grid and %rd3 the address of its word."""
    listed = ", ".join(f".param .u64 k_param_{number}" for number in range(parameters))
    return f"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry k({listed}) {{
    .reg .pred %p<9>;
    .reg .b16 %rs<9>;
    .reg .b32 %r<30>;
    .reg .b64 %rd<30>;
    .shared .align 16 .b8 shared[1024];
    .local .align 16 .b8 local[64];
    {INDEX}
    {body}
    ret;
}}
"""


@pytest.fixture
def device() -> EmulatedDevice:
    """A small device."""
    return EmulatedDevice(0, total=1 << 20)


def run(
    device: EmulatedDevice,
    body: str,
    *arguments: int | DeviceArray,
    grid: int = 2,
    block: int = 64,
) -> None:
    """Run a kernel."""
    (function,) = device.load(kernel(body, len(arguments)), ["k"])
    addresses = [a.address if isinstance(a, DeviceArray) else a for a in arguments]
    device.launch(function, (grid, 1, 1), (block, 1, 1), addresses)


def words(device: EmulatedDevice, values: Sequence[int] | npt.NDArray[np.generic]) -> DeviceArray:
    """Unsigned integers on the device."""
    return DeviceArray.of_host(device, np.asarray(values, "u4"))


STORE = "st.global.b32 [%rd3], %r4;"
FAULTS = {
    "is out of bounds|out of bounds": "st.global.b32 [%rd3+4], %r4;",
    "not aligned to 4 bytes": "st.global.b32 [%rd3+2], %r4;",
    "reads 4 bytes that nobody wrote": "ld.global.b32 %r5, [%rd3]; " + STORE,
    "writes what another thread writes at the same time": "st.global.b32 [%rd1], %r4;",
    "do not reach the barrier": "setp.lt.u32 %p1, %r1, 3; @%p1 bra $done; bar.sync 0; $done: "
    + STORE,
    "at a barrier for ever": "setp.lt.u32 %p1, %r1, 3; @%p1 bra $done; bar.sync 1, 64; $done: "
    + STORE,
    "more threads than expected": "bar.sync 1, 3; " + STORE,
    "waits for ever": "setp.eq.u32 %p1, %r1, 0; @%p1 mbarrier.init.shared::cta.b64 [shared], 2; "
    "bar.sync 0; @%p1 mbarrier.arrive.shared::cta.b64 _, [shared]; "
    "$wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [shared], 0; @!%p2 bra $wait; " + STORE,
    "no barrier is there": "mbarrier.arrive.shared::cta.b64 _, [shared+8]; " + STORE,
    "more threads than expected are at": "mbarrier.init.shared::cta.b64 [shared], 3; bar.sync 0; "
    "mbarrier.arrive.shared::cta.b64 _, [shared]; " + STORE,
    "trap": "setp.ne.b32 %p1, %r4, 77; @%p1 bra $done; trap; $done: " + STORE,
    "without a barrier between": (
        "mov.b64 %rd4, shared; mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5; st.shared.b32 [%rd6], %r4;"
        "xor.b32 %r6, %r1, 1; mul.wide.u32 %rd7, %r6, 4; add.s64 %rd8, %rd4, %rd7; ld.shared.b32 %r7, [%rd8];"
        "st.global.b32 [%rd3], %r7;"
    ),
    "of shared memory": "mov.b64 %rd4, shared; ld.shared.b32 %r5, [%rd4]; " + STORE,
    "of local memory": "mov.b64 %rd4, local; ld.local.b32 %r5, [%rd4+8]; " + STORE,
    "1024 bytes of shared memory": "mul.wide.u32 %rd5, %r4, 16; st.shared.b32 [%rd5], %r4; "
    + STORE,
    "lane that does not take part|waits for it": (
        "setp.lt.u32 %p1, %r1, 3; @%p1 bra $done; shfl.sync.bfly.b32 %r5, %r4, 16, 31, -1; $done: "
        + STORE
    ),
}


@pytest.mark.parametrize("message", FAULTS)
def test_a_fault_is_found(device: EmulatedDevice, message: str) -> None:
    array = DeviceArray.empty(device, (128,), "u4")
    with pytest.raises(DeviceError, match=message) as error:
        run(device, FAULTS[message], array)
    assert "line" in str(error.value)
    assert "thread (" in str(error.value)


SOUND = {
    "a word each": STORE,
    "a guarded access": "setp.ge.u32 %p1, %r4, 128; @%p1 bra $done; " + STORE + "$done:",
    "what was written before": STORE + "ld.global.b32 %r5, [%rd3]; st.global.b32 [%rd3], %r5;",
    "a barrier between": (
        "mov.b64 %rd4, shared; mul.wide.u32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5; st.shared.b32 [%rd6], %r4;"
        "bar.sync 0; xor.b32 %r6, %r1, 1; mul.wide.u32 %rd7, %r6, 4; add.s64 %rd8, %rd4, %rd7;"
        "ld.shared.b32 %r7, [%rd8]; xor.b32 %r8, %r7, 1; st.global.b32 [%rd3], %r8;"
    ),
    "a barrier where some arrive and others wait": (
        "mov.b64 %rd4, shared; and.b32 %r5, %r1, 31; mul.wide.u32 %rd5, %r5, 4; add.s64 %rd6, %rd4, %rd5;"
        "setp.lt.u32 %p1, %r1, 32; @%p1 bra $first; bar.sync 1, 64; ld.shared.b32 %r7, [%rd6];"
        "add.s32 %r7, %r7, 32; st.global.b32 [%rd3], %r7; bra.uni $done;"
        "$first: st.shared.b32 [%rd6], %r4; bar.arrive 1, 64; st.global.b32 [%rd3], %r4; $done:"
    ),
    "threads of a warp that wait for each other": (
        "and.b32 %r5, %r1, 1; setp.eq.b32 %p1, %r5, 0; @%p1 bra $even; bra.uni $odd;"
        "$both: bar.warp.sync -1; shfl.sync.bfly.b32 %r6, %r4, 1, 31, -1; xor.b32 %r6, %r6, 1;"
        "st.global.b32 [%rd3], %r6; bra.uni $done; $even: bra.uni $both; $odd: bra.uni $both; $done:"
    ),
    "local memory": (
        "mov.b64 %rd4, local; cvta.local.u64 %rd5, %rd4; st.b32 [%rd5+8], %r4; ld.local.b32 %r5, [%rd4+8];"
        "st.global.b32 [%rd3], %r5;"
    ),
    "branches that meet again": (
        "and.b32 %r5, %r1, 1; setp.eq.b32 %p1, %r5, 0; @%p1 bra $even; add.s32 %r6, %r4, 5; bra.uni $both;"
        "$even: add.s32 %r6, %r4, 7; $both: bar.sync 0; selp.b32 %r7, 7, 5, %p1; sub.s32 %r8, %r6, %r7;"
        "st.global.b32 [%rd3], %r8;"
    ),
    "loops of different lengths": (
        "mov.b32 %r5, 0; $loop: setp.ge.u32 %p1, %r5, %r4; @%p1 bra $out; add.s32 %r5, %r5, 1; bra.uni $loop;"
        "$out: st.global.b32 [%rd3], %r5;"
    ),
    "a predicate": "setp.lt.u32 %p1, %r4, 200; @%p1 st.global.b32 [%rd3], %r4; @!%p1 trap;",
}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_kernel_runs(device: EmulatedDevice, name: str) -> None:
    array = DeviceArray.empty(device, (128,), "u4")
    run(device, SOUND[name], array)
    np.testing.assert_array_equal(array.to_host(), np.arange(128))


def test_a_late_access_to_a_freed_buffer_is_found(device: EmulatedDevice) -> None:
    address = DeviceArray.empty(device, (128,), "u4").address
    with pytest.raises(DeviceError, match="which was given back"):
        run(device, STORE, address)


def test_what_another_block_wrote_cannot_be_read(device: EmulatedDevice) -> None:
    other = "xor.b32 %r5, %r4, 64; mul.wide.u32 %rd4, %r5, 4; add.s64 %rd5, %rd1, %rd4; "
    array = words(device, np.arange(128))
    with pytest.raises(DeviceError, match="a race: it reads what another thread writes"):
        run(device, STORE + other + "ld.global.b32 %r6, [%rd5]; st.global.b32 [%rd3], %r6;", array)
    array = words(device, np.arange(128))
    with pytest.raises(DeviceError, match="a race: it reads what another thread writes"):
        run(device, other + "ld.global.b32 %r6, [%rd5]; st.global.b32 [%rd3], %r6;", array)


def test_equal_writes_are_allowed_where_a_test_says_so() -> None:
    for allowed in (False, True):
        device = EmulatedDevice(0, 1 << 20, allows_equal_writes=allowed)
        array = DeviceArray.empty(device, (128,), "u4")
        with nullcontext() if allowed else pytest.raises(DeviceError, match="a race"):
            run(device, "st.global.b32 [%rd1], 5;", array)
    with pytest.raises(DeviceError, match="a race"):
        run(device, "st.global.b32 [%rd1], %r4;", array)


def test_atomic_additions_of_all_threads_arrive(device: EmulatedDevice) -> None:
    array = words(device, [0, 0])
    run(device, "red.global.add.u32 [%rd1], 1; atom.global.add.u32 %r5, [%rd1+4], %r4;", array)
    np.testing.assert_array_equal(array.to_host(), [128, 127 * 64])


def test_atomic_operations_return_what_was_there(device: EmulatedDevice) -> None:
    counter, array = words(device, [0]), DeviceArray.empty(device, (128,), "u4")
    run(
        device,
        "ld.param.b64 %rd4, [k_param_1]; atom.global.add.u32 %r5, [%rd4], 1; st.global.b32 [%rd3], %r5;",
        array,
        counter,
    )
    np.testing.assert_array_equal(np.sort(array.to_host()), np.arange(128))


def test_an_unknown_instruction_is_named_with_its_line(device: EmulatedDevice) -> None:
    with pytest.raises(NotImplementedError, match=r"k: line 21 of the PTX: frobnicate\.b32"):
        device.load(kernel("frobnicate.b32 %r5, %r4;"), ["k"])


def test_memory_that_was_not_written_cannot_be_copied_to_the_host(device: EmulatedDevice) -> None:
    array = DeviceArray.empty(device, (4,), "f4")
    with pytest.raises(DeviceError, match="nobody wrote"):
        array.to_host()
    device.fill(array.address, b"\0\0\x80\x3f", 3)
    with pytest.raises(DeviceError, match="byte 12 of a buffer of 16 bytes"):
        array.to_host()
    device.fill(array.address, b"\0\0\x80\x3f", 4)
    np.testing.assert_array_equal(array.to_host(), np.ones(4))


def test_copies_keep_what_was_not_written(device: EmulatedDevice) -> None:
    array = DeviceArray.empty(device, (4,), "f4")
    copy = array.copy()
    with pytest.raises(DeviceError, match="nobody wrote"):
        copy.to_host()
    array.copy_from_host(np.arange(4, dtype="f4"))
    np.testing.assert_array_equal(array.copy().to_host(), np.arange(4))


def test_memory_ends_and_is_given_back() -> None:
    device = EmulatedDevice(0, total=1 << 20)
    half = device.allocate(1 << 19)
    assert device.memory_info() == (1 << 19, 1 << 20)
    with pytest.raises(DeviceMemoryError, match="there is no memory for"):
        device.allocate((1 << 19) + 1)
    del half
    assert device.memory_info() == (1 << 20, 1 << 20)
    for _ in range(100):
        assert device.allocate(1 << 20).address % 256 == 0


def test_buffers_lie_apart(device: EmulatedDevice) -> None:
    buffers = [device.allocate(size) for size in (0, 1, 255, 256, 257, 5000)]
    del buffers[2]
    buffers += [device.allocate(size) for size in (3, 300, 0)]
    ordered = sorted(buffers, key=lambda buffer: buffer.address)
    for buffer, following in pairwise(ordered):
        assert buffer.address % 256 == 0
        assert following.address - buffer.address - buffer.size >= 256


@pytest.mark.parametrize(
    ("grid", "block", "arguments"),
    [((0, 1, 1), (1, 1, 1), 1), ((1, 1, 1), (1025, 1, 1), 1), ((1, 1, 1), (1, 1, 1), 2)],
)
def test_a_launch_that_no_gpu_takes_is_refused(
    device: EmulatedDevice, grid: tuple[int, int, int], block: tuple[int, int, int], arguments: int
) -> None:
    (function,) = device.load(kernel(""), ["k"])
    with pytest.raises(DeviceError, match="cannot be launched"):
        device.launch(function, grid, block, [0] * arguments)


def test_the_processor_is_chosen_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLUONIC_GPU_EMULATED_PROCESSOR", raising=False)
    assert EmulatedDevice(0, 1 << 20).processor.name == "sm_80"
    monkeypatch.setenv("GLUONIC_GPU_EMULATED_PROCESSOR", "sm_90a")
    assert EmulatedDevice(0, 1 << 20).processor.has("wgmma")
    monkeypatch.setenv("GLUONIC_GPU_EMULATED_PROCESSOR", "sm_1")
    with pytest.raises(NoDeviceError, match="no such processor"):
        EmulatedDevice(0, 1 << 20)


def test_several_threads_use_a_device(device: EmulatedDevice) -> None:
    def work(seed: int) -> bool:
        for number in range(5):
            array = words(device, np.full(128, seed))
            run(device, STORE + f"add.s32 %r5, %r4, {number}; st.global.b32 [%rd3], %r5;", array)
            if not np.array_equal(array.to_host(), np.arange(128) + number):
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
    assert device.memory_info() == (1 << 20, 1 << 20)
