"""Dense layers."""

from gluonic.codegen.lowerings.entry import lower

lower("FullyConnected", product="matmul.product:dense", float16="upcast")
