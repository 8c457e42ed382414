"""Loops over the draws from a run's Mersenne twister, in LLVM's textual form."""

from string import Template

from gluonic.graph.twisters import WORDS

TAKEN = "ptr %block, ptr %ready, ptr %position"
"""The parameters of functions that draw from a twister."""

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
  %v_address = getelementptr i32, ptr %from, i64 %i
  %v_word = load <8 x i32>, ptr %v_address, align 4
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
  %e_address = getelementptr i32, ptr %from, i64 %j
  %e_word = load i32, ptr %e_address
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
_ROW = Template("""
  %number = add i64 %first, %i
  %row_number = sdiv i64 %number, $share
  %row_start = mul i64 %row_number, $width
  %row = getelementptr double, ptr %table, i64 %row_start
""")
_SCALES = Template("""
  %offset_wide = load double, ptr %table
  %scale_address = getelementptr double, ptr %table, i64 1
  %scale_wide = load double, ptr %scale_address
  %offset = $narrow %offset_wide to $kind
  %scale = $narrow %scale_wide to $kind
""")


def by_vectors(kind: str, before: str, vector: str, element: str) -> str:
    """The body of a function that computes an element from each word, eight at a time.

    Parameters
    ----------
    kind : LLVM's type of an element
    before : the code before the loop
    vector, element : compute ``%v_value`` from the words ``%v_word``, and ``%e_value`` from the word
        ``%e_word``
    """
    return _BY_VECTORS.substitute(
        before=before, kind=kind, words=WORDS, vector=vector, element=element
    )


def one_by_one(kind: str, draw: str, before: str = "") -> str:
    """The body of a function that computes elements one by one; `draw` computes ``%value``."""
    return _EACH.substitute(before=before, kind=kind, draw=draw)


def row_of(share: str, width: int) -> str:
    """Find ``%row``, the parameters of an element: `share` elements have one row, of `width` doubles."""
    return _ROW.substitute(share=share, width=width)


def scales_of(kind: str, narrow: str) -> str:
    """Load ``%offset`` and ``%scale``; `narrow` converts them from ``double``."""
    return _SCALES.substitute(kind=kind, narrow=narrow)
