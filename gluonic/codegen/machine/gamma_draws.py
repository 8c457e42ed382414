"""Numbers of gamma distributions (Marsaglia and Tsang, ACM TOMS 26, 2000), in LLVM's textual form."""

from collections.abc import Mapping
from string import Template

from gluonic.codegen.machine.draw_loops import TAKEN, one_by_one, row_of

_GAMMA = Template("""
; One number of a gamma distribution, given by d, k, c, a scale and a power; `mode`: see PRODUCT_MODES.
define internal $kind @gamma_$kind(ptr %block, ptr %ready, ptr %position, ptr %row, i64 %mode) #0 {
entry:
  %d_wide = load double, ptr %row
  %k_address = getelementptr double, ptr %row, i64 1
  %k_wide = load double, ptr %k_address
  %c_address = getelementptr double, ptr %row, i64 2
  %c_wide = load double, ptr %c_address
  %scale_address = getelementptr double, ptr %row, i64 3
  %scale_wide = load double, ptr %scale_address
  %power_address = getelementptr double, ptr %row, i64 4
  %power = load double, ptr %power_address
  %d = $narrow %d_wide to $kind
  %k = $narrow %k_wide to $kind
  %c = $narrow %c_wide to $kind
  %scale = $narrow %scale_wide to $kind
  %minus_k = fneg $kind %k
  br label %try
try:
  %z = call $kind @normal_$kind(ptr %block, ptr %ready, ptr %position)
  %is_large = fcmp ogt $kind %z, %minus_k
  br i1 %is_large, label %test, label %try
test:
  %cz = fmul $kind %c, %z
  %cz_wide = $wide %cz to double
  %x_wide = fadd double 1.0, %cz_wide
  %x = $narrow %x_wide to $kind
  %xx = fmul $kind %x, %x
  %v = fmul $kind %xx, %x
  %v_wide = $wide %v to double
  %z_wide = $wide %z to double
  %half_z = fmul double 0.5, %z_wide
  %half_square = fmul double %half_z, %z_wide
  %below_one = fsub double 1.0, %v_wide
  %log_v = call double @log(double %v_wide)
  %sum = fadd double %below_one, %log_v
  %product = fmul double %d_wide, %sum
  %bound = fadd double %half_square, %product
  %u = call $kind @uniform_$kind(ptr %block, ptr %ready, ptr %position)
  %u_wide = $wide %u to double
  %left = fsub double 1.0, %u_wide
  %log_left = call double @log(double %left)
  %is_accepted = fcmp olt double %log_left, %bound
  br i1 %is_accepted, label %accepted, label %try
accepted:
  %dv = fmul $kind %d, %v
  %short = fmul $kind %dv, %scale
  %dv_wide = $wide %dv to double
  %long_wide = fmul double %dv_wide, %scale_wide
  %long = $narrow %long_wide to $kind
  %is_long = icmp eq i64 %mode, 1
  %precise = select i1 %is_long, $kind %long, $kind %short
$half
  %has_power = fcmp one double %power, 0.0
  br i1 %has_power, label %raise, label %done
raise:
  %u2 = call $kind @uniform_$kind(ptr %block, ptr %ready, ptr %position)
  %u2_wide = $wide %u2 to double
  %raised = call double @pow(double %u2_wide, double %power)
  %sample_wide = $wide %sample to double
  %smaller_wide = fmul double %sample_wide, %raised
  %smaller = $narrow %smaller_wide to $kind
  br label %done
done:
  %value = phi $kind [ %sample, %accepted ], [ %smaller, %raise ]
  ret $kind %value
}
""")
_HALF = Template("""
  %half_number = fptrunc double %dv_wide to float
  %half_scale = fptrunc double %scale_wide to float
  %half_product = fmul float %half_number, %half_scale
  %half = fptrunc float %half_product to half
  %half_wide = fpext half %half to double
  %rounded = $narrow %half_wide to $kind
  %is_half = icmp eq i64 %mode, 2
  %sample = select i1 %is_half, $kind %rounded, $kind %precise
""")
_NO_HALF = Template("  %sample = bitcast $kind %precise to $kind")
PRODUCT_MODES = {"float32": 0, "float64": 1, "float16": 2}
"""How a number is multiplied by its scale, by the dtype of the product; 0 if it is the number's own."""
MODE_BITS = 2
MODE = f"  %mode = and i64 %share, 3\n  %each = ashr i64 %share, {MODE_BITS}"
"""The lowest bits of `share` are the mode."""


def one_gamma_text(kind: str, names: Mapping[str, str], *, has_half: bool) -> str:
    """The function ``gamma_`` of a type, which draws one number.

    Parameters
    ----------
    kind : LLVM's type of the number
    names : the conversions to ``double`` and back
    has_half : whether an instruction rounds to float16; without one there is no such mode
    """
    half = (_HALF if has_half else _NO_HALF).substitute(kind=kind, **names)
    return _GAMMA.substitute(kind=kind, half=half, **names)


def gammas_text(kind: str) -> str:
    """The body of a function that draws numbers of gamma distributions."""
    draw = (
        f"{row_of('%each', 5)}\n  %value = call {kind} @gamma_{kind}({TAKEN}, ptr %row, i64 %mode)"
    )
    return one_by_one(kind, draw, MODE)
