"""Numbers of gamma distributions (Marsaglia and Tsang, ACM TOMS 26, 2000), in LLVM's textual form."""

from collections.abc import Mapping
from string import Template

from gluonic.codegen.machine.draw_loops import TAKEN, one_by_one, row_of

_GAMMA = Template("""
; One number of a gamma distribution, given by d, k, c, a scale and a power; `mode` 1: its product is a double.
define internal $kind @gamma_$kind(ptr %block, ptr %ready, ptr %position, ptr %row, i64 %mode) #0 {
entry:
  %d_wide = load double, ptr %row
  %k_place = getelementptr double, ptr %row, i64 1
  %k_wide = load double, ptr %k_place
  %c_place = getelementptr double, ptr %row, i64 2
  %c_wide = load double, ptr %c_place
  %scale_place = getelementptr double, ptr %row, i64 3
  %scale_wide = load double, ptr %scale_place
  %power_place = getelementptr double, ptr %row, i64 4
  %power = load double, ptr %power_place
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
  %sample = select i1 %is_long, $kind %long, $kind %short
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
MODE = "  %mode = and i64 %share, 1\n  %each = ashr i64 %share, 1"
"""The lowest bit of `share` is the mode."""


def one_gamma_text(kind: str, names: Mapping[str, str]) -> str:
    """The function ``gamma_`` of a type, which draws one number.

    Parameters
    ----------
    kind : LLVM's type of the number
    names : the conversions to ``double`` and back
    """
    return _GAMMA.substitute(kind=kind, **names)


def gammas_text(kind: str) -> str:
    """The body of a function that draws numbers of gamma distributions."""
    draw = (
        f"{row_of('%each', 5)}\n  %value = call {kind} @gamma_{kind}({TAKEN}, ptr %row, i64 %mode)"
    )
    return one_by_one(kind, draw, MODE)
