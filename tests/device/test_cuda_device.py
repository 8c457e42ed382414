"""A GPU through its driver, with a library in the driver's place that computes on the host."""

import ctypes
import gc
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluonic.device import DeviceArray
from gluonic.device.cuda.device import CudaDevice
from gluonic.device.cuda.pool import MemoryPool
from gluonic.device.device import DeviceFunction
from gluonic.device.errors import DeviceError, DeviceMemoryError, NoDeviceError
from tests.device.conftest import DriverWithoutGpu
from tests.forking import forks, is_true_in_a_child

ONE = (1, 1, 1)
THREADS = (32, 1, 1)
ILLEGAL_ADDRESS, OUT_OF_MEMORY, NOT_READY = 700, 2, 600
PTX = """.version {version}
.target sm_90a
.visible .entry {name}(
    .param .u64 target, .param .u64 number, .param .u64 count
) {{ ret; }}
"""


def kernel(device: CudaDevice, name: str = "add") -> DeviceFunction:
    (function,) = device.load(PTX.format(version="8.0", name=name), [name])
    return function


def add(device: CudaDevice, function: DeviceFunction, array: DeviceArray, number: int) -> None:
    device.launch(function, ONE, THREADS, [array.address, number, array.size])


# -------------------------------------------------------------------------------- copies, kernels


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64", "int64"])
@pytest.mark.parametrize("size", [1, 3, 255, 257, 100_001])
def test_arrays_come_back_as_they_went(driver: DriverWithoutGpu, dtype: str, size: int) -> None:
    source = np.random.default_rng(0).integers(0, 100, size).astype(dtype)
    there = DeviceArray.of_host(driver.device(), source)
    expected = source.copy()
    source[...] = 0
    np.testing.assert_array_equal(there.to_host(), expected)
    np.testing.assert_array_equal(there.copy().to_host(), expected)
    np.testing.assert_array_equal(there.part(size // 2, (1,)).to_host(), expected[size // 2 :][:1])


def test_large_copies_do_not_wait_unless_the_driver_would_read_the_source_later(
    driver: DriverWithoutGpu,
) -> None:
    device = driver.device()
    source = np.ones(1 << 20, np.uint8)
    there = DeviceArray.of_host(device, source)
    assert driver.calls()[-1] == "cuMemcpyHtoDAsync_v2"
    driver.library.test_pin(source.ctypes.data, source.nbytes)
    there.copy_from_host(source)
    assert driver.calls()[-1] == "cuMemcpyHtoD_v2"
    driver.library.test_pin(0, 0)
    there.part(0, (100,)).copy_from_host(source[:100])
    assert driver.calls()[-1] == "cuMemcpyHtoD_v2"


def test_page_locked_memory_is_copied_in_a_stream_of_its_own(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    source = device.host_array(1 << 20).view(np.float32)
    source[...] = np.arange(source.size)
    there = DeviceArray.of_host(device, source)
    assert driver.calls()[-2:] == ["cuMemcpyHtoDAsync_v2", "cuStreamSynchronize"]
    expected = source.copy()
    source[...] = 0
    np.testing.assert_array_equal(there.to_host(), expected)
    np.testing.assert_array_equal(DeviceArray.of_host(device, source[:9]).to_host(), np.zeros(9))


def test_what_page_locked_memory_was_copied_to_is_used_again_after_its_readers(
    driver: DriverWithoutGpu,
) -> None:
    device = driver.device()
    source, seen = device.host_array(1 << 20), []
    for turn in range(9):
        if turn == 4:
            driver.fail("cuEventQuery", NOT_READY, times=100)
        there = DeviceArray.of_host(device, source)
        seen.append(there.address)
        del there
        free, total = device.memory_info()
        assert free == total
    assert seen[:4] == [seen[0]] * 4
    assert len(set(seen)) == 4  # more than as many do not wait for readers that take long
    device.empty_cache()
    assert driver.library.test_in_use() == 0


def test_page_locked_memory_is_kept_until_it_is_given_back(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    first = device.host_array(5000)
    address = first.ctypes.data
    part = first[10:]
    del first
    other = device.host_array(5000)
    assert other.ctypes.data != address
    del part
    assert device.host_array(4999).ctypes.data == address
    del other
    driver.forget()
    device.empty_cache()
    assert driver.calls().count("cuMemFreeHost") == 2


def test_arrays_go_to_another_gpu_without_the_host(driver: DriverWithoutGpu) -> None:
    driver.library.test_devices(2)
    first, second = driver.device(0), driver.device(1)
    source = DeviceArray.of_host(first, np.arange(6, dtype=np.int32))
    there = DeviceArray.empty(second, (6,), np.int32)
    driver.forget()
    there.copy_from(source)
    order = ["cuEventCreate", "cuEventRecord", "cuStreamWaitEvent", "cuEventDestroy_v2"]
    assert driver.calls() == [*order, "cuMemcpyPeerAsync", *order]
    np.testing.assert_array_equal(source.copy(second).to_host(), np.arange(6))


def test_bytes_are_read_later_without_waiting_for_other_work(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    there = DeviceArray.of_host(device, np.arange(4, dtype=np.int32))
    driver.forget()
    later = device.later(there.address, 16)
    add(device, kernel(device), there, 1)
    assert np.frombuffer(later.read(), np.int32).tolist() == [0, 1, 2, 3]
    assert "cuStreamSynchronize" not in driver.calls()
    assert "cuEventSynchronize" in driver.calls()


@pytest.mark.parametrize("pattern", [b"\x01", b"\x01\x02", b"\x01\x02\x03\xff"])
def test_fills_repeat_their_pattern(driver: DriverWithoutGpu, pattern: bytes) -> None:
    device = driver.device()
    there = DeviceArray.empty(device, (7 * len(pattern),), "uint8")
    device.fill(there.address, pattern, 7)
    assert there.to_host().tobytes() == 7 * pattern


def test_kernels_get_their_arguments(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    there = DeviceArray.of_host(device, np.arange(5))
    function = kernel(device)
    for number in (7, -1, 2**40):
        add(device, function, there, number)
    np.testing.assert_array_equal(there.to_host(), np.arange(5) + 6 + 2**40)
    assert function.registers == 18
    assert function.shared_bytes == 1024


def test_a_launch_without_blocks_runs_nothing(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    function = kernel(device)
    device.launch(function, (0, 1, 1), THREADS, [0, 0, 0])
    assert "cuLaunchKernel" not in driver.calls()


@pytest.mark.parametrize("arguments", [[1], [1, 2, 3, 4], [1, 2, 2**64], [1, 2, 0.5]])
def test_wrong_arguments_never_reach_the_driver(
    driver: DriverWithoutGpu, arguments: list[Any]
) -> None:
    device = driver.device()
    function = kernel(device)
    with pytest.raises(DeviceError, match="kernel add has 3 parameters of 64 bits"):
        device.launch(function, ONE, THREADS, arguments)
    assert "cuLaunchKernel" not in driver.calls()


def test_shared_memory_is_raised_once_when_a_launch_needs_more(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    function = kernel(device)
    for size in (1 << 10, 100 << 10, 90 << 10):
        device.launch(function, ONE, THREADS, [0, 0, 0], size)
    assert driver.calls().count("cuFuncSetAttribute") == 1
    with pytest.raises(DeviceError, match=r"kernel add: 307200 bytes besides 1024"):
        device.launch(function, ONE, THREADS, [0, 0, 0], 300 << 10)


def test_threads_share_a_kernel(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    function = kernel(device)
    arrays = [DeviceArray.of_host(device, np.zeros(3, np.int64)) for _ in range(4)]

    def work(number: int) -> None:
        for _ in range(500):
            add(device, function, arrays[number], number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, array in enumerate(arrays):
        np.testing.assert_array_equal(array.to_host(), np.full(3, 500 * number))


def test_modules_are_unloaded_after_their_kernels(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    function = kernel(device)
    device.synchronize()
    assert "cuModuleUnload" not in driver.calls()
    del function
    device.synchronize()
    assert driver.calls()[-1] == "cuModuleUnload"


def test_time_passes_between_events(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    start, end = device.mark(), device.mark()
    assert end.seconds_since(start) == pytest.approx(1e-3)


# ----------------------------------------------------------------------------------------- memory


@given(st.integers(0, 1 << 40))
def test_blocks_are_at_most_an_eighth_too_large(size: int) -> None:
    block = MemoryPool.block_size(size)
    assert size <= block
    assert block % 512 == 0
    assert block <= max(512, size + 511, size * 9 / 8)
    assert MemoryPool.block_size(block) == block


def test_freed_blocks_are_used_again(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    first = device.allocate(1000)
    address = first.address
    assert address % 256 == 0
    del first
    second = device.allocate(700)
    assert second.address == address
    third = device.allocate(700)
    assert third.address != address
    assert driver.calls().count("cuMemAlloc_v2") == 2


def test_a_step_that_is_repeated_gets_the_same_blocks(driver: DriverWithoutGpu) -> None:
    device = driver.device()

    def step() -> list[int]:
        first, second, third = (device.allocate(1000) for _ in range(3))
        addresses = [first.address, second.address, third.address]
        del second, first
        again = device.allocate(1000)
        del third
        return [*addresses, again.address]

    step()  # its blocks come from the driver in any order
    assert len({tuple(step()) for _ in range(5)}) == 1


def test_the_pool_counts_as_free_and_can_be_given_back(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    kept, dropped = device.allocate(4 << 20), device.allocate(6 << 20)
    del dropped
    assert driver.library.test_in_use() == 10 << 20
    assert device.memory_info() == (60 << 20, 64 << 20)
    device.empty_cache()
    assert driver.library.test_in_use() == 4 << 20
    assert device.memory_info() == (60 << 20, 64 << 20)
    del kept
    device.empty_cache()
    assert driver.library.test_in_use() == 0


def test_blocks_are_given_back_only_after_all_work(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    device.allocate(1)
    driver.forget()
    device.empty_cache()
    assert driver.calls() == ["cuStreamSynchronize", "cuMemFree_v2"]
    driver.forget()
    device.empty_cache()
    assert driver.calls() == []


def test_the_pool_makes_room_before_memory_is_lacking(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    for size in (20, 30):
        device.allocate(size << 20)
    assert device.allocate(48 << 20).size == 48 << 20


def test_arrays_in_cycles_make_room(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    gc.collect()
    gc.disable()
    try:
        cycle: list[Any] = [DeviceArray.empty(device, (40 << 20,), "uint8")]
        cycle.append(cycle)
        del cycle
        assert device.allocate(48 << 20).size == 48 << 20
    finally:
        gc.enable()


def test_the_error_about_memory_names_what_holds_it(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    held = [DeviceArray.empty(device, (5, 1 << 20), "float32") for _ in range(2)]
    views = [held[0].reshaped((1 << 20, 5))]
    with pytest.raises(DeviceMemoryError) as caught:
        device.allocate(40 << 20)
    text = str(caught.value)
    assert "no memory for 40.0 MiB on gpu(0)" in text
    assert "24.0 MiB of 64.0 MiB are free" in text
    assert "2 of float32 (" in text
    assert "together 40.0 MiB" in text
    assert isinstance(caught.value, MemoryError)
    del held, views
    assert device.allocate(40 << 20).size == 40 << 20


def test_what_is_dropped_while_it_waits_is_not_used_by_others_meanwhile(
    driver: DriverWithoutGpu,
) -> None:
    """Work runs in one order: a fill of new memory comes after what read it before."""
    device = driver.device()
    array = DeviceArray.of_host(device, np.arange(64))
    copy = array.copy()
    del array
    DeviceArray.of_host(device, np.zeros(64, np.int64))
    np.testing.assert_array_equal(copy.to_host(), np.arange(64))


# ----------------------------------------------------------------------------------------- errors


def test_a_late_error_names_the_kernels_launched_since_the_last_wait(
    driver: DriverWithoutGpu,
) -> None:
    device = driver.device()
    before, faulty, after = (kernel(device, name) for name in ("before", "faulty", "after"))
    device.launch(before, ONE, THREADS, [0, 0, 0])
    device.synchronize()
    device.launch(after, ONE, THREADS, [0, 0, 0])
    device.launch(faulty, ONE, THREADS, [0, 0, 0])
    with pytest.raises(DeviceError) as caught:
        device.synchronize()
    text = str(caught.value)
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in text
    assert "since the last wait: after, faulty" in text
    assert "GLUONIC_GPU_SYNC=1" in text
    assert "restarting the process" in text
    with pytest.raises(DeviceError, match="ILLEGAL_ADDRESS"):
        device.launch(after, ONE, THREADS, [0, 0, 0])


def test_launches_wait_if_the_environment_says_so(
    driver: DriverWithoutGpu, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLUONIC_GPU_SYNC", "1")
    device = driver.device()
    fine, faulty = kernel(device, "fine"), kernel(device, "faulty")
    device.launch(fine, ONE, THREADS, [0, 0, 0])
    with pytest.raises(DeviceError, match="since the last wait: faulty"):
        device.launch(faulty, ONE, THREADS, [0, 0, 0])


def test_an_impossible_launch_says_what_was_asked(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    function = kernel(device)
    with pytest.raises(
        DeviceError, match=r"(?s)cuLaunchKernel.*block \(2048, 1, 1\), 18 registers"
    ):
        device.launch(function, ONE, (2048, 1, 1), [0, 0, 0])


def test_refused_ptx_is_shown_with_the_drivers_words(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    with pytest.raises(DeviceError, match="line 1; the version is missing"):
        device.load(".target sm_90a\n.entry k() {}", ["k"])
    with pytest.raises(DeviceError, match=r"(?s)\.version 99\.0.*CUDA 13\.0.*a newer driver"):
        device.load(PTX.format(version="99.0", name="k"), ["k"])
    assert driver.library.test_in_use() == 0


def test_modules_are_compiled_while_others_are_written(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    there = DeviceArray.of_host(device, np.arange(4))
    names = [f"k{i}" for i in range(4)]
    waits = [device.begin_to_load(PTX.format(version="8.0", name=name), [name]) for name in names]
    for name, wait in zip(names, waits, strict=True):
        (function,) = wait()
        assert function.name == name
        add(device, function, there, 1)
    refused = device.begin_to_load(PTX.format(version="99.0", name="k"), ["k"])
    with pytest.raises(DeviceError, match="a newer driver"):
        refused()


def test_every_function_that_fails_is_named(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    function = kernel(device)
    there = DeviceArray.of_host(device, np.arange(4))
    uses: dict[str, Callable[[], object]] = {
        "cuMemAlloc_v2": lambda: device.allocate(1 << 22),
        "cuMemcpyHtoD_v2": lambda: there.copy_from_host(np.arange(4)),
        "cuMemcpyDtoH_v2": there.to_host,
        "cuMemcpyDtoDAsync_v2": lambda: there.copy_from(there),
        "cuMemsetD8Async": lambda: device.fill(there.address, b"\0", 4),
        "cuModuleLoadDataEx": lambda: kernel(device),
        "cuModuleGetFunction": lambda: kernel(device),
        "cuLaunchKernel": lambda: add(device, function, there, 1),
        "cuStreamSynchronize": device.synchronize,
        "cuMemGetInfo_v2": device.memory_info,
    }
    for name, use in uses.items():
        driver.fail(name, 1)
        with pytest.raises(DeviceError, match=f"^{name}: another error"):
            use()
    add(device, function, there, 1)
    np.testing.assert_array_equal(there.to_host(), np.arange(4) + 1)


def test_a_gpu_that_is_not_there_is_no_gpu(driver: DriverWithoutGpu) -> None:
    with pytest.raises(NoDeviceError, match="cuDeviceGet"):
        driver.device(5)


def test_an_old_driver_is_refused_with_both_versions(driver: DriverWithoutGpu) -> None:
    driver.library.test_version(8000)
    with pytest.raises(NoDeviceError, match=r"(?s)capability 9\.0.*CUDA 8\.0.*LLVM.*PTX up to"):
        driver.device()


# ------------------------------------------------------------------------------ processes, threads


@forks
def test_a_forked_child_is_told_that_it_has_no_gpu(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    function = kernel(device)
    there = DeviceArray.of_host(device, np.arange(4))
    uses: list[Callable[[], object]] = [
        there.to_host,
        lambda: device.allocate(10),
        lambda: add(device, function, there, 1),
        device.synchronize,
    ]

    def all_are_refused() -> bool:
        for use in uses:
            with pytest.raises(DeviceError, match="forked process cannot use the GPU"):
                use()
        return True

    assert is_true_in_a_child(all_are_refused)
    np.testing.assert_array_equal(there.to_host(), np.arange(4))


def test_other_threads_use_the_device(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    there = DeviceArray.of_host(device, np.arange(4))
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(there.to_host()))
    thread.start()
    thread.join()
    np.testing.assert_array_equal(results, [np.arange(4)])


def test_with_several_gpus_each_is_made_current_for_its_own_work(driver: DriverWithoutGpu) -> None:
    driver.library.test_devices(2)
    devices = [driver.device(ordinal) for ordinal in (0, 1)]
    arrays = [DeviceArray.of_host(device, np.arange(4)) for device in devices]
    driver.library.test_forget()
    for array in (*arrays, *arrays):
        array.to_host()
    assert driver.library.test_journal().decode().count("cuCtxSetCurrent") == 4


def test_a_function_that_the_driver_lacks_is_an_error(driver: DriverWithoutGpu) -> None:
    device = driver.device()
    with pytest.raises(DeviceError, match="the driver has no function cuFuture"):
        device.driver.function("cuFuture")
    assert device.driver.number("cuDeviceGetCount", ctypes.c_int) == 1
