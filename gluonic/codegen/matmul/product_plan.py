"""The plan of a matrix product: the properties, besides dimensions, that its function depends on."""

from gluonic.codegen.machine.target import host
from gluonic.codegen.maths.values import Dtype
from gluonic.codegen.matmul.attention_heads import MatrixLayout
from gluonic.codegen.matmul.choices import PANELS, PART, TRANSPOSED_COLUMNS
from gluonic.codegen.matmul.product_kernel import ProductForm, ProductTiling
from gluonic.support.cached_property import cached_property
from gluonic.support.record import record


@record
class ProductPlan:
    """The properties that determine a product's function on this machine.

    Attributes
    ----------
    form : the properties that the code of its panels depends on
    layouts : the layouts of the matrices in the factors and the output
    methods : the algorithms that it chooses from
    widths : the widths, in registers, of the panels that it may compute
    """

    form: ProductForm
    layouts: tuple[MatrixLayout, MatrixLayout, MatrixLayout]
    methods: tuple[int, ...]
    widths: tuple[int, ...]

    @property
    def dtype(self) -> Dtype:
        """The dtype of all matrices."""
        return self.form.dtype

    @property
    def transposed(self) -> tuple[bool, bool]:
        """Whether the factors are transposed in memory."""
        return self.form.transposed_a, self.form.transposed_b

    @property
    def has_panels(self) -> bool:
        """Whether it may compute panels."""
        return PANELS in self.methods

    @property
    def operand_count(self) -> int:
        """The number of arrays passed to it: factors, bias, packed factor, output."""
        return 3 + self.form.has_bias + self.form.packed_b

    @cached_property
    def tiling(self) -> ProductTiling:
        """The tile sizes."""
        return ProductTiling.of(self.dtype, host())

    @property
    def packed_left_at(self) -> int:
        """The offset, in bytes, of the packed left factor in the workspace: after the panel."""
        return self.tiling.panel_bytes(PART, self.dtype.itemsize)

    @property
    def unit_columns(self) -> int:
        """The number of columns in a unit of panels."""
        widest = self.tiling.columns
        return max(TRANSPOSED_COLUMNS // widest, 1) * widest if self.form.transposed_a else widest
