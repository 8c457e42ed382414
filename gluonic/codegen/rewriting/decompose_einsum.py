"""Einstein summation as transposes, matrix products and sums, two factors at a time."""

from collections.abc import Collection, Sequence
from itertools import combinations
from typing import Any

from gluonic.codegen.loops.site import RewriteContext
from gluonic.codegen.shapes.facts import Facts
from gluonic.graph import Entry
from gluonic.graph.ops.numpy.einsum import spelt_out
from gluonic.support.record import record

_SAME, _MERGED = 0, -3  # in the shapes that `reshape` takes: an unchanged axis, two axes merged


@record
class _Factor:
    """An entry, and a letter for each of its axes."""

    entry: Entry
    letters: str

    def only(self, F: Any, kept: Collection[str]) -> "_Factor":
        """The factor, summed over the letters that are not kept."""
        axes = tuple(i for i, letter in enumerate(self.letters) if letter not in kept)
        if not axes:
            return self
        left = "".join(letter for letter in self.letters if letter in kept)
        return _Factor(F._np_sum(self.entry, axis=axes), left)

    def ordered(self, F: Any, letters: str) -> "_Factor":
        """The factor with its axes in another order."""
        if letters == self.letters:
            return self
        axes = tuple(self.letters.index(letter) for letter in letters)
        return _Factor(F.transpose(self.entry, axes=axes), letters)

    def stretched(self, F: Any, letters: str) -> Entry:
        """The factor with an axis of length one for each letter that it lacks."""
        found = self.ordered(F, "".join(c for c in letters if c in self.letters)).entry
        for index, letter in enumerate(letters):
            if letter not in self.letters:
                found = F.expand_dims(found, axis=index)
        return found


def _as_one(F: Any, x: Entry, rank: int, begin: int, count: int) -> Entry:
    """Merge axes; no axes become one of length one."""
    if count == 0:
        return F.expand_dims(x, axis=begin)  # type: ignore[no-any-return]
    for left in range(rank, rank - count + 1, -1):
        shape = (*(_SAME,) * begin, _MERGED, *(_SAME,) * (left - begin - 2))
        x = F.reshape(x, shape=shape)
    return x


def _as_several(F: Any, x: Entry, axis: int, model: Entry, begin: int, count: int) -> Entry:
    """Split an axis into those that `model` has from `begin` on."""
    if count == 0:
        return F._np_squeeze(x, axis=axis)  # type: ignore[no-any-return]
    if count == 1:
        return x
    ends = {"lhs_begin": axis, "lhs_end": axis + 1, "rhs_begin": begin, "rhs_end": begin + count}
    return F.reshape_like(x, model, **ends)  # type: ignore[no-any-return]


def _product(F: Any, a: _Factor, b: _Factor, kept: Collection[str]) -> _Factor:
    """Two factors multiplied, and summed over the letters that are not kept."""
    a = a.only(F, {*b.letters, *kept})
    b = b.only(F, {*a.letters, *kept})
    shared = [letter for letter in a.letters if letter in b.letters]
    batch = "".join(letter for letter in shared if letter in kept)
    summed = "".join(letter for letter in shared if letter not in kept)
    rows = "".join(letter for letter in a.letters if letter not in shared)
    columns = "".join(letter for letter in b.letters if letter not in shared)
    letters = batch + rows + columns
    if not summed:
        return _Factor(F.broadcast_mul(a.stretched(F, letters), b.stretched(F, letters)), letters)
    if not rows + columns:
        products = F.broadcast_mul(a.entry, b.ordered(F, a.letters).entry)
        return _Factor(products, a.letters).only(F, batch)
    first = a.ordered(F, batch + rows + summed).entry
    second = b.ordered(F, batch + summed + columns).entry
    count, n, m, k = len(batch), len(rows), len(columns), len(summed)
    left = _as_one(F, _as_one(F, first, count + n + k, count + n, k), count + n + 1, count, n)
    right = _as_one(F, _as_one(F, second, count + k + m, count, k), count + 1 + m, count + 1, m)
    found = (F.batch_dot if count else F.dot)(left, right)
    found = _as_several(F, found, count + 1, second, count + k, m)
    return _Factor(_as_several(F, found, count, first, count, n), letters)


def _cheapest(texts: Sequence[str], extents: dict[str, Any]) -> tuple[int, int]:
    """The two factors whose product has the fewest terms."""
    best, pair = None, (0, 1)
    for i, j in combinations(range(len(texts)), 2):
        terms = 1
        for letter in {*texts[i], *texts[j]}:
            terms = terms * extents[letter]
        if best is None or terms < best:
            best, pair = terms, (i, j)
    return pair


def _order(
    texts: Sequence[str], result: str, extents: dict[str, Any]
) -> tuple[tuple[int, int], ...]:
    """The order of products: the indices of two factors among those that are left."""
    left, found = list(texts), []
    while len(left) > 1:
        i, j = _cheapest(left, extents) if len(left) > 2 else (0, 1)
        found.append((i, j))
        others = [text for index, text in enumerate(left) if index not in (i, j)]
        needed = {*result, *"".join(others)}
        union = dict.fromkeys(left[i] + left[j])
        left = [*others, "".join(letter for letter in union if letter in needed)]
    return tuple(found)


def _summed(F: Any, factors: list[_Factor], result: str, order: Sequence[tuple[int, int]]) -> Entry:
    for i, j in order:
        a, b = factors[i], factors[j]
        factors = [factor for factor in factors if factor is not a and factor is not b]
        kept = {*result, *"".join(factor.letters for factor in factors)}
        factors.append(_product(F, a, b, kept))
    return factors[0].only(F, result).ordered(F, result).entry


def _extents(texts: Sequence[str], shapes: Sequence[Any]) -> dict[str, Any] | None:
    """The extent of each letter; None if one is broadcast, there are none, or a text repeats a letter."""
    found: dict[str, Any] = {}
    for text, shape in zip(texts, shapes, strict=True):
        if len(set(text)) < len(text) or 0 in shape:
            return None
        for letter, extent in zip(text, shape, strict=True):
            if found.setdefault(letter, extent) != extent:
                return None
    return found


def _as_products(
    F: Any, site: RewriteContext, indices: Sequence[int], texts: Sequence[str], result: str
) -> Entry | None:
    """The sum over some of the inputs as matrix products; None if that is impossible."""

    def order_for(facts: Facts) -> tuple[tuple[int, int], ...] | None:
        extents = _extents(texts, [facts.shapes[site.node.inputs[index]] for index in indices])
        return None if extents is None else _order(texts, result, extents)

    order = site.facts.decide(order_for)
    if order is None or site.dtype.kind != "f":
        return None
    factors = [_Factor(site.inputs[p], text) for p, text in zip(indices, texts, strict=True)]
    return _summed(F, factors, result, order)


def _texts(site: RewriteContext, first: int) -> tuple[list[str], str]:
    ranks = [len(site.facts.shapes[entry]) for entry in site.node.inputs[first:]]
    return spelt_out(site.n.subscripts, ranks, "")


def einsum(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """Matrix products, if there are no broadcast axes and no diagonals."""
    texts, result = _texts(site, 0)
    found = _as_products(F, site, range(len(texts)), texts, result)
    return None if found is None else [found]


def back(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
    """The same kind of sum, of the gradient and the other factors, repeated along axes that they lack."""
    texts, result = _texts(site, 1)
    operand = site.n.operand
    own = texts[operand]
    inputs = site.node.inputs[1:]
    if site.facts.decide(lambda facts: _extents(texts, [facts.shapes[e] for e in inputs]) is None):
        return None
    indices = [0, *(i + 1 for i in range(len(texts)) if i != operand)]
    given = [result, *(text for i, text in enumerate(texts) if i != operand)]
    named = "".join(letter for letter in own if letter in "".join(given))
    found = _as_products(F, site, indices, given, named)
    if found is None:
        return None
    wide = _Factor(found, named).stretched(F, own)
    return [wide if named == own else F.broadcast_like(wide, site.inputs[operand + 1])]
