"""Systems of equations, inverses and determinants by elimination, and Cholesky factors.

Nothing waits for the results, so a matrix without an inverse or a factor raises no error: it gives NaN.
"""

from __future__ import annotations

from math import nan, prod

from gluonic.codegen.maths.values import Value
from gluonic.codegen.threads.gathers import write_zero
from gluonic.codegen.threads.thread_code import ThreadCode
from gluonic.codegen.threads.thread_plan import Operand, Scratch, ThreadPlan
from gluonic.graph import Entry

_LARGEST = 512
"""The side of the largest matrices: each column takes a kernel."""


# -- elimination --------------------------------------------------------------------------------


def _prepare(k: ThreadCode, has_right: bool) -> None:
    """Write an element of a matrix beside its right-hand sides, or beside the unit matrix."""
    matrix, i, j = k.digits(k.thread, [k["batch"], k["side"], k["width"]])
    inside, right = j < k["side"], j - k["side"]
    value = k.read_if(inside, 0, (matrix * k["side"] + i) * k["side"] + j, 0)
    if has_right:
        place = (matrix * k["side"] + i) * (k["width"] - k["side"]) + right
        value = value + k.read_if(~inside, 1, place, 0)
    else:
        value = k.m.where(right == i, 1, value)
    k.write(len(k.dtypes) - 1, k.thread, value)


def _eliminate(k: ThreadCode) -> None:
    """Write an element after a column is eliminated, with its largest element as pivot.

    Operands: matrices with right-hand sides, pivots with the signs of exchanges, the matrices afterwards.
    """
    matrix, i, j = k.digits(k.thread, [k["batch"], k["side"], k["width"]])
    column, start = k["column"], matrix * k["side"] * k["width"]

    def read(row: Value, place: Value) -> Value:
        return k.read(0, start + row * k["width"] + place)

    pivot, largest = k.variable(column), k.variable(k.m.abs(read(column, column)))
    with k.each(column + 1, k["side"]) as row:
        size = k.m.abs(read(row, column))
        better = size > largest.now
        pivot.set(k.m.where(better, row, pivot.now))
        largest.set(k.m.where(better, size, largest.now))
    value = read(pivot.now, column)
    divided = read(pivot.now, j) / k.m.where(value == 0, 1, value)
    source = k.m.where(i == pivot.now, column, i)
    others = read(source, j) - read(source, column) * divided
    k.write(2, k.thread, k.m.where(i == column, divided, others))
    with k.only_if((i == column) & (j == column)):
        k.write(1, matrix * k["side"] + column, k.m.where(pivot.now == column, value, -value))


def _eliminated(
    plan: ThreadPlan, matrices: Entry, right: Entry | None, columns: int
) -> tuple[Scratch, Scratch, dict[str, int]] | None:
    """The matrices after elimination, their pivots and the sizes; None for large ones."""
    shape = plan.shape(matrices)
    side, batch = shape[-1], prod(shape[:-2])
    if side > _LARGEST:
        return None
    sizes = {"batch": batch, "side": side, "width": side + columns}
    count, dtype = batch * side * (side + columns), plan.dtype(matrices)
    work, other = plan.scratch(count, dtype), plan.scratch(count, dtype)
    operands = (matrices, work) if right is None else (matrices, right, work)
    plan.kernel(_prepare, operands, count, right is not None, **sizes)
    pivots = plan.scratch(batch * side, dtype)
    for column in range(side):
        plan.kernel(_eliminate, (work, pivots, other), count, column=column, **sizes)
        work, other = other, work
    return work, pivots, sizes


def _right_part(k: ThreadCode, otherwise: float) -> None:
    """Write an element of the solutions."""
    row, j = k.divided(k.thread, k["width"] - k["side"])
    matrix, _ = k.divided(row, k["side"])
    singular = k.variable(matrix < 0)
    with k.each(0, k["side"]) as column:
        singular.set(singular.now | (k.read(1, matrix * k["side"] + column) == 0))
    value = k.read(0, row * k["width"] + k["side"] + j)
    k.write(2, k.thread, k.m.where(singular.now, otherwise, value))


def _solutions(plan: ThreadPlan, right: Entry | None, columns: int, otherwise: float = nan) -> bool:
    found = _eliminated(plan, plan.inputs[0], right, columns)
    if found is None:
        return False
    work, pivots, sizes = found
    operands, threads = (work, pivots, plan.output), plan.size(plan.output)
    plan.kernel(_right_part, operands, threads, otherwise, **sizes)
    return True


def inverse(plan: ThreadPlan) -> bool:
    """Inverses."""
    return _solutions(plan, None, plan.shape(plan.inputs[0])[-1])


def inverse_or_zero(plan: ThreadPlan) -> bool:
    """Inverses; zero where there is none."""
    return _solutions(plan, None, plan.shape(plan.inputs[0])[-1], otherwise=0.0)


def solved(plan: ThreadPlan) -> bool:
    """Solutions of systems of equations."""
    matrices, right = plan.inputs
    is_vector = len(plan.shape(right)) == len(plan.shape(matrices)) - 1
    return _solutions(plan, right, 1 if is_vector else plan.shape(right)[-1])


def _determinant(k: ThreadCode, has_sign: bool) -> None:
    """Write a determinant, or its sign and the logarithm of its size."""
    first = k.thread * k["side"]
    product = k.variable(k.m.constant(1, k.read(0, 0).dtype))
    logarithm = k.variable(k.m.constant(0, product.dtype))
    with k.each(0, k["side"]) as i:
        pivot = k.read(0, first + i)
        product.set(product.now * (k.m.sign(pivot) if has_sign else pivot))
        logarithm.set(logarithm.now + k.m.log(k.m.abs(pivot)))
    k.write(1, k.thread, product.now)
    if has_sign:
        k.write(2, k.thread, logarithm.now)


def determinants(plan: ThreadPlan) -> bool:
    """Determinants, or their signs and logarithms."""
    found = _eliminated(plan, plan.inputs[0], None, 0)
    if found is None:
        return False
    _, pivots, sizes = found
    operands: tuple[Operand, ...] = (pivots, *plan.outputs)
    has_sign = len(plan.outputs) > 1
    plan.kernel(_determinant, operands, sizes["batch"], has_sign, side=sizes["side"])
    return True


# -- Cholesky factors ---------------------------------------------------------------------------


def _factor_column(k: ThreadCode, lower: bool) -> None:
    """Write an element of a column of a factor, from the columns before it."""
    matrix, below = k.divided(k.thread, k["side"] - k["column"])
    column, row = k["column"], k["column"] + below
    start = matrix * k["side"] * k["side"]

    def at(i: Value, j: Value) -> Value:
        i, j = (i, j) if lower else (j, i)
        return start + i * k["side"] + j

    own, diagonal = (k.variable(k.read(0, at(i, column))) for i in (row, column))
    with k.each(0, column) as j:
        left, right = k.read(1, at(row, j)), k.read(1, at(column, j))
        own.set(own.now - left * right)
        diagonal.set(diagonal.now - right * right)
    root = k.m.sqrt(diagonal.now)
    k.write(1, at(row, column), k.m.where(row == column, root, own.now / root))


def cholesky(plan: ThreadPlan) -> bool:
    """Cholesky factors, a column at a time."""
    side, batch = plan.shape(plan.output)[-1], prod(plan.shape(plan.output)[:-2])
    if side > _LARGEST:
        return False
    operands = (plan.inputs[0], plan.output)
    plan.kernel(write_zero, (plan.output,), plan.size(plan.output))
    for column in range(side):
        threads, lower = batch * (side - column), plan.settings["lower"]
        plan.kernel(_factor_column, operands, threads, lower, side=side, column=column)
    return True
