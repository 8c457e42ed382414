"""Normally distributed numbers by the polar method of Marsaglia, in LLVM's textual form."""

from collections.abc import Mapping
from string import Template

from gluonic.codegen.machine.draw_loops import scales_of

_BLOCK = 256
"""The number of pairs found before logarithms are computed."""
_PAIR = Template("""
  %u = call $kind @uniform_$kind(ptr %block, ptr %ready, ptr %position)
  %w = call $kind @uniform_$kind(ptr %block, ptr %ready, ptr %position)
  %u_twice = fmul $kind %u, 2.0
  %w_twice = fmul $kind %w, 2.0
  %x = fadd $kind %u_twice, -1.0
  %y = fadd $kind %w_twice, -1.0
  %xx = fmul $kind %x, %x
  %yy = fmul $kind %y, %y
  %r = fadd $kind %xx, %yy
  %is_inside = fcmp ole $kind %r, 1.0
  %is_there = fcmp one $kind %r, 0.0
  %is_good = and i1 %is_inside, %is_there
""")
_FACTOR = Template("""
  %log = call $kind @$log($kind $length)
  %twice = fmul $kind %log, -2.0
  %square = fdiv $kind %twice, $length
  %factor = call $kind @llvm.sqrt.$suffix($kind %square)
""")

_NORMALS = Template("""
$scales
  %lengths = alloca [$most x $kind], align 16
  br label %part
part:
  %done = phi i64 [ 0, %entry ], [ %further, %computed ]
  %need = sub i64 %count, %done
  %is_large = icmp sgt i64 %need, $most
  %size = select i1 %is_large, i64 $most, i64 %need
  %to = getelementptr $kind, ptr %goal, i64 %done
  %some = icmp sgt i64 %size, 0
  br i1 %some, label %pair, label %finish
pair:
  %k = phi i64 [ 0, %part ], [ %k_next, %pair ]
$pair  %y_address = getelementptr $kind, ptr %to, i64 %k
  store $kind %y, ptr %y_address
  %r_address = getelementptr $kind, ptr %lengths, i64 %k
  store $kind %r, ptr %r_address
  %one = zext i1 %is_good to i64
  %k_next = add i64 %k, %one
  %more = icmp slt i64 %k_next, %size
  br i1 %more, label %pair, label %compute
compute:
  %j = phi i64 [ 0, %pair ], [ %j_next, %compute ]
  %j_r = getelementptr $kind, ptr %lengths, i64 %j
  %length = load $kind, ptr %j_r
$factor  %j_y = getelementptr $kind, ptr %to, i64 %j
  %coordinate = load $kind, ptr %j_y
  %standard = fmul $kind %coordinate, %factor
  %scaled = fmul $kind %scale, %standard
  %value = fadd $kind %offset, %scaled
  store $kind %value, ptr %j_y
  %j_next = add i64 %j, 1
  %j_more = icmp slt i64 %j_next, %size
  br i1 %j_more, label %compute, label %computed
computed:
  %further = add i64 %done, %size
  br label %part
finish:
  ret void
""")

_PAIRED = Template("""
$scales
  br label %two
two:
  %i = phi i64 [ 0, %entry ], [ %i_next, %both ], [ %i_next, %good ]
  %some = icmp slt i64 %i, %count
  br i1 %some, label %pair, label %finish
pair:
$pair  br i1 %is_good, label %good, label %pair
good:
$factor  %y_standard = fmul $kind %y, %factor
  %y_scaled = fmul $kind %scale, %y_standard
  %y_value = fadd $kind %offset, %y_scaled
  %y_address = getelementptr $kind, ptr %goal, i64 %i
  store $kind %y_value, ptr %y_address
  %i_second = add i64 %i, 1
  %i_next = add i64 %i, 2
  %is_asked = icmp slt i64 %i_second, %count
  br i1 %is_asked, label %both, label %two
both:
  %x_standard = fmul $kind %x, %factor
  %x_scaled = fmul $kind %scale, %x_standard
  %x_value = fadd $kind %offset, %x_scaled
  %x_address = getelementptr $kind, ptr %goal, i64 %i_second
  store $kind %x_value, ptr %x_address
  br label %two
finish:
  ret void
""")

_ONE = Template("""
define internal $kind @normal_$kind(ptr %block, ptr %ready, ptr %position) #0 {
entry:
  br label %pair
pair:
$pair  br i1 %is_good, label %found, label %pair
found:
$factor  %value = fmul $kind %y, %factor
  ret $kind %value
}

""")


def normals_text(kind: str, names: Mapping[str, str]) -> str:
    """The body of a function that draws normally distributed numbers.

    Parameters
    ----------
    kind : LLVM's type of the numbers
    names : the names of the functions that it calls
    """
    return _NORMALS.substitute(
        kind=kind,
        most=_BLOCK,
        scales=scales_of(kind, names["narrow"]),
        pair=_PAIR.substitute(kind=kind),
        factor=_FACTOR.substitute(kind=kind, length="%length", **names),
    )


def paired_text(kind: str, names: Mapping[str, str]) -> str:
    """The body of a function that draws normally distributed numbers, two of each pair; see `normals_text`."""
    return _PAIRED.substitute(
        kind=kind,
        scales=scales_of(kind, names["narrow"]),
        pair=_PAIR.substitute(kind=kind),
        factor=_FACTOR.substitute(kind=kind, length="%r", **names),
    )


def one_normal_text(kind: str, names: Mapping[str, str]) -> str:
    """The function ``normal_`` of a type, which draws one number."""
    pair = _PAIR.substitute(kind=kind)
    return _ONE.substitute(
        kind=kind, pair=pair, factor=_FACTOR.substitute(kind=kind, length="%r", **names)
    )
