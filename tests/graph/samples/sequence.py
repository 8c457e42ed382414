"""Samples of operators on batches of sequences."""

from itertools import product

import numpy as np

from tests.graph.samples.sample import Sample, uniform

ALL = ("float32", "float16", "int32", "int64", "int8", "uint8", "bool")
LENGTHS = np.array([1, 3], np.float32)
SAMPLES = {
    name: [
        Sample(
            [uniform(*shape), LENGTHS] if used else [uniform(*shape)],
            {"axis": axis, "use_sequence_length": used},
            differentiable=(0,),
            dtypes=ALL,
        )
        for (axis, shape), used in product(shapes, (False, True))
    ]
    for name, shapes in {
        "SequenceMask": [(0, (4, 2)), (0, (3, 2, 2)), (1, (2, 4, 3))],
        "SequenceLast": [(0, (4, 2)), (0, (3, 2, 2)), (1, (2, 4, 3))],
        "SequenceReverse": [(0, (4, 2)), (0, (3, 2, 2))],
    }.items()
}
