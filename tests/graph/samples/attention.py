"""Samples of products of attention."""

from tests.graph.samples.sample import Sample, uniform

FLOATING = ("float32", "float16")


def _of(*shapes: tuple[int, ...], heads: int = 2) -> Sample:
    arrays = [uniform(*shape, seed=i) for i, shape in enumerate(shapes)]
    return Sample(arrays, {"heads": heads}, dtypes=FLOATING)


SAMPLES = {
    "_contrib_div_sqrt_dim": [Sample([uniform(2, 3)], dtypes=FLOATING)],
    "_contrib_interleaved_matmul_selfatt_qk": [_of((4, 3, 12)), _of((4, 3, 12), heads=1)],
    "_contrib_interleaved_matmul_selfatt_valatt": [_of((4, 3, 12), (6, 4, 4))],
    "_contrib_interleaved_matmul_encdec_qk": [_of((5, 3, 4), (4, 3, 8))],
    "_contrib_interleaved_matmul_encdec_valatt": [_of((4, 3, 8), (6, 5, 4))],
}
