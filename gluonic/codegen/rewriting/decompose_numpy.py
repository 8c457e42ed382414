"""NumPy's composite operators as what they are made of."""

from collections.abc import Callable, Sequence
from typing import Any

from gluonic.codegen.rewriting.site import RewriteContext
from gluonic.graph.node import Entry
from gluonic.graph.view import settings_of

_Rule = Callable[[Any, RewriteContext], Sequence[Entry] | None]


def _reduction(join: Callable[[Any, Entry, float], Entry] | None = None) -> _Rule:
    """A reduction over no axes is its input; one that begins with a number joins that last."""

    def rule(F: Any, site: RewriteContext) -> Sequence[Entry] | None:
        n, settings = site.n, settings_of(site.n)
        initial = settings.get("initial")
        if n.axis != () and initial is None:
            return None
        found = n.a
        if n.axis != ():
            found = getattr(F, site.node.operator_name)(n.a, **{**settings, "initial": None})
        if initial is None or join is None:
            return [found]
        return [F._cast_like(join(F, found, initial), found)]

    return rule


from_initial_sum = _reduction(lambda F, total, initial: total + initial)
from_initial_product = _reduction(lambda F, total, initial: total * initial)
from_initial_largest = _reduction(
    lambda F, found, initial: F._maximum_scalar(found, scalar=initial)
)
from_initial_smallest = _reduction(
    lambda F, found, initial: F._minimum_scalar(found, scalar=initial)
)
as_it_is = _reduction()
