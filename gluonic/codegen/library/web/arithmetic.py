"""Functions of C's mathematics that WebAssembly has no instruction for, in LLVM's text: fused multiply-add.

A product is exact as the sum of two numbers. Its sum with the third is rounded once, because what was lost
before is rounded to odd (Boldo and Melquiond). Where the parts would overflow or vanish, the plain result is
returned.
"""

from gluonic.codegen.machine.assembler import LLVMModule

_LARGEST, _SMALLEST = "0x7C90000000000000", "0x0360000000000000"
"""2**970 and 2**-969, as LLVM writes doubles."""
_SPLITTER = "0x41A0000002000000"
"""2**27 + 1, which cuts a double in two halves."""
_DEFINITIONS = {
    "sum.to.odd": """
define internal double @sum.to.odd(double %a, double %b) #0 {
  %sum = fadd double %a, %b
  %b.part = fsub double %sum, %a
  %a.part = fsub double %sum, %b.part
  %b.lost = fsub double %b, %b.part
  %a.lost = fsub double %a, %a.part
  %lost = fadd double %a.lost, %b.lost
  %is.inexact = fcmp one double %lost, 0.0
  %bits = bitcast double %sum to i64
  %last = and i64 %bits, 1
  %is.even = icmp eq i64 %last, 0
  %moves = and i1 %is.inexact, %is.even
  %grows = fcmp ogt double %lost, 0.0
  %is.positive = fcmp ogt double %sum, 0.0
  %away = icmp eq i1 %grows, %is.positive
  %step = select i1 %away, i64 1, i64 -1
  %moved = add i64 %bits, %step
  %chosen = select i1 %moves, i64 %moved, i64 %bits
  %result = bitcast i64 %chosen to double
  ret double %result
}
""",
    "fmaf": """
define float @fmaf(float %a, float %b, float %c) #0 {
  %a.wide = fpext float %a to double
  %b.wide = fpext float %b to double
  %c.wide = fpext float %c to double
  %product = fmul double %a.wide, %b.wide
  %odd = call double @sum.to.odd(double %product, double %c.wide)
  %result = fptrunc double %odd to float
  ret float %result
}
""",
    "fma": f"""
define double @fma(double %a, double %b, double %c) #0 {{
begin:
  %product = fmul double %a, %b
  %plain = fadd double %product, %c
  %a.size = call double @llvm.fabs.f64(double %a)
  %b.size = call double @llvm.fabs.f64(double %b)
  %c.size = call double @llvm.fabs.f64(double %c)
  %p.size = call double @llvm.fabs.f64(double %product)
  %a.fits = fcmp olt double %a.size, {_LARGEST}
  %b.fits = fcmp olt double %b.size, {_LARGEST}
  %c.fits = fcmp olt double %c.size, {_LARGEST}
  %p.fits = fcmp olt double %p.size, {_LARGEST}
  %p.is.large = fcmp ogt double %p.size, {_SMALLEST}
  %both = and i1 %a.fits, %b.fits
  %three = and i1 %both, %c.fits
  %four = and i1 %three, %p.fits
  %all = and i1 %four, %p.is.large
  br i1 %all, label %parts, label %done
parts:
  %a.far = fmul double %a, {_SPLITTER}
  %a.rest = fsub double %a.far, %a
  %a.high = fsub double %a.far, %a.rest
  %a.low = fsub double %a, %a.high
  %b.far = fmul double %b, {_SPLITTER}
  %b.rest = fsub double %b.far, %b
  %b.high = fsub double %b.far, %b.rest
  %b.low = fsub double %b, %b.high
  %high.high = fmul double %a.high, %b.high
  %high.low = fmul double %a.high, %b.low
  %low.high = fmul double %a.low, %b.high
  %low.low = fmul double %a.low, %b.low
  %lost.1 = fsub double %high.high, %product
  %lost.2 = fadd double %lost.1, %high.low
  %lost.3 = fadd double %lost.2, %low.high
  %lost = fadd double %lost.3, %low.low
  %below = fadd double %c, %lost
  %lost.part = fsub double %below, %c
  %c.part = fsub double %below, %lost.part
  %lost.lost = fsub double %lost, %lost.part
  %c.lost = fsub double %c, %c.part
  %below.lost = fadd double %c.lost, %lost.lost
  %sum = fadd double %product, %below
  %below.part = fsub double %sum, %product
  %product.part = fsub double %sum, %below.part
  %below.rest = fsub double %below, %below.part
  %product.rest = fsub double %product, %product.part
  %sum.lost = fadd double %product.rest, %below.rest
  %odd = call double @sum.to.odd(double %below.lost, double %sum.lost)
  %exact = fadd double %sum, %odd
  br label %done
done:
  %result = phi double [ %plain, %begin ], [ %exact, %parts ]
  ret double %result
}}
""",
}
ARITHMETIC = "fma", "fmaf"


def add_arithmetic(module: LLVMModule) -> None:
    """Define the functions in a module, where LLVM finds them by their names."""
    module.definitions.update(_DEFINITIONS)
    module.declare("llvm.fabs.f64", "double", ["double"])
