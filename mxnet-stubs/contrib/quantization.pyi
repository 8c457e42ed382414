"""What programs import from here; written by ``python -m gluonic.tools.stubs``."""

from gluonic.contrib.quantization import *
from gluonic.contrib.quantization import (
    calib_graph as calib_graph,
    combine_histogram as combine_histogram,
    quantize_graph as quantize_graph,
    quantize_model as quantize_model,
    quantize_model_mkldnn as quantize_model_mkldnn,
    quantize_net as quantize_net,
    quantize_net_v2 as quantize_net_v2,
)
