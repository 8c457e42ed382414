"""What is drawn off a run's twister, in LLVM's textual form: the functions of `FILLS`, each for a dtype.

The types ``float`` and ``double`` share texts, in which ``$wide`` and ``$narrow`` convert to ``double`` and
back.
"""

from string import Template

from gluonic.codegen.machine.twisters_code import draw_text, states_text
from gluonic.graph.twisters import WORDS

_BLOCK = 256
"""So many pairs are looked for before logarithms are computed."""

_BY_VECTORS = Template("""
$before
  br label %piece
piece:
  %done = phi i64 [ 0, %entry ], [ %further, %rested ]
  %some = icmp slt i64 %done, %count
  br i1 %some, label %begin, label %finish
begin:
  %here = call i64 @at(ptr %block, ptr %ready, ptr %position)
  %room = sub i64 $words, %here
  %need = sub i64 %count, %done
  %is_enough = icmp slt i64 %need, %room
  %size = select i1 %is_enough, i64 %need, i64 %room
  %from = getelementptr i32, ptr %ready, i64 %here
  %to = getelementptr $kind, ptr %goal, i64 %done
  %whole = and i64 %size, -8
  br label %vectors
vectors:
  %i = phi i64 [ 0, %begin ], [ %i_next, %vector ]
  %is_vector = icmp slt i64 %i, %whole
  br i1 %is_vector, label %vector, label %rest
vector:
  %v_place = getelementptr i32, ptr %from, i64 %i
  %v_word = load <8 x i32>, ptr %v_place, align 4
$vector
  %v_goal = getelementptr $kind, ptr %to, i64 %i
  store <8 x $kind> %v_value, ptr %v_goal, align 1
  %i_next = add i64 %i, 8
  br label %vectors
rest:
  %j = phi i64 [ %whole, %vectors ], [ %j_next, %element ]
  %is_element = icmp slt i64 %j, %size
  br i1 %is_element, label %element, label %rested
element:
  %e_place = getelementptr i32, ptr %from, i64 %j
  %e_word = load i32, ptr %e_place
$element
  %e_goal = getelementptr $kind, ptr %to, i64 %j
  store $kind %e_value, ptr %e_goal
  %j_next = add i64 %j, 1
  br label %rest
rested:
  %taken = add i64 %here, %size
  store i64 %taken, ptr %position
  %further = add i64 %done, %size
  br label %piece
finish:
  ret void
""")


def _splat(name: str, kind: str, value: str) -> str:
    return (
        f"  %{name}_one = insertelement <8 x {kind}> poison, {kind} {value}, i32 0\n"
        f"  %{name} = shufflevector <8 x {kind}> %{name}_one, <8 x {kind}> poison, "
        "<8 x i32> zeroinitializer"
    )


_SCALES = Template("""
  %offset_wide = load double, ptr %table
  %scale_place = getelementptr double, ptr %table, i64 1
  %scale_wide = load double, ptr %scale_place
  %offset = $narrow %offset_wide to $kind
  %scale = $narrow %scale_wide to $kind
""")
_UNIFORM = Template("""
  %${p}_wide = uitofp $words %${p}_word to $kind
  %${p}_unit = fmul $kind %${p}_wide, $tiny
  %${p}_is_one = fcmp oge $kind %${p}_unit, $one
  %${p}_below = select $bits %${p}_is_one, $kind $below, $kind %${p}_unit
  %${p}_scaled = fmul $kind $scale, %${p}_below
  %${p}_value = fadd $kind $offset, %${p}_scaled
""")


def _uniform() -> str:
    """Of a word each, by vectors."""
    numbers = {"tiny": "0x3DF0000000000000", "one": "1.0", "below": "0x3FEFFFFFE0000000"}
    vectors = {
        key: "<" + ", ".join([f"float {number}"] * 8) + ">" for key, number in numbers.items()
    }
    scales = _SCALES.substitute(kind="float", narrow="fptrunc double")
    before = "\n".join(
        [scales, _splat("v_s", "float", "%scale"), _splat("v_o", "float", "%offset")]
    )
    kinds = {"kind": "<8 x float>", "words": "<8 x i32>", "bits": "<8 x i1>"}
    own = {"kind": "float", "words": "i32", "bits": "i1"}
    return _BY_VECTORS.substitute(
        before=before,
        kind="float",
        words=WORDS,
        vector=_UNIFORM.substitute(p="v", scale="%v_s", offset="%v_o", **kinds, **vectors),
        element=_UNIFORM.substitute(p="e", scale="%scale", offset="%offset", **own, **numbers),
    )


def _kept() -> str:
    before = "  %limit = trunc i64 %share to i32\n" + _splat("v_limit", "i32", "%limit")
    return _BY_VECTORS.substitute(
        before=before,
        kind="i8",
        words=WORDS,
        vector="  %v_is = icmp ule <8 x i32> %v_word, %v_limit\n"
        "  %v_value = zext <8 x i1> %v_is to <8 x i8>",
        element="  %e_is = icmp ule i32 %e_word, %limit\n  %e_value = zext i1 %e_is to i8",
    )


_EACH = Template("""
$before
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %put ]
  %some = icmp slt i64 %i, %count
  br i1 %some, label %draw, label %finish
draw:
$draw
  br label %put
put:
  %to = getelementptr $kind, ptr %goal, i64 %i
  store $kind %value, ptr %to
  %next = add i64 %i, 1
  br label %loop
finish:
  ret void
""")
_STREAM = "ptr %block, ptr %ready, ptr %position"
_TAKEN = "ptr %block, ptr %ready, ptr %position"
_ROW = Template("""
  %number = add i64 %first, %i
  %row_number = sdiv i64 %number, $share
  %row_start = mul i64 %row_number, $width
  %row = getelementptr double, ptr %table, i64 %row_start
""")


def _uniform_double() -> str:
    scales = _SCALES.substitute(kind="double", narrow="bitcast double")
    draw = f"""
  %unit = call double @uniform_double({_TAKEN})
  %scaled = fmul double %scale, %unit
  %value = fadd double %offset, %scaled
"""
    return _EACH.substitute(before=scales, kind="double", draw=draw)


def _exponential(kind: str, to_wide: str, narrow: str) -> str:
    row = _ROW.substitute(share="%share", width=1)
    draw = f"""
{row}
  %rate = load double, ptr %row
  %unit = call {kind} @uniform_{kind}({_TAKEN})
  %unit_wide = {to_wide} %unit to double
  %left = fsub double 1.0, %unit_wide
  %log = call double @log(double %left)
  %minus = fneg double %log
  %quotient = fdiv double %minus, %rate
  %value = {narrow} %quotient to {kind}
"""
    return _EACH.substitute(before="", kind=kind, draw=draw)


def _integers() -> str:
    draw = f"""
  %one = call i32 @word({_TAKEN})
  %two = call i32 @word({_TAKEN})
  %one_wide = zext i32 %one to i64
  %two_wide = zext i32 %two to i64
  %shifted = shl i64 %one_wide, 31
  %value = add i64 %shifted, %two_wide
"""
    return _EACH.substitute(before="", kind="i64", draw=draw)


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
  %u = call $kind @uniform_$kind(ptr %block, ptr %ready, ptr %position)
  %w = call $kind @uniform_$kind(ptr %block, ptr %ready, ptr %position)
  %u_twice = fmul $kind %u, 2.0
  %w_twice = fmul $kind %w, 2.0
  %x = fadd $kind %u_twice, -1.0
  %y = fadd $kind %w_twice, -1.0
  %xx = fmul $kind %x, %x
  %yy = fmul $kind %y, %y
  %r = fadd $kind %xx, %yy
  %y_place = getelementptr $kind, ptr %to, i64 %k
  store $kind %y, ptr %y_place
  %r_place = getelementptr $kind, ptr %lengths, i64 %k
  store $kind %r, ptr %r_place
  %is_inside = fcmp ole $kind %r, 1.0
  %is_there = fcmp one $kind %r, 0.0
  %is_good = and i1 %is_inside, %is_there
  %one = zext i1 %is_good to i64
  %k_next = add i64 %k, %one
  %more = icmp slt i64 %k_next, %size
  br i1 %more, label %pair, label %compute
compute:
  %j = phi i64 [ 0, %pair ], [ %j_next, %compute ]
  %j_r = getelementptr $kind, ptr %lengths, i64 %j
  %length = load $kind, ptr %j_r
  %log = call $kind @$log($kind %length)
  %twice = fmul $kind %log, -2.0
  %square = fdiv $kind %twice, %length
  %factor = call $kind @llvm.sqrt.$suffix($kind %square)
  %j_y = getelementptr $kind, ptr %to, i64 %j
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

_GAMMA = Template("""
define internal $kind @normal_$kind(ptr %block, ptr %ready, ptr %position) #0 {
entry:
  br label %pair
pair:
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
  br i1 %is_good, label %found, label %pair
found:
  %log = call $kind @$log($kind %r)
  %twice = fmul $kind %log, -2.0
  %square = fdiv $kind %twice, %r
  %factor = call $kind @llvm.sqrt.$suffix($kind %square)
  %value = fmul $kind %y, %factor
  ret $kind %value
}

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

_POISSON = """
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


def _gammas(kind: str) -> str:
    """The lowest bit of `share` is the mode."""
    row = _ROW.substitute(share="%each", width=5)
    draw = f"{row}\n  %value = call {kind} @gamma_{kind}({_TAKEN}, ptr %row, i64 %mode)"
    return _EACH.substitute(before=_MODE, kind=kind, draw=draw)


_MODE = "  %mode = and i64 %share, 1\n  %each = ashr i64 %share, 1"


def _poissons() -> str:
    draw = f"""{_ROW.substitute(share="%share", width=1)}
  %mean_wide = load double, ptr %row
  %mean = fptrunc double %mean_wide to float
  %value = call float @poisson({_TAKEN}, float %mean)"""
    return _EACH.substitute(before="", kind="float", draw=draw)


def _mixed() -> str:
    draw = f"""{_ROW.substitute(share="%each", width=5)}
  %d = load double, ptr %row
  %is_mixed = fcmp one double %d, 0.0
  br i1 %is_mixed, label %mix, label %plain
mix:
  %drawn = call float @gamma_float({_TAKEN}, ptr %row, i64 %mode)
  br label %go
plain:
  %mean_place = getelementptr double, ptr %row, i64 3
  %mean_wide = load double, ptr %mean_place
  %given = fptrunc double %mean_wide to float
  br label %go
go:
  %mean = phi float [ %drawn, %mix ], [ %given, %plain ]
  %value = call float @poisson({_TAKEN}, float %mean)"""
    return _EACH.substitute(before=_MODE, kind="float", draw=draw)


_KINDS = {
    "float": {"wide": "fpext float", "narrow": "fptrunc double", "log": "logf", "suffix": "f32"},
    "double": {
        "wide": "bitcast double", "narrow": "bitcast double", "log": "log", "suffix": "f64"
    },
}  # fmt: skip


def draws_text() -> tuple[str, list[str]]:
    """The code of all draws, and its functions that can be called."""
    parts = {
        "uniform_float32": ("float", _uniform()),
        "uniform_float64": ("double", _uniform_double()),
        "kept_bool": ("i8", _kept()),
        "integers_int64": ("i64", _integers()),
        "poisson_float32": ("float", _poissons()),
        "mixed_float32": ("float", _mixed()),
    }
    helpers = [states_text(), _POISSON]
    for kind, own in _KINDS.items():
        name = "float32" if kind == "float" else "float64"
        scales = _SCALES.substitute(kind=kind, narrow=own["narrow"])
        normals = _NORMALS.substitute(kind=kind, most=_BLOCK, scales=scales, **own)
        helpers.append(_GAMMA.substitute(kind=kind, **own))
        parts[f"normal_{name}"] = kind, normals
        parts[f"exponential_{name}"] = kind, _exponential(kind, own["wide"], own["narrow"])
        parts[f"gamma_{name}"] = kind, _gammas(kind)
    texts = [draw_text(name, kind, body) for name, (kind, body) in parts.items()]
    return "\n".join([*helpers, *texts]), [f"draw_{name}" for name in parts]
