"""The threads of a warp exchange values, and multiply matrices of which each holds a part."""

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from gluonic.device import DeviceArray
from gluonic.device.emulated import EmulatedDevice
from gluonic.device.errors import DeviceError
from gluonic.device.tensor_maps import Element, TensorMap

LANE = """
    mov.u32 %r1, %laneid;
    mov.u32 %r2, %tid.x;
    ld.param.b64 %rd1, [k_param_0];
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
"""


def run(body: str, *arrays: DeviceArray, block: int = 64, grid: int = 1) -> None:
    """Run a kernel; %r1 is the lane, %r2 the thread, %rd3 the address of its word in the first array."""
    parameters = ", ".join(f".param .u64 k_param_{number}" for number in range(len(arrays)))
    text = f"""
.version 7.8
.target sm_80
.address_size 64
.visible .entry k({parameters}) {{
    .reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<60>; .reg .f32 %f<20>; .reg .b64 %rd<30>;
    .shared .align 16 .b8 left[1024];
    .shared .align 16 .b8 right[1024];
    {LANE}
    {body}
    ret;
}}"""
    device = arrays[0].device
    (function,) = device.load(text, ["k"])
    device.launch(function, (grid, 1, 1), (block, 1, 1), [array.address for array in arrays])


def words(body: str, block: int = 64) -> npt.NDArray[np.uint32]:
    """What each thread stores from %r9."""
    array = DeviceArray.empty(EmulatedDevice(0, 1 << 20), (block,), "u4")
    run(body + "st.global.b32 [%rd3], %r9;", array, block=block)
    return array.to_host()


THREADS = np.arange(64)
LANES, WARPS = THREADS % 32, THREADS // 32 * 32


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("shfl.sync.bfly.b32 %r9, %r2, 5, 31, -1;", LANES ^ 5),
        ("shfl.sync.up.b32 %r9, %r2, 3, 0, -1;", np.where(LANES < 3, LANES, LANES - 3)),
        ("shfl.sync.down.b32 %r9, %r2, 3, 31, -1;", np.where(LANES > 28, LANES, LANES + 3)),
        ("shfl.sync.idx.b32 %r9, %r2, 7, 31, -1;", 7),
        ("shfl.sync.idx.b32 %r9, %r2, 1, 0x181f, -1;", LANES // 8 * 8 + 1),
        ("shfl.sync.down.b32 %r9, %r2, 4, 0x181f, -1;", np.where(LANES % 8 < 4, LANES + 4, LANES)),
        ("xor.b32 %r3, %r1, 1; shfl.sync.idx.b32 %r9, %r2, %r3, 31, -1;", LANES ^ 1),
    ],
)
def test_shuffles(text: str, source: Any) -> None:
    np.testing.assert_array_equal(words(text), WARPS + source)


def test_a_shuffle_says_whether_there_was_such_a_lane() -> None:
    there = words("shfl.sync.down.b32 %r3|%p1, %r2, 3, 31, -1; selp.b32 %r9, 1, 0, %p1;")
    np.testing.assert_array_equal(there, LANES <= 28)


def test_votes_and_reductions() -> None:
    few = "setp.lt.u32 %p1, %r2, 3; "
    np.testing.assert_array_equal(
        words(few + "vote.sync.ballot.b32 %r9, %p1, -1;"), [7] * 32 + [0] * 32
    )
    for mode, expected in (("any", [1, 0]), ("all", [0, 0]), ("uni", [0, 1])):
        text = few + f"vote.sync.{mode}.pred %p2, %p1, -1; selp.b32 %r9, 1, 0, %p2;"
        np.testing.assert_array_equal(words(text)[::32], expected)
    np.testing.assert_array_equal(
        words("redux.sync.add.s32 %r9, %r2, -1;")[::32], [31 * 16, 31 * 16 + 1024]
    )
    np.testing.assert_array_equal(words("redux.sync.max.u32 %r9, %r2, -1;")[::32], [31, 63])
    text = "and.b32 %r3, %r2, 1; match.any.sync.b32 %r9, %r3, -1;"
    np.testing.assert_array_equal(words(text)[:2], [0x55555555, 0xAAAAAAAA])
    text = few + "bar.red.popc.u32 %r9, 0, %p1;"
    np.testing.assert_array_equal(words(text), 3)


def test_lanes_that_run_are_told_apart_from_others() -> None:
    text = "mov.b32 %r9, 0; setp.ge.u32 %p1, %r1, 5; @%p1 bra $out; activemask.b32 %r9; $out: "
    np.testing.assert_array_equal(words(text), np.where(LANES < 5, 31, 0))
    with pytest.raises(DeviceError, match="without being named in the mask"):
        words("vote.sync.ballot.b32 %r9, %p1, 15;")


def test_functions_are_called_by_some_threads() -> None:
    array = DeviceArray.empty(EmulatedDevice(0, 1 << 20), (64,), "u4")
    text = """
.version 7.0
.target sm_80
.address_size 64
.func (.param .b32 result) clamp(.param .b32 clamp_param_0) {
    .reg .pred %p<2>; .reg .b32 %r<4>;
    ld.param.b32 %r1, [clamp_param_0];
    setp.lt.u32 %p1, %r1, 40;
    @%p1 bra $small;
    st.param.b32 [result], 40;
    ret;
$small:
    st.param.b32 [result], %r1;
    ret;
}
.visible .entry k(.param .u64 k_param_0) {
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
    mov.u32 %r2, %tid.x;
    ld.param.b64 %rd1, [k_param_0];
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    mov.b32 %r4, 7;
    setp.eq.b32 %p1, %r2, 5;
    @%p1 bra $out;
    {
    .param .b32 param0;
    .param .b32 retval0;
    st.param.b32 [param0], %r2;
    call.uni (retval0), clamp, (param0);
    ld.param.b32 %r4, [retval0];
    }
$out:
    st.global.b32 [%rd3], %r4;
    ret;
}"""
    (function,) = array.device.load(text, ["k"])
    array.device.launch(function, (1, 1, 1), (64, 1, 1), [array.address])
    expected = np.minimum(THREADS, 40)
    expected[5] = 7
    np.testing.assert_array_equal(array.to_host(), expected)


def test_a_table_of_labels_chooses_where_to_go() -> None:
    text = """
    mov.b32 %r9, 1; and.b32 %r3, %r2, 3;
    $table: .branchtargets $a, $b, $c, $d;
    brx.idx %r3, $table;
    $b: add.s32 %r9, %r9, 10; bra.uni $d;
    $a: add.s32 %r9, %r9, 20; bra.uni $d;
    $c: add.s32 %r9, %r9, 30;
    $d: """
    np.testing.assert_array_equal(words(text)[:4], [21, 11, 31, 1])


def test_variables_of_a_module_have_their_values() -> None:
    device = EmulatedDevice(0, 1 << 20)
    array = DeviceArray.empty(device, (2,), "u4")
    text = """
.version 7.0
.target sm_80
.address_size 64
.global .align 4 .b8 table[8] = {1, 0, 0, 0, 2, 1};
.const .align 8 .u64 pointers[1] = {table+4};
.visible .entry k(.param .u64 k_param_0) {
    .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.b64 %rd1, [k_param_0];
    ld.global.b32 %r1, [table];
    ld.const.b64 %rd2, [pointers];
    ld.b32 %r2, [%rd2];
    st.global.v2.b32 [%rd1], {%r1, %r2};
    ret;
}"""
    (function,) = device.load(text, ["k"])
    device.launch(function, (1, 1, 1), (1, 1, 1), [array.address])
    np.testing.assert_array_equal(array.to_host(), [1, 0x102])


LOADS = """
    mul.wide.u32 %rd10, %r1, 16;
    ld.param.b64 %rd11, [k_param_1]; ld.param.b64 %rd12, [k_param_2];
    add.s64 %rd13, %rd11, %rd10; add.s64 %rd14, %rd12, %rd10;
    mov.b64 %rd15, left; mov.b64 %rd16, right;
    add.s64 %rd17, %rd15, %rd10; add.s64 %rd18, %rd16, %rd10;
    cp.async.cg.shared.global [%rd17], [%rd13], 16;
    setp.ge.u32 %p1, %r1, 16; @%p1 bra $copied;
    cp.async.cg.shared.global [%rd18], [%rd14], 16;
$copied:
    cp.async.commit_group;
    cp.async.wait_group 0;
    bar.sync 0;
"""
# The rows of matrices of 16 bytes a row: those of eight rows and the left half, then below, then to the right.
POINTERS = """
    and.b32 %r20, %r1, 15; shr.u32 %r21, %r1, 4; shl.b32 %r22, %r20, 5; shl.b32 %r23, %r21, 4;
    add.s32 %r24, %r22, %r23; cvt.u64.u32 %rd20, %r24; add.s64 %rd21, %rd15, %rd20;
    and.b32 %r25, %r1, 7; shr.u32 %r26, %r1, 3; and.b32 %r27, %r26, 1; shl.b32 %r28, %r25, 5;
    shl.b32 %r29, %r27, 4; add.s32 %r30, %r28, %r29; cvt.u64.u32 %rd22, %r30; add.s64 %rd23, %rd16, %rd22;
"""
FACTORS = {
    "f16": (16, np.float16),
    "bf16": (16, ml_dtypes.bfloat16),
    "tf32": (8, np.float32),
}


@pytest.mark.parametrize("kind", FACTORS)
def test_matrices_are_multiplied_by_a_warp(kind: str) -> None:
    depth, dtype = FACTORS[kind]
    random = np.random.default_rng(0)
    a, b = (random.integers(-8, 9, (rows, depth)).astype(dtype) for rows in (16, 8))
    device = EmulatedDevice(0, 1 << 20)
    out = DeviceArray.empty(device, (16, 8), "f4")
    arrays = [DeviceArray.of_host(device, x.view(f"u{x.itemsize}")) for x in (a, b)]
    product = f"mma.sync.aligned.m16n8k{depth}.row.col.f32.{kind}.{kind}.f32"
    body = f"""
    {LOADS} {POINTERS}
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {{%r40, %r41, %r42, %r43}}, [%rd21];
    ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{%r44, %r45}}, [%rd23];
    mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f3F800000;
    {product} {{%f4, %f5, %f6, %f7}}, {{%r40, %r41, %r42, %r43}}, {{%r44, %r45}}, {{%f1, %f2, %f1, %f2}};
    shr.u32 %r50, %r1, 2; and.b32 %r51, %r1, 3; shl.b32 %r52, %r50, 5; shl.b32 %r53, %r51, 3;
    add.s32 %r54, %r52, %r53; cvt.u64.u32 %rd24, %r54; add.s64 %rd25, %rd1, %rd24;
    st.global.v2.f32 [%rd25], {{%f4, %f5}}; st.global.v2.f32 [%rd25+256], {{%f6, %f7}};
    """
    run(body, out, *arrays, block=32)
    expected = a.astype("f8") @ b.astype("f8").T + np.arange(8) % 2
    np.testing.assert_array_equal(out.to_host(), expected)


def test_matrices_of_float64_are_multiplied_by_a_warp() -> None:
    random = np.random.default_rng(0)
    a, b = (random.integers(-8, 9, (rows, 8)).astype("f8") / 3 for rows in (16, 8))
    device = EmulatedDevice(0, 1 << 20)
    out = DeviceArray.empty(device, (16, 8), "f8")
    arrays = [DeviceArray.of_host(device, x) for x in (a, b)]
    body = """
    .reg .f64 %d<20>;
    ld.param.b64 %rd4, [k_param_1]; ld.param.b64 %rd5, [k_param_2];
    shr.u32 %r5, %r1, 2; and.b32 %r6, %r1, 3; shl.b32 %r7, %r5, 6; shl.b32 %r8, %r6, 3; shl.b32 %r9, %r6, 4;
    add.s32 %r10, %r7, %r8; cvt.u64.u32 %rd6, %r10; add.s64 %rd7, %rd4, %rd6; add.s64 %rd8, %rd5, %rd6;
    add.s32 %r11, %r7, %r9; cvt.u64.u32 %rd9, %r11; add.s64 %rd10, %rd1, %rd9;
    ld.global.f64 %d1, [%rd7]; ld.global.f64 %d2, [%rd7+512];
    ld.global.f64 %d3, [%rd7+32]; ld.global.f64 %d4, [%rd7+544];
    ld.global.f64 %d5, [%rd8]; ld.global.f64 %d6, [%rd8+32];
    mov.f64 %d7, 0d0000000000000000; mov.f64 %d8, 0d3FF0000000000000;
    mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64
    {%d9, %d10, %d11, %d12}, {%d1, %d2, %d3, %d4}, {%d5, %d6}, {%d7, %d8, %d7, %d8};
    st.global.v2.f64 [%rd10], {%d9, %d10}; st.global.v2.f64 [%rd10+512], {%d11, %d12};
    """
    run(body, out, *arrays, block=32)
    np.testing.assert_allclose(out.to_host(), a @ b.T + np.arange(8) % 2, rtol=1e-13, atol=1e-13)


def _swizzled(matrix: npt.NDArray[np.float16], turned: bool) -> npt.NDArray[np.float16]:
    """A matrix of up to 64 by 64 in rows of 128 bytes, in which chunks of 8 numbers change places."""
    rows = matrix.T if turned else matrix
    image = np.zeros((64, 8, 8), "f2")
    for row, line in enumerate(rows):
        for column, number in enumerate(line):
            image[row, column // 8 ^ row % 8, column % 8] = number
    return image


@pytest.mark.parametrize("turned", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_a_warpgroup_multiplies_swizzled_matrices(turned: tuple[int, int]) -> None:
    device = EmulatedDevice(0, 1 << 20)
    generator = np.random.default_rng(0)
    left, right = (generator.integers(-8, 8, (64, 16)).astype("f2") for _ in range(2))
    images = [_swizzled(m, bool(t)) for m, t in zip((left, right), turned, strict=True)]
    source = DeviceArray.of_host(device, np.stack(images))
    out = DeviceArray.empty(device, (64, 64), "f4")
    sums = [f"%s{number}" for number in range(32)]
    stores = "".join(
        f"st.global.v2.f32 [%rd9+{32 * block + 2048 * below}], {{%s{at}, %s{at + 1}}};"
        for block in range(8)
        for below in (0, 1)
        for at in [4 * block + 2 * below]
    )
    text = f"""
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1) {{
    .reg .pred %p<2>; .reg .b32 %r<20>; .reg .f32 %s<32>; .reg .b64 %rd<20>;
    .shared .align 1024 .b8 both[16384];
    mov.u32 %r1, %tid.x;
    ld.param.b64 %rd1, [k_param_0]; ld.param.b64 %rd2, [k_param_1];
    shl.b32 %r2, %r1, 4; mov.b64 %rd3, both;
    $copy: cvt.u64.u32 %rd4, %r2; add.s64 %rd5, %rd2, %rd4; add.s64 %rd6, %rd3, %rd4;
    ld.global.v4.b32 {{%r3, %r4, %r5, %r6}}, [%rd5]; st.shared.v4.b32 [%rd6], {{%r3, %r4, %r5, %r6}};
    add.s32 %r2, %r2, 2048; setp.lt.u32 %p1, %r2, 16384; @%p1 bra $copy;
    fence.proxy.async.shared::cta; bar.sync 0;
    {"".join(f"mov.f32 {register}, 0f3F800000;" for register in sums)}
    mov.b64 %rd7, {1 << 62 | 64 << 32 | 1 << 16}; mov.b64 %rd8, {1 << 62 | 64 << 32 | 1 << 16 | 512};
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
    {{{", ".join(sums)}}}, %rd7, %rd8, 1, 1, 1, {turned[0]}, {turned[1]};
    wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
    and.b32 %r7, %r1, 3; and.b32 %r8, %r1, 124; shr.u32 %r9, %r8, 2; and.b32 %r10, %r9, 7;
    shr.u32 %r11, %r1, 5; shl.b32 %r12, %r11, 4; add.s32 %r13, %r12, %r10;
    shl.b32 %r14, %r13, 8; shl.b32 %r15, %r7, 3; add.s32 %r16, %r14, %r15;
    cvt.u64.u32 %rd10, %r16; add.s64 %rd9, %rd1, %rd10;
    {stores}
    ret;
}}"""
    (function,) = device.load(text, ["k"])
    device.launch(function, (1, 1, 1), (128, 1, 1), [out.address, source.address])
    expected = left.astype("f8") @ right.astype("f8").T + 1
    np.testing.assert_array_equal(out.to_host(), expected)


def test_a_copy_of_some_bytes_is_zero_beyond_them() -> None:
    device = EmulatedDevice(0, 1 << 20)
    out = DeviceArray.empty(device, (64,), "u4")
    source = DeviceArray.of_host(device, np.full(256, 0x01010101, "u4"))
    text = """
    ld.param.b64 %rd4, [k_param_1]; mul.wide.u32 %rd5, %r2, 16; add.s64 %rd6, %rd4, %rd5;
    mov.b64 %rd7, left; add.s64 %rd8, %rd7, %rd5; and.b32 %r5, %r2, 15;
    cp.async.cg.shared.global [%rd8], [%rd6], 16, %r5; cp.async.wait_all;
    ld.shared.v4.b32 {%r6, %r7, %r8, %r9}, [%rd8];
    popc.b32 %r6, %r6; popc.b32 %r7, %r7; popc.b32 %r8, %r8; popc.b32 %r9, %r9;
    add.s32 %r6, %r6, %r7; add.s32 %r6, %r6, %r8; add.s32 %r6, %r6, %r9; st.global.b32 [%rd3], %r6;
    """
    run(text, out, source)
    np.testing.assert_array_equal(out.to_host(), THREADS % 16)


@pytest.mark.parametrize("element", ["float16", "tf32"])
def test_a_box_of_a_matrix_is_swizzled_rounded_and_zero_beyond_it(element: Element) -> None:
    device = EmulatedDevice(0, 1 << 20)
    dtype = np.dtype("f2" if element == "float16" else "f4")
    matrix = np.random.default_rng(0).standard_normal((20, 24)).astype(dtype)
    source, out = DeviceArray.of_host(device, matrix), DeviceArray.empty(device, (256,), "u4")
    tensor = TensorMap(element, 23, 20, 24 * dtype.itemsize, 8)
    text = """
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out, .param .align 64 .b8 matrix[128]) {
    .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<20>;
    .shared .align 1024 .b8 box[1024]; .shared .align 8 .b8 barrier[8];
    mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; mov.b64 %rd1, box; mov.b64 %rd2, barrier;
    @%p1 bra $begun; mbarrier.init.shared::cta.b64 [%rd2], 1; $begun: bar.sync 0;
    @%p1 bra $wait; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%rd2], 1024;
    mov.b64 %rd3, matrix; cvta.param.u64 %rd3, %rd3; mov.b32 %r2, 8; mov.b32 %r3, 16;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
    [%rd1], [%rd3, {%r2, %r3}], [%rd2];
$wait: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%rd2], 0; @!%p2 bra $wait;
    mul.wide.u32 %rd4, %r1, 16; add.s64 %rd5, %rd1, %rd4; ld.param.b64 %rd6, [out]; add.s64 %rd7, %rd6, %rd4;
    ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%rd5]; st.global.v4.b32 [%rd7], {%r4, %r5, %r6, %r7};
    ret;
}"""
    (function,) = device.load(text, ["k"])
    _, *others = device.tensor_map(tensor)
    arguments = [out.address, source.address, *others]
    device.launch(function, (1, 1, 1), (64, 1, 1), arguments)
    expected = np.zeros((8, tensor.box_columns), dtype)
    expected[:4, :15] = matrix[16:, 8:23]
    if element == "tf32":
        bits = expected.view("u4") + np.uint32(0x1000) & np.uint32(0xFFFFE000)
        expected = bits.view("f4")
    chunks, rows = out.to_host().view(dtype).reshape(8, 8, -1), np.arange(8)
    for row in rows:
        np.testing.assert_array_equal(chunks[row, rows ^ row].ravel(), expected[row])


def test_a_copy_is_not_there_before_it_was_waited_for() -> None:
    device = EmulatedDevice(0, 1 << 20)
    out = DeviceArray.empty(device, (64,), "u4")
    source = DeviceArray.of_host(device, np.arange(128, dtype="u4"))
    text = """
    ld.param.b64 %rd4, [k_param_1]; mul.wide.u32 %rd5, %r2, 8; add.s64 %rd6, %rd4, %rd5;
    mov.b64 %rd7, left; add.s64 %rd8, %rd7, %rd5;
    cp.async.ca.shared.global [%rd8], [%rd6], 8; cp.async.commit_group;
    WAIT
    ld.shared.b32 %r9, [%rd8+4]; st.global.b32 [%rd3], %r9;
    """
    run(text.replace("WAIT", "cp.async.wait_group 0;"), out, source)
    np.testing.assert_array_equal(out.to_host(), 2 * THREADS + 1)
    with pytest.raises(DeviceError, match="that nobody wrote"):
        run(text.replace("WAIT", "cp.async.wait_group 1;"), out, source)


def test_threads_and_blocks_have_numbers_along_three_axes() -> None:
    device = EmulatedDevice(0, 1 << 20)
    grid, block = (2, 3, 2), (4, 2, 3)
    array = DeviceArray.empty(device, (12, 24, 12), "u4")
    names = [f"{text}.{axis}" for text in ("tid", "ctaid", "ntid", "nctaid") for axis in "xyz"]
    moves = "".join(f"mov.u32 %r{number}, %{name};" for number, name in enumerate(names, 10))
    stores = "".join(f"st.global.b32 [%rd3+{4 * n}], %r{10 + n};" for n in range(12))
    text = f"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0) {{
    .reg .b32 %r<60>; .reg .b64 %rd<9>;
    {moves}
    mad.lo.s32 %r1, %r12, %r17, %r11; mad.lo.s32 %r2, %r1, %r16, %r10;
    mad.lo.s32 %r3, %r15, %r20, %r14; mad.lo.s32 %r4, %r3, %r19, %r13;
    mad.lo.s32 %r5, %r4, 24, %r2;
    ld.param.b64 %rd1, [k_param_0]; mul.wide.u32 %rd2, %r5, 48; add.s64 %rd3, %rd1, %rd2;
    {stores}
    ret;
}}"""
    (function,) = device.load(text, ["k"])
    device.launch(function, grid, block, [array.address])
    for (at, inner), numbers in zip(
        np.ndindex(12, 24), array.to_host().reshape(-1, 12), strict=True
    ):
        expected = [inner % 4, inner // 4 % 2, inner // 8, at % 2, at // 2 % 3, at // 6]
        np.testing.assert_array_equal(numbers, [*expected, *block, *grid])
