"""Kernels in PTX, written by hand, so that the driver is tried without the compiler."""

from gluonic.device import Device, DeviceFunction

_HEAD = ".version {ptx[0]}.{ptx[1]}\n.target {name}\n.address_size 64\n"
_ADD = """
.visible .entry add(
    .param .u64 add_param_0,
    .param .u64 add_param_1,
    .param .u64 add_param_2
)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<10>;
    ld.param.b64 %rd1, [add_param_0];
    ld.param.b64 %rd2, [add_param_1];
    ld.param.b64 %rd3, [add_param_2];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mul.wide.u32 %rd4, %r1, %r2;
    cvt.u64.u32 %rd5, %r3;
    add.s64 %rd6, %rd4, %rd5;
    setp.ge.s64 %p1, %rd6, %rd3;
    @%p1 bra $end;
    cvta.to.global.u64 %rd1, %rd1;
    shl.b64 %rd7, %rd6, 3;
    add.s64 %rd8, %rd1, %rd7;
    ld.global.b64 %rd9, [%rd8];
    add.s64 %rd9, %rd9, %rd2;
    add.s64 %rd9, %rd9, {more};
    st.global.b64 [%rd8], %rd9;
$end:
    ret;
}}
"""
_EMPTY = ".visible .entry empty(.param .u64 empty_param_0)\n{\n    ret;\n}\n"


def add_kernel(device: Device, more: int = 0) -> DeviceFunction:
    """``add(target, number, count)`` adds `number + more` to each of `count` integers of 64 bits."""
    (function,) = device.load(_with_head(device, _ADD.format(more=more)), ["add"])
    return function


def empty_kernel(device: Device) -> DeviceFunction:
    """``empty(anything)`` does nothing."""
    (function,) = device.load(_with_head(device, _EMPTY), ["empty"])
    return function


def _with_head(device: Device, text: str) -> str:
    processor = device.processor
    return _HEAD.format(ptx=processor.ptx, name=processor.name) + text
