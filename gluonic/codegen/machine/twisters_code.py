"""Draws from many Mersenne twisters, in LLVM's textual form; the distributions are in `draws_code`.

A step's units are the runs of an array, each from its own twister. States are advanced by vector code. Draws
that take a number of words known only from the words themselves loop over elements.
"""

from string import Template
from typing import Any

from gluonic.graph.twisters import FACTOR, LOWER, MIDDLE, TEMPERING, TWIST, UNSEEDED, UPPER, WORDS

C_FUNCTIONS = ("expf", "lgammaf", "log", "logf", "pow", "tanf")
LANES = 8
_VECTOR = f"<{LANES} x i32>"

_STATES = Template("""
declare float @expf(float)
declare float @lgammaf(float)
declare double @log(double)
declare float @logf(float)
declare double @pow(double, double)
declare float @tanf(float)
declare float @llvm.floor.f32(float)
declare float @llvm.sqrt.f32(float)
declare double @llvm.sqrt.f64(double)

define internal void @start(ptr %block, i64 %seed) #0 {
entry:
  %word = trunc i64 %seed to i32
  store i32 %word, ptr %block
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %next, %loop ]
  %before = phi i32 [ %word, %entry ], [ %made, %loop ]
  %high = lshr i32 %before, 30
  %mixed = xor i32 %before, %high
  %product = mul i32 %mixed, $factor
  %number = trunc i64 %i to i32
  %made = add i32 %product, %number
  %address = getelementptr i32, ptr %block, i64 %i
  store i32 %made, ptr %address
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, $words
  br i1 %more, label %loop, label %done
done:
  ret void
}

; Make the next state, and its words.
define internal void @turn(ptr %block, ptr %ready) #0 {
entry:
  br label %turn_f
turn_f:
$turn_first
  br i1 %f_more, label %turn_f, label %turn_s
turn_s:
$turn_second
  br i1 %s_more, label %turn_s, label %last
last:
  %last_address = getelementptr i32, ptr %block, i64 $last
  %last_word = load i32, ptr %last_address
  %zeroth_word = load i32, ptr %ready
  %last_upper = and i32 %last_word, $upper
  %last_lower = and i32 %zeroth_word, $lower
  %last_joined = or i32 %last_upper, %last_lower
  %last_half = lshr i32 %last_joined, 1
  %last_bit = and i32 %last_joined, 1
  %last_twist = mul i32 %last_bit, $twist
  %last_mixed = xor i32 %last_half, %last_twist
  %other_address = getelementptr i32, ptr %ready, i64 $before_middle
  %other = load i32, ptr %other_address
  %last_made = xor i32 %last_mixed, %other
  %last_goal = getelementptr i32, ptr %ready, i64 $last
  store i32 %last_made, ptr %last_goal
  br label %temper
temper:
  %t = phi i64 [ 0, %last ], [ %t_next, %temper ]
  %t_goal = getelementptr i32, ptr %ready, i64 %t
  %t0 = load $vector, ptr %t_goal, align 4
  %t_address = getelementptr i32, ptr %block, i64 %t
  store $vector %t0, ptr %t_address, align 4
$temper
  store $vector %t$tempered, ptr %t_goal, align 4
  %t_next = add i64 %t, $lanes
  %t_more = icmp slt i64 %t_next, $words
  br i1 %t_more, label %temper, label %done
done:
  ret void
}

; See that there is a word, and return where it is.
define internal i64 @at(ptr %block, ptr %ready, ptr %position) alwaysinline #0 {
entry:
  %here = load i64, ptr %position
  %is_end = icmp eq i64 %here, $words
  br i1 %is_end, label %end, label %done
end:
  call void @turn(ptr %block, ptr %ready)
  br label %done
done:
  %found = phi i64 [ %here, %entry ], [ 0, %end ]
  ret i64 %found
}

define internal i32 @word(ptr %block, ptr %ready, ptr %position) alwaysinline #0 {
entry:
  %here = call i64 @at(ptr %block, ptr %ready, ptr %position)
  %behind = add i64 %here, 1
  store i64 %behind, ptr %position
  %address = getelementptr i32, ptr %ready, i64 %here
  %word = load i32, ptr %address
  ret i32 %word
}

define internal float @uniform_float(ptr %block, ptr %ready, ptr %position) alwaysinline #0 {
entry:
  %w_word = call i32 @word(ptr %block, ptr %ready, ptr %position)
$unit
  ret float %w_below
}

define internal double @uniform_double(ptr %block, ptr %ready, ptr %position) alwaysinline #0 {
entry:
  %low = call i32 @word(ptr %block, ptr %ready, ptr %position)
  %high = call i32 @word(ptr %block, ptr %ready, ptr %position)
  %low_wide = zext i32 %low to i64
  %high_wide = zext i32 %high to i64
  %shifted = shl i64 %high_wide, 32
  %joined = or i64 %shifted, %low_wide
  %wide = uitofp i64 %joined to double
  %found = fmul double %wide, 0x3BF0000000000000
  %is_one = fcmp oge double %found, 1.0
  %below = select i1 %is_one, double 0x3FEFFFFFFFFFFFFF, double %found
  ret double %below
}
""")


_UNIT = Template("""
  %${p}_wide = uitofp $words %${p}_word to $kind
  %${p}_unit = fmul $kind %${p}_wide, $tiny
  %${p}_is_one = fcmp oge $kind %${p}_unit, $one
  %${p}_below = select $bits %${p}_is_one, $kind $below, $kind %${p}_unit
""")


def _everywhere(number: Any, kind: str = "i32", lanes: int = LANES) -> str:
    """A vector with a number in all its lanes."""
    return "<" + ", ".join([f"{kind} {number}"] * lanes) + ">"


def unit_text(p: str, lanes: int = 1) -> str:
    """Compute ``%p_below``, floats in [0, 1), from the words ``%p_word``; scalars if `lanes` is 1."""
    numbers = {"tiny": "0x3DF0000000000000", "one": "1.0", "below": "0x3FEFFFFFE0000000"}
    kinds = {"kind": "float", "words": "i32", "bits": "i1"}
    if lanes > 1:
        numbers = {name: _everywhere(number, "float", lanes) for name, number in numbers.items()}
        kinds = {name: f"<{lanes} x {kind}>" for name, kind in kinds.items()}
    return _UNIT.substitute(p=p, **numbers, **kinds)


def _turned(n: str, begin: int, end: int, source: str, shift: int, before: str) -> str:
    """The body of a loop over the words of the next state, stored where its tempered words go later.

    The last vector ends with the last word, so some words are computed twice.
    """
    last = end - LANES
    return f"""
  %{n} = phi i64 [ {begin}, %{before} ], [ %{n}_next, %turn_{n} ]
  %{n}_address = getelementptr i32, ptr %block, i64 %{n}
  %{n}_word = load {_VECTOR}, ptr %{n}_address, align 4
  %{n}_after = add i64 %{n}, 1
  %{n}_after_address = getelementptr i32, ptr %block, i64 %{n}_after
  %{n}_after_word = load {_VECTOR}, ptr %{n}_after_address, align 4
  %{n}_upper = and {_VECTOR} %{n}_word, {_everywhere(UPPER)}
  %{n}_lower = and {_VECTOR} %{n}_after_word, {_everywhere(LOWER)}
  %{n}_joined = or {_VECTOR} %{n}_upper, %{n}_lower
  %{n}_half = lshr {_VECTOR} %{n}_joined, {_everywhere(1)}
  %{n}_bit = and {_VECTOR} %{n}_joined, {_everywhere(1)}
  %{n}_sign = sub {_VECTOR} zeroinitializer, %{n}_bit
  %{n}_twist = and {_VECTOR} %{n}_sign, {_everywhere(TWIST)}
  %{n}_mixed = xor {_VECTOR} %{n}_half, %{n}_twist
  %{n}_from = add i64 %{n}, {shift}
  %{n}_other_address = getelementptr i32, ptr {source}, i64 %{n}_from
  %{n}_other = load {_VECTOR}, ptr %{n}_other_address, align 4
  %{n}_made = xor {_VECTOR} %{n}_mixed, %{n}_other
  %{n}_goal = getelementptr i32, ptr %ready, i64 %{n}
  store {_VECTOR} %{n}_made, ptr %{n}_goal, align 4
  %{n}_behind = add i64 %{n}, {LANES}
  %{n}_beyond = icmp sgt i64 %{n}_behind, {last}
  %{n}_next = select i1 %{n}_beyond, i64 {last}, i64 %{n}_behind
  %{n}_more = icmp slt i64 %{n}, {last}
"""


def _tempered() -> str:
    """The code that tempers the words of a state."""
    lines = []
    for number, (shift, mask) in enumerate(TEMPERING):
        direction = "lshr" if shift > 0 else "shl"
        lines.append(f"%m{number} = {direction} {_VECTOR} %t{number}, {_everywhere(abs(shift))}")
        if mask is not None:
            lines.append(f"%n{number} = and {_VECTOR} %m{number}, {_everywhere(mask)}")
        moved = f"%{'m' if mask is None else 'n'}{number}"
        lines.append(f"%t{number + 1} = xor {_VECTOR} %t{number}, {moved}")
    return "\n".join(f"  {line}" for line in lines)


def states_text() -> str:
    """The shared code of all draws: states, words and numbers in [0, 1)."""
    return _STATES.substitute(
        factor=FACTOR,
        unit=unit_text("w"),
        words=WORDS,
        lanes=LANES,
        vector=_VECTOR,
        last=WORDS - 1,
        before_middle=MIDDLE - 1,
        upper=UPPER,
        lower=LOWER,
        twist=TWIST,
        turn_first=_turned("f", 0, WORDS - MIDDLE, "%block", MIDDLE, "entry"),
        turn_second=_turned("s", WORDS - MIDDLE, WORDS - 1, "%ready", MIDDLE - WORDS, "turn_f"),
        temper=_tempered(),
        tempered=len(TEMPERING),
    )


_RUNS = Template("""
; Draw so many runs; the operands are states, words, positions, what is drawn, and the parameters.
define void @draw_$name(ptr %operands, ptr %numbers, i64 %begin, i64 %end) #0 {
entry:
  %position = alloca i64, align 8
  %blocks = load ptr, ptr %operands
  %p1 = getelementptr ptr, ptr %operands, i64 1
  %readies = load ptr, ptr %p1
  %p2 = getelementptr ptr, ptr %operands, i64 2
  %positions = load ptr, ptr %p2
  %p3 = getelementptr ptr, ptr %operands, i64 3
  %found = load ptr, ptr %p3
  %p4 = getelementptr ptr, ptr %operands, i64 4
  %table = load ptr, ptr %p4
  %seed = load i64, ptr %numbers
  %n1 = getelementptr i64, ptr %numbers, i64 1
  %length = load i64, ptr %n1
  %n2 = getelementptr i64, ptr %numbers, i64 2
  %total = load i64, ptr %n2
  %n3 = getelementptr i64, ptr %numbers, i64 3
  %share = load i64, ptr %n3
  br label %loop
loop:
  %run = phi i64 [ %begin, %entry ], [ %next, %following ]
  %some = icmp slt i64 %run, %end
  br i1 %some, label %find, label %done
find:
  %first = mul i64 %run, %length
  %left = sub i64 %total, %first
  %is_last = icmp slt i64 %left, %length
  %count = select i1 %is_last, i64 %left, i64 %length
  %is_empty = icmp slt i64 %count, 1
  br i1 %is_empty, label %following, label %take
take:
  %offset = mul i64 %run, $words
  %block = getelementptr i32, ptr %blocks, i64 %offset
  %ready = getelementptr i32, ptr %readies, i64 %offset
  %address = getelementptr i64, ptr %positions, i64 %run
  %before = load i64, ptr %address
  store i64 %before, ptr %position
  %is_new = icmp eq i64 %before, $unseeded
  br i1 %is_new, label %new, label %draw
new:
  %own = add i64 %seed, %run
  call void @start(ptr %block, i64 %own)
  store i64 $words, ptr %position
  br label %draw
draw:
  %goal = getelementptr $kind, ptr %found, i64 %first
  call void @run_$name(
    ptr %block, ptr %ready, ptr %position, ptr %goal, i64 %count, i64 %first, ptr %table, i64 %share
  )
  %after = load i64, ptr %position
  store i64 %after, ptr %address
  br label %following
following:
  %next = add i64 %run, 1
  br label %loop
done:
  ret void
}
""")
_RUN = Template("""
define internal void @run_$name(
  ptr %block, ptr %ready, ptr %position, ptr %goal, i64 %count, i64 %first, ptr %table, i64 %share
) alwaysinline #0 {
entry:
$body
}
""")


def draw_text(name: str, kind: str, body: str) -> str:
    """The code of a draw.

    Parameters
    ----------
    name : the function is ``draw_`` and this name
    kind : LLVM's type of a drawn number
    body : the body of the function that draws a run
    """
    run = _RUN.substitute(name=name, body=body)
    return run + _RUNS.substitute(name=name, kind=kind, words=WORDS, unseeded=UNSEEDED)
