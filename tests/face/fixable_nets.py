"""Wrong programs that build and call nets."""

from tests.face.fixable_programs import fixable

LAYERS = {
    "a layer made for other inputs": fixable(
        """
net = nn.HybridSequential()
net.add(nn.Dense(16, in_units=10), nn.Dense(2, in_units=10))
net.initialize()
net.hybridize()
net(nd.ones((4, 10)))  # here
""",
        "data: shape (4, 16) from FullyConnected",
        "weight: shape (2, 10)",
        "in_units=16",
        fix=(("nn.Dense(2, in_units=10)", "nn.Dense(2, in_units=16)"),),
    ),
    "images with the channels last": fixable(
        """
net = nn.HybridSequential()
net.add(nn.Conv2D(8, 3, in_channels=3), nn.GlobalAvgPool2D())
net.initialize()
net.hybridize()
x = nd.ones((2, 32, 32, 3))
net(x)  # here
""",
        "data: shape (2, 32, 32, 3)",
        "Try: x.transpose((0, 3, 1, 2))",
        fix=(("net(x)", "net(x.transpose((0, 3, 1, 2)))"),),
    ),
    "images with the channels first": fixable(
        """
net = nn.Conv2D(8, 3, in_channels=3, layout='NHWC')
net.initialize()
x = nd.ones((2, 3, 32, 32))
net(x)  # here
""",
        "data: shape (2, 3, 32, 32)",
        "Try: x.transpose((0, 2, 3, 1))",
        fix=(("net(x)", "net(x.transpose((0, 2, 3, 1)))"),),
    ),
    "one image without a batch": fixable(
        """
net = nn.Conv2D(8, 3)
net.initialize()
x = nd.ones((3, 32, 32))
net(x)  # here
""",
        "data is (3, 32, 32)",
        "x.expand_dims(axis=0)",
        fix=(("net(x)", "net(x.expand_dims(axis=0))"),),
    ),
    "a net that is not initialized": fixable(
        """
net = nn.Dense(2)
x = nd.ones((4, 10))
net(x)  # here
""",
        "has not been initialized",
        "Try: net.initialize()",
        fix=(("x = nd", "net.initialize()\nx = nd"),),
    ),
    "a list of layers": fixable(
        """
class Net(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Dense(3), nn.Dense(3)]

    def hybrid_forward(self, F, x):
        for layer in self.layers:
            x = layer(x)  # here
        return x

net = Net()
net.initialize()
net(nd.ones((2, 5)))
""",
        "has not been initialized",
        "lists of blocks are not registered",
        "use nn.Sequential, or register_child()",
        fix=(
            ("[nn.Dense(3), nn.Dense(3)]", "nn.HybridSequential()"),
            (
                "\n\n    def hybrid",
                "\n        self.layers.add(nn.Dense(3), nn.Dense(3))\n\n    def hybrid",
            ),
        ),
    ),
    "names of another library for arguments": fixable(
        """
net = nn.Dense(out_features=2)  # here
""",
        "Dense: has no argument 'out_features'; did you mean 'units'?",
        fix=(("out_features", "units"),),
    ),
    "a convolution's argument of another library": fixable(
        """
net = nn.Conv2D(filters=8, kernel_size=3)  # here
""",
        "Conv2D: has no argument 'filters'; did you mean 'channels'?",
        fix=(("filters", "channels"),),
    ),
    "a layer of another library": fixable(
        """
net = nn.Linear(2)  # here
""",
        "nn has no 'Linear'",
        "Try: nn.Dense",
        fix=(("nn.Linear", "nn.Dense"),),
    ),
    "a layer in another module": fixable(
        """
net = nn.LSTM(8)  # here
""",
        "nn has no 'LSTM'",
        "Try: gluon.rnn.LSTM",
        fix=(("nn.LSTM", "gluon.rnn.LSTM"),),
    ),
    "a state of an LSTM forgotten": fixable(
        """
net = gluon.rnn.LSTM(8, input_size=4)
net.initialize()
states = [nd.zeros((1, 2, 8))]
net(nd.ones((5, 2, 4)), states)  # here
""",
        "states: [(1, 2, 8)]",
        "needed: [(1, 2, 8), (1, 2, 8)]",
        "begin_state(batch_size=2)",
        fix=(("[nd.zeros((1, 2, 8))]", "net.begin_state(batch_size=2)"),),
    ),
    "a recurrent layer made for other features": fixable(
        """
net = gluon.rnn.LSTM(8, input_size=4)
net.initialize()
net.hybridize()
net(nd.ones((5, 2, 6)))  # here
""",
        "data: shape (5, 2, 6)",
        "Try: input_size=6 in the layer",
        fix=(("input_size=4", "input_size=6"),),
    ),
    "a sequence without a batch": fixable(
        """
net = gluon.rnn.LSTM(8, input_size=4)
net.initialize()
net.hybridize()
x = nd.ones((5, 4))
net(x)  # here
""",
        "data is (5, 4)",
        "x.expand_dims(axis=1)",
        fix=(("net(x)", "net(x.expand_dims(axis=1))"),),
    ),
    "two layers with one prefix": fixable(
        """
net = nn.HybridSequential()
for _ in range(2):
    net.add(nn.Dense(3, prefix='fc_'))
net.initialize()  # here
""",
        "two different parameters named 'fc_weight'",
        "or with other prefixes",
        fix=(("for _", "for i"), ("'fc_'", "f'fc{i}_'")),
    ),
}


HYBRID = {
    "F forgotten": fixable(
        """
class Net(gluon.HybridBlock):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3)

    def hybrid_forward(self, x):
        return self.dense(x)

net = Net()
net.initialize()
net(nd.ones((2, 5)))  # here
""",
        "Net: hybrid_forward(self, x) lacks F",
        "Try: def hybrid_forward(self, F, x): …",
        fix=(("hybrid_forward(self, x)", "hybrid_forward(self, F, x)"),),
    ),
    "self forgotten": fixable(
        """
class Net(gluon.HybridBlock):
    def hybrid_forward(F, x):
        return F.relu(x)

net = Net()
net.hybridize()
net(nd.ones((2, 5)))  # here
""",
        "Net: hybrid_forward(F, x) lacks self",
        "Try: def hybrid_forward(self, F, x): …",
        fix=(("hybrid_forward(F, x)", "hybrid_forward(self, F, x)"),),
    ),
    "super forgotten": fixable(
        """
class Net(gluon.HybridBlock):
    def __init__(self):
        self.dense = nn.Dense(3)  # here

net = Net()
""",
        "Net: self.dense is set before the block is made",
        "super().__init__(",
        fix=(("        self.dense", "        super().__init__()\n        self.dense"),),
    ),
    "the shape of a Symbol": fixable(
        """
class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return F.reshape(x, shape=(x.shape[0], -1))  # here

net = Net()
net.hybridize()
net(nd.ones((2, 5, 3)))
""",
        "a Symbol has no 'shape'",
        "F.reshape(x, shape=(0, -1))",
        fix=(("(x.shape[0], -1)", "(0, -1)"),),
    ),
    "a branch on a Symbol": fixable(
        """
class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return x if x.sum() > 0 else -x  # here

net = Net()
net.hybridize()
net(nd.ones((2, 5)))
""",
        "a Symbol has no truth value",
        "F.contrib.cond",
        fix=(
            ("return x if x.sum() > 0 else -x", "return F.contrib.cond(x.sum() > 0, *both)"),
            ("        return", "        both = (lambda: x), (lambda: -x)\n        return"),
        ),
    ),
    "a difference of Symbols that would broadcast": fixable(
        """
class Center(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return x - F.mean(x, axis=1, keepdims=True)  # here

net = Center()
net.hybridize()
net(nd.ones((2, 5)))
""",
        "lhs: shape (2, 5) from data",
        "rhs: shape (2, 1) from mean",
        "Try: F.broadcast_sub(a, b)",
        "in block center",
        fix=(("x - F.mean(x, axis=1, keepdims=True)", "F.broadcast_sub(x, F.mean(x, 1, True))"),),
    ),
    "columns of a Symbol": fixable(
        """
class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return x[:, 0:2]  # here

net = Net()
net.hybridize()
net(nd.ones((2, 5)))
""",
        "Try: F.slice_axis(x, axis=1, begin=0, end=2)",
        fix=(("x[:, 0:2]", "F.slice_axis(x, axis=1, begin=0, end=2)"),),
    ),
    "the last column of a Symbol": fixable(
        """
class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return x[0, :, -1]  # here

net = Net()
net.hybridize()
assert net(nd.ones((2, 5, 3))).shape == (5,)
""",
        "F.squeeze(F.slice_axis(F.squeeze(F.slice_axis(x, axis=0, begin=0, end=1), axis=0), axis=1, "
        "begin=-1, end=None), axis=1)",
        fix=(
            (
                "x[0, :, -1]",
                "F.squeeze(F.slice_axis(F.squeeze(F.slice_axis(x, axis=0, begin=0, end=1), axis=0), "
                "axis=1, begin=-1, end=None), axis=1)",
            ),
        ),
    ),
    "an operator of nd for a Symbol": fixable(
        """
class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return nd.softmax(x)  # here

net = Net()
net.hybridize()
net(nd.ones((2, 5)))
""",
        "but is Symbol",
        "Try: the operators of F within hybrid_forward",
        fix=(("nd.softmax", "F.softmax"),),
    ),
    "the values of a Symbol": fixable(
        """
class Net(gluon.HybridBlock):
    def hybrid_forward(self, F, x):
        return x / x.asnumpy().max()  # here

net = Net()
net.hybridize()
net(nd.ones((2, 5)))
""",
        "a Symbol has no asnumpy()",
        "Try: operators of F instead, such as F.max(x)",
        fix=(("x / x.asnumpy().max()", "F.broadcast_div(x, F.max(x))"),),
    ),
    "an export before the first call": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize()
net(nd.ones((1, 3)))
net.export('net')  # here
""",
        "Dense: there is no graph to export yet",
        "Try: net.hybridize() and one batch through the net",
        fix=(("net(nd", "net.hybridize()\nnet(nd"),),
    ),
}
