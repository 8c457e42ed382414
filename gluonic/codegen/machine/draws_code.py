"""Draws from a run's twister, in LLVM's textual form: the functions of `FILLS`, each for a dtype.

The types ``float`` and ``double`` share texts, in which ``$wide`` and ``$narrow`` convert to ``double`` and
back.
"""

from string import Template
from typing import Any

import numpy as np

from gluonic.codegen.machine.draw_loops import TAKEN, by_vectors, one_by_one, row_of, scales_of
from gluonic.codegen.machine.gamma_draws import gammas_text, one_gamma_text
from gluonic.codegen.machine.normal_draws import normals_text, one_normal_text, paired_text
from gluonic.codegen.machine.poisson_draws import ONE_POISSON, mixed_text, poissons_text
from gluonic.codegen.machine.twisters_code import LANES, draw_text, states_text, unit_text

_KINDS = {
    "float": {"wide": "fpext float", "narrow": "fptrunc double", "log": "logf", "suffix": "f32"},
    "double": {
        "wide": "bitcast double", "narrow": "bitcast double", "log": "log", "suffix": "f64"
    },
}  # fmt: skip


def _broadcast(name: str, kind: str, value: str) -> str:
    """Broadcast a value to all lanes of a vector."""
    return (
        f"  %{name}_one = insertelement <{LANES} x {kind}> poison, {kind} {value}, i32 0\n"
        f"  %{name} = shufflevector <{LANES} x {kind}> %{name}_one, <{LANES} x {kind}> poison, "
        f"<{LANES} x i32> zeroinitializer"
    )


_MOVED = Template("""
  %${p}_scaled = fmul $kind $scale, %${p}_below
  %${p}_value = fadd $kind $offset, %${p}_scaled
""")


def _uniform() -> str:
    """The code of uniform floats, each from one word, by vectors."""
    scales = scales_of("float", "fptrunc double")
    before = "\n".join(
        [scales, _broadcast("v_s", "float", "%scale"), _broadcast("v_o", "float", "%offset")]
    )
    vector = _MOVED.substitute(p="v", scale="%v_s", offset="%v_o", kind=f"<{LANES} x float>")
    element = _MOVED.substitute(p="e", scale="%scale", offset="%offset", kind="float")
    return by_vectors("float", before, unit_text("v", LANES) + vector, unit_text("e") + element)


def _kept() -> str:
    before = "  %limit = trunc i64 %share to i32\n" + _broadcast("v_limit", "i32", "%limit")
    return by_vectors(
        "i8",
        before,
        f"  %v_is = icmp ule <{LANES} x i32> %v_word, %v_limit\n"
        f"  %v_value = zext <{LANES} x i1> %v_is to <{LANES} x i8>",
        "  %e_is = icmp ule i32 %e_word, %limit\n  %e_value = zext i1 %e_is to i8",
    )


def _words() -> str:
    return by_vectors(
        "i32",
        "",
        f"  %v_value = or <{LANES} x i32> %v_word, zeroinitializer",
        "  %e_value = or i32 %e_word, 0",
    )


def _uniform_double() -> str:
    draw = f"""
  %unit = call double @uniform_double({TAKEN})
  %scaled = fmul double %scale, %unit
  %value = fadd double %offset, %scaled
"""
    return one_by_one("double", draw, scales_of("double", "bitcast double"))


def _exponential(kind: str, wide: str, narrow: str) -> str:
    draw = f"""
{row_of("%share", 1)}
  %rate = load double, ptr %row
  %unit = call {kind} @uniform_{kind}({TAKEN})
  %unit_wide = {wide} %unit to double
  %left = fsub double 1.0, %unit_wide
  %log = call double @log(double %left)
  %minus = fneg double %log
  %quotient = fdiv double %minus, %rate
  %value = {narrow} %quotient to {kind}
"""
    return one_by_one(kind, draw)


def _integers() -> str:
    draw = f"""
  %one = call i32 @word({TAKEN})
  %two = call i32 @word({TAKEN})
  %one_wide = zext i32 %one to i64
  %two_wide = zext i32 %two to i64
  %shifted = shl i64 %one_wide, 31
  %value = add i64 %shifted, %two_wide
"""
    return one_by_one("i64", draw)


def draws_text(*, has_half: bool) -> tuple[str, dict[str, tuple[str, np.dtype[Any]]]]:
    """The code of all draws, and its functions: the distribution and the dtype of each.

    Parameters
    ----------
    has_half : whether an instruction rounds to float16
    """
    parts = {
        ("uniform", "float32"): ("float", _uniform()),
        ("uniform", "float64"): ("double", _uniform_double()),
        ("kept", "bool"): ("i8", _kept()),
        ("words", "uint32"): ("i32", _words()),
        ("integers", "int64"): ("i64", _integers()),
        ("poisson", "float32"): ("float", poissons_text()),
        ("mixed", "float32"): ("float", mixed_text()),
    }
    helpers = [states_text(), ONE_POISSON]
    for kind, own in _KINDS.items():
        dtype = "float32" if kind == "float" else "float64"
        helpers += one_normal_text(kind, own), one_gamma_text(kind, own, has_half=has_half)
        parts["normal", dtype] = kind, normals_text(kind, own)
        parts["paired", dtype] = kind, paired_text(kind, own)
        parts["exponential", dtype] = kind, _exponential(kind, own["wide"], own["narrow"])
        parts["gamma", dtype] = kind, gammas_text(kind)
    texts = [draw_text("_".join(what), kind, body) for what, (kind, body) in parts.items()]
    functions = {f"draw_{name}_{dtype}": (name, np.dtype(dtype)) for name, dtype in parts}
    return "\n".join([*helpers, *texts]), functions
