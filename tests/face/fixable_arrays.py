"""Wrong programs on arrays, symbols and operators of their own."""

from tests.face.fixable_programs import fixable

ARRAYS = {
    "the numbers of a tuple one by one": fixable(
        """
x = nd.ones((2, 3, 4))
y = x.transpose(2, 0, 1)  # here
assert y.shape == (4, 2, 3)
""",
        "transpose: takes the numbers 2, 0, 1 as one tuple",
        "Try: axes=(2, 0, 1)",
        fix=(("2, 0, 1", "axes=(2, 0, 1)"),),
    ),
    "a boolean mask": fixable(
        """
x, value = nd.array([1.0, -2.0, 3.0]), 0
x[x.asnumpy() < 0] = value  # here
assert x.asnumpy().tolist() == [1, 0, 3]
""",
        "Cannot perform boolean indexing",
        "x[:] = nd.where(mask, nd.full(x.shape, value), x)",
        fix=(
            (
                "x[x.asnumpy() < 0] = value",
                "mask = x < 0\nx[:] = nd.where(mask, nd.full(x.shape, value), x)",
            ),
        ),
    ),
    "an argument of another name": fixable(
        """
x = nd.concat(nd.ones((2, 3)), nd.ones((2, 4)), axis=1)  # here
""",
        "Concat: has no attribute 'axis'; did you mean 'dim'?",
        fix=(("axis=1", "dim=1"),),
    ),
    "matrices that do not fit": fixable(
        """
x, w = nd.ones((5, 3)), nd.ones((4, 3))
y = nd.dot(x, w)  # here
""",
        "lhs: shape (5, 3)",
        "rhs: shape (4, 3)",
        "transpose_b=True",
        fix=(("(x, w)", "(x, w, transpose_b=True)"),),
    ),
    "shapes that do not broadcast": fixable(
        """
x, w = nd.ones((5, 3)), nd.ones((5,))
y = x * w  # here
""",
        "(5, 3) and (5,) cannot be broadcast together",
        "expand_dims(axis=…)",
        fix=(("x * w", "x * w.expand_dims(axis=1)"),),
    ),
    "an input of another dtype": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize()
x = nd.array(np.ones((4, 3)), dtype='float64')
net(x)  # here
""",
        "data: shape (4, 3), dtype float64",
        "Try: x.astype('float32')",
        fix=(("net(x)", "net(x.astype('float32'))"),),
    ),
    "a net of another dtype": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize()
net.hybridize()
x = nd.array(np.ones((4, 3)), dtype='float64')
net(x)  # here
""",
        "weight: dtype float32 from dense",
        "net.cast('float64')",
        fix=(("net(x)", "net.cast('float64')\nnet(x)"),),
    ),
    "integers for a layer": fixable(
        """
net = nn.Dense(2)
net.initialize()
net.hybridize()
x = nd.array([[1, 2, 3]], dtype='int32')
net(x)  # here
""",
        "data must be float16, float32 or float64, not int32",
        "Try: x.astype('float32')",
        fix=(("net(x)", "net(x.astype('float32'))"),),
    ),
    "a NumPy array for a net": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize()
x = np.ones((4, 3), 'float32')
net(x)  # here
""",
        "Dense: needs an NDArray",
        "Try: mx.nd.array(value)",
        fix=(("net(x)", "net(mx.nd.array(x))"),),
    ),
    "a number of several elements": fixable(
        """
loss = nd.ones((4,))
print('loss', loss.asscalar())  # here
""",
        "not a scalar: its shape is (4,)",
        "or x.mean().asscalar()",
        fix=(("loss.asscalar()", "loss.mean().asscalar()"),),
    ),
    "texts for an array": fixable(
        """
x = nd.array(['1', 'b'])  # here
""",
        "the value: ['1', 'b']",
        "in place of texts",
        fix=(("['1', 'b']", "[1, 2]"),),
    ),
    "a GPU": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize(ctx=mx.gpu(0))  # here
""",
        "gpu(0): there is no such GPU; use mx.cpu()",
        fix=(("mx.gpu(0)", "mx.cpu()"),),
    ),
}


SYMBOLS = {
    "a shape without a name": fixable(
        """
out = mx.sym.FullyConnected(mx.sym.var('data'), num_hidden=3)
module = mx.mod.Module(mx.sym.SoftmaxOutput(out, name='softmax'))
module.bind(data_shapes=[(8, 12)], label_shapes=[('softmax_label', (8,))])  # here
""",
        "a pair of name and shape, not by (8, 12)",
        "Try: data_shapes=[('data', (8, 12))]",
        fix=(("data_shapes=[(8, 12)]", "data_shapes=[('data', (8, 12))]"),),
    ),
    "a label's shape without a name": fixable(
        """
out = mx.sym.FullyConnected(mx.sym.var('data'), num_hidden=3)
module = mx.mod.Module(mx.sym.SoftmaxOutput(out, name='softmax'))
module.bind(data_shapes=[('data', (8, 12))], label_shapes=[(8,)])  # here
""",
        "Try: label_shapes=[('softmax_label', (8,))]",
        fix=(("[(8,)]", "[('softmax_label', (8,))]"),),
    ),
    "a label of another name": fixable(
        """
out = mx.sym.FullyConnected(mx.sym.var('data'), num_hidden=1)
out = mx.sym.LinearRegressionOutput(out, name='lro')
module = mx.mod.Module(out)
shapes = [('data', (8, 12))]
module.bind(shapes, [(name, (8, 1)) for name in module.label_names])
module.init_params()  # here
""",
        "label_names=['softmax_label']: the symbol has no argument 'softmax_label'",
        "Try: label_names=['lro_label'] in the Module",
        fix=(("Module(out)", "Module(out, label_names=['lro_label'])"),),
    ),
    "a module without parameters": fixable(
        """
out = mx.sym.FullyConnected(mx.sym.var('data'), num_hidden=3)
module = mx.mod.Module(out, label_names=None)
module.bind(data_shapes=[('data', (8, 12))], for_training=False)
module.forward(mx.io.DataBatch([nd.ones((8, 12))]))  # here
""",
        "Module: call init_params() first",
        fix=(("module.forward", "module.init_params()\nmodule.forward"),),
    ),
    "an argument forgotten": fixable(
        """
a, b = mx.sym.var('a'), mx.sym.var('b')
executor = (a + b).bind(mx.cpu(), {'a': nd.ones((2,))})  # here
""",
        "bind: args lacks 'b'",
        "Try: an array for 'b'",
        fix=(("{'a': nd.ones((2,))}", "{'a': nd.ones((2,)), 'b': nd.ones((2,))}"),),
    ),
    "an output without its ending": fixable(
        """
out = mx.sym.FullyConnected(mx.sym.var('data'), num_hidden=4, name='fc')
layer = out.get_internals()['fc']  # here
""",
        "has no output 'fc'; did you mean 'fc_output'?",
        fix=(("['fc']", "['fc_output']"),),
    ),
    "shapes that contradict": fixable(
        """
fc = mx.sym.FullyConnected(mx.sym.var('data'), num_hidden=4, name='fc')
out = mx.sym.broadcast_add(fc, mx.sym.var('shift'))  # here
executor = out.simple_bind(mx.cpu(), data=(2, 5), shift=(2,))
""",
        "lhs: shape (2, 4) from FullyConnected 'fc'",
        "rhs: shape (2,) from shift",
        "expand_dims(axis=…)",
        fix=(("mx.sym.var('shift')", "mx.sym.expand_dims(mx.sym.var('shift'), axis=1)"),),
    ),
}


_CUSTOM = """
class Twice(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], 2 * in_data[0])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], 2 * out_grad[0])

@mx.operator.register('fixable_twice')
class TwiceProp(mx.operator.CustomOpProp):
    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0]], []

    def create_operator(self, ctx, shapes, dtypes):
        return Twice()

x = nd.ones((3,))
x.attach_grad()
with autograd.record():
    y = nd.Custom(x, op_type='fixable_twice')
y.backward()
"""
_BACKWARD = """
    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], 2 * out_grad[0])
"""

CUSTOM = {
    "an operator without backward": fixable(
        _CUSTOM.replace(_BACKWARD, "").replace("backward()", "backward()  # here"),
        "Custom op_type='fixable_twice': Twice.backward: no gradient is written",
        "Try: def backward(self, req, out_grad, in_data, out_data, in_grad, aux)",
        "self.assign(in_grad[0], req[0], …)",
        fix=(("\n\n@mx", f"\n{_BACKWARD}\n@mx"),),
    ),
    "an operator of another name": fixable(
        _CUSTOM.replace("op_type='fixable_twice')", "op_type='FixableTwice')  # here"),
        "no operator is registered as op_type='FixableTwice'; did you mean 'fixable_twice'",
        fix=(("FixableTwice", "fixable_twice"),),
    ),
    "a number for a shape": fixable(
        _CUSTOM.replace("[in_shape[0]], []", "in_shape[0], []")
        .replace("y = nd", "y  = nd")
        .replace("op_type='fixable_twice')", "op_type='fixable_twice')  # here"),
        "TwiceProp.infer_shape",
        "Try: return lists of shapes, each a list or tuple of whole numbers",
        fix=(("in_shape[0], []", "[in_shape[0]], []"),),
    ),
    "a function without backward": fixable(
        """
class Double(autograd.Function):
    def forward(self, x):
        return 2 * x

x = nd.ones((3,))
x.attach_grad()
with autograd.record():
    y = Double()(x)
y.backward()  # here
""",
        "Double.backward: the Function has no backward",
        "Try: def backward(self, dy): … return dx",
        fix=(("\n\nx = nd", "\n\n    def backward(self, dy):\n        return 2 * dy\n\nx = nd"),),
    ),
}
