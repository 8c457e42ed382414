"""Numbers of Poisson and negative binomial distributions, in LLVM's textual form."""

from gluonic.codegen.machine.draw_loops import TAKEN, one_by_one, row_of
from gluonic.codegen.machine.gamma_draws import MODE

ONE_POISSON = """
; One number of a Poisson distribution.
define internal float @poisson(ptr %block, ptr %ready, ptr %position, float %mean) #0 {
entry:
  %mean_wide = fpext float %mean to double
  %is_small = fcmp olt double %mean_wide, 12.0
  br i1 %is_small, label %small, label %large
small:
  %minus = fneg float %mean
  %limit = call float @expf(float %minus)
  %start = call float @uniform_float(ptr %block, ptr %ready, ptr %position)
  br label %count
count:
  %x = phi float [ 0.0, %small ], [ %x_next, %another ]
  %product = phi float [ %start, %small ], [ %product_next, %another ]
  %goes_on = fcmp ogt float %product, %limit
  br i1 %goes_on, label %another, label %counted
another:
  %x_next = fadd float %x, 1.0
  %u = call float @uniform_float(ptr %block, ptr %ready, ptr %position)
  %product_next = fmul float %product, %u
  br label %count
counted:
  ret float %x
large:
  %twice = fmul double 2.0, %mean_wide
  %spread_wide = call double @llvm.sqrt.f64(double %twice)
  %spread = fptrunc double %spread_wide to float
  %log = call float @logf(float %mean)
  %above_wide = fadd double %mean_wide, 1.0
  %above = fptrunc double %above_wide to float
  %top_gamma = call float @lgammaf(float %above)
  %mean_log = fmul float %mean, %log
  %top = fsub float %mean_log, %top_gamma
  br label %try
try:
  %angle = call float @uniform_float(ptr %block, ptr %ready, ptr %position)
  %turned = fmul float 0x400921FB40000000, %angle
  %y = call float @tanf(float %turned)
  %wide_y = fmul float %spread, %y
  %raw = fadd float %wide_y, %mean
  %is_below = fcmp olt float %raw, 0.0
  br i1 %is_below, label %try, label %test
test:
  %number = call float @llvm.floor.f32(float %raw)
  %yy = fmul float %y, %y
  %yy_wide = fpext float %yy to double
  %lorentz = fadd double 1.0, %yy_wide
  %weight = fmul double 0x3FECCCCCCCCCCCCD, %lorentz
  %number_log = fmul float %number, %log
  %number_wide = fpext float %number to double
  %behind_wide = fadd double %number_wide, 1.0
  %behind = fptrunc double %behind_wide to float
  %gamma = call float @lgammaf(float %behind)
  %difference = fsub float %number_log, %gamma
  %exponent = fsub float %difference, %top
  %power = call float @expf(float %exponent)
  %power_wide = fpext float %power to double
  %bound_wide = fmul double %weight, %power_wide
  %bound = fptrunc double %bound_wide to float
  %level = call float @uniform_float(ptr %block, ptr %ready, ptr %position)
  %is_above = fcmp ogt float %level, %bound
  br i1 %is_above, label %try, label %found
found:
  ret float %number
}
"""


def poissons_text() -> str:
    """The body of a function that draws numbers of Poisson distributions."""
    draw = f"""{row_of("%share", 1)}
  %mean_wide = load double, ptr %row
  %mean = fptrunc double %mean_wide to float
  %value = call float @poisson({TAKEN}, float %mean)"""
    return one_by_one("float", draw)


def mixed_text() -> str:
    """The body of a function that draws numbers of Poisson distributions with random means."""
    draw = f"""{row_of("%each", 5)}
  %d = load double, ptr %row
  %is_mixed = fcmp one double %d, 0.0
  br i1 %is_mixed, label %mix, label %plain
mix:
  %drawn = call float @gamma_float({TAKEN}, ptr %row, i64 %mode)
  br label %go
plain:
  %mean_address = getelementptr double, ptr %row, i64 3
  %mean_wide = load double, ptr %mean_address
  %given = fptrunc double %mean_wide to float
  br label %go
go:
  %mean = phi float [ %drawn, %mix ], [ %given, %plain ]
  %value = call float @poisson({TAKEN}, float %mean)"""
    return one_by_one("float", draw, MODE)
