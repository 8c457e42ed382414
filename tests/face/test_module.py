"""Modules take any batch that has data, and hand out what they computed, merged or not."""

from collections import namedtuple
from typing import Any

import numpy as np

import gluonic as mx
from gluonic import nd, sym


def bound(**options: Any) -> Any:
    module = mx.mod.Module(sym.Variable("data") * 2, label_names=None)
    module.bind(data_shapes=[("data", (1, 4))], **options)
    module.init_params()
    return module


def test_a_batch_may_be_anything_that_has_data() -> None:
    batch = namedtuple("batch", ["data"])
    module = bound()
    for shape in ((1, 4), (3, 5)):
        module.forward(batch([nd.ones(shape)]))
        assert np.array_equal(module.get_outputs()[0].asnumpy(), 2 * np.ones(shape))


def test_unmerged_results_are_lists_with_an_array_a_context() -> None:
    module = bound(inputs_need_grad=True)
    module.forward(mx.io.DataBatch([nd.ones((1, 4))]), is_train=True)
    module.backward([nd.ones((1, 4))])
    for results in (module.get_outputs, module.get_input_grads):
        ((alone,),) = results(merge_multi_context=False)
        (merged,) = results()
        assert np.array_equal(alone.asnumpy(), merged.asnumpy())
