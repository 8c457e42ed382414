"""Wrong programs that train, save and load nets."""

from tests.face.fixable_programs import fixable

TRAINING = {
    "lr": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize()
trainer = gluon.Trainer(net.collect_params(), 'adam', {'lr': 1e-3})  # here
""",
        "Adam: has no argument 'lr'; did you mean 'learning_rate'?",
        fix=(("'lr'", "'learning_rate'"),),
    ),
    "weight_decay": fixable(
        """
optimizer = mx.optimizer.SGD(learning_rate=0.1, weight_decay=1e-4)  # here
""",
        "SGD: has no argument 'weight_decay'; did you mean 'wd'?",
        fix=(("weight_decay", "wd"),),
    ),
    "beta_1": fixable(
        """
optimizer = mx.optimizer.create('adam', beta_1=0.8)  # here
""",
        "did you mean 'beta1'",
        fix=(("beta_1", "beta1"),),
    ),
    "an optimizer misspelt": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize()
trainer = gluon.Trainer(net.collect_params(), 'adagard')  # here
""",
        "there is no optimizer 'adagard'; did you mean 'adagrad'",
        fix=(("adagard", "adagrad"),),
    ),
    "a net for its parameters": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize()
trainer = gluon.Trainer(net, 'sgd')  # here
""",
        "Trainer: params must be a dictionary or list of Parameters, not Dense",
        "Try: net.collect_params()",
        fix=(("(net,", "(net.collect_params(),"),),
    ),
    "a step without backward": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize()
trainer = gluon.Trainer(net.collect_params(), 'sgd')
with autograd.record():
    loss = net(nd.ones((4, 3))).sum()
trainer.step(4)  # here
""",
        "gradients have not been computed by backward()",
        "Try: call backward() before step()",
        fix=(("trainer.step", "loss.backward()\ntrainer.step"),),
    ),
    "a loss that is not recorded": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize()
loss = net(nd.ones((4, 3))).sum()
loss.backward()  # here
""",
        "it was not computed under autograd.record()",
        "Try: `with autograd.record():` around the computation",
        fix=(("loss = net", "with autograd.record():\n    loss = net"),),
    ),
    "two losses over one graph": fixable(
        """
x = nd.ones((4, 3))
x.attach_grad()
with autograd.record():
    y = x * x
    loss1 = y.sum()
    loss2 = (y * y).sum()
loss1.backward()
loss2.backward()  # here
assert x.grad[0, 0].asscalar() == 6
""",
        "an earlier backward has freed the graph",
        "Try: autograd.backward([loss1, loss2])",
        "retain_graph=True",
        fix=(("loss1.backward()\nloss2.backward()", "autograd.backward([loss1, loss2])"),),
    ),
    "a second loss with a variable of its own": fixable(
        """
x, w = nd.ones((2,)), nd.ones((2,))
x.attach_grad('add')
w.attach_grad()
with autograd.record():
    y = x * x
    loss1 = y.sum()
    loss2 = (y * w).sum()
loss1.backward()
loss2.backward()  # here
assert x.grad[0].asscalar() == 4
""",
        "an earlier backward has freed the graph",
        "retain_graph=True in the earlier backward",
        fix=(("loss1.backward()", "loss1.backward(retain_graph=True)"),),
    ),
    "one-hot labels": fixable(
        """
loss = gluon.loss.SoftmaxCrossEntropyLoss()
labels = nd.one_hot(nd.array([1, 0]), 3)
loss(nd.ones((2, 3)), labels)  # here
""",
        "index: shape (2, 3)",
        "Try: sparse_label=False",
        fix=(("CrossEntropyLoss()", "CrossEntropyLoss(sparse_label=False)"),),
    ),
    "an assignment while recording": fixable(
        """
x, y = nd.ones((2,)), nd.ones((2,))
x.attach_grad()
with autograd.record():
    z = x * 2
    z += y  # here
z.backward()
""",
        "would spoil its gradients",
        "or make a new array (x = x + y)",
        fix=(("z += y", "z = z + y"),),
    ),
    "a dictionary of parameters to clip": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize()
with autograd.record():
    loss = net(nd.ones((1, 3))).sum()
loss.backward()
gluon.utils.clip_global_norm(net.collect_params(), 1.0)  # here
""",
        "Try: [p.grad() for p in net.collect_params().values()]",
        fix=(
            (
                "(net.collect_params(), 1.0)",
                "([p.grad() for p in net.collect_params().values()], 1)",
            ),
        ),
    ),
    "a metric misspelt": fixable(
        """
metric = mx.metric.create('acurracy')  # here
""",
        "did you mean 'accuracy'",
        fix=(("acurracy", "accuracy"),),
    ),
    "predictions of fewer samples": fixable(
        """
metric = mx.metric.Accuracy()
metric.update([nd.array([0, 1, 1])], [nd.ones((2, 3))])  # here
""",
        "labels: shape (3,)",
        "predictions: shape (2,)",
        "of as many samples",
        fix=(("[0, 1, 1]", "[0, 1]"),),
    ),
}


FILES = {
    "another name for the input of a graph": fixable(
        """
net = nn.HybridSequential(prefix='net_')
net.add(nn.Dense(4, in_units=3))
net.initialize()
net.hybridize()
net(nd.ones((1, 3)))
net.export('net')
again = gluon.SymbolBlock.imports('net-symbol.json', ['x'], 'net-0000.params')  # here
""",
        "the graph has no input 'x'",
        "Try: input_names=['data']",
        fix=(("['x']", "['data']"),),
    ),
    "another name for the input, without parameters": fixable(
        """
net = nn.HybridSequential(prefix='net_')
net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Dense(2))
net.initialize()
net.hybridize()
net(nd.ones((1, 3, 8, 8)))
net.export('net')
again = gluon.SymbolBlock.imports('net-symbol.json', ['weight'])  # here
""",
        "Try: input_names=['data']",
        fix=(("['weight']", "['data']"),),
    ),
    "an exported file for a net": fixable(
        """
net = nn.HybridSequential(prefix='net_')
net.add(nn.Dense(4, in_units=3))
net.initialize()
net.hybridize()
net(nd.ones((1, 3)))
symbol_file, file = net.export('net')
other = nn.HybridSequential()
other.add(nn.Dense(4, in_units=3))
other.load_parameters(file)  # here
""",
        "the names in the file are not those of the net",
        "Try: SymbolBlock.imports(symbol_file, input_names, file)",
        fix=(
            (
                "other.load_parameters(file)",
                "gluon.SymbolBlock.imports(symbol_file, ['data'], file)",
            ),
        ),
    ),
    "a file of another architecture": fixable(
        """
def build(units):
    net = nn.HybridSequential()
    net.add(nn.Dense(units, in_units=3))
    return net

net = build(4)
net.initialize()
net.save_parameters('net.params')
other = build(8)
other.load_parameters('net.params')  # here
""",
        "the file holds the shape (4, 3), the net needs (8, 3)",
        "Try: build the net as it was when the file was written",
        fix=(("build(8)", "build(4)"),),
    ),
    "a file that is not there": fixable(
        """
net = nn.Dense(2, in_units=3)
net.initialize()
trainer = gluon.Trainer(net.collect_params(), 'sgd')
trainer.load_states('trainer.states')  # here
""",
        "No such file or directory: 'trainer.states'",
        fix=(("trainer.load", "trainer.save_states('trainer.states')\ntrainer.load"),),
    ),
    "rows of another length": fixable(
        """
np.savetxt('data.csv', np.ones((4, 3)), delimiter=',')
data = mx.io.CSVIter(data_csv='data.csv', data_shape=(4,), batch_size=2)  # here
""",
        "data.csv: has 3 numbers in a row, not (4,)",
        fix=(("(4,)", "(3,)"),),
    ),
}


DATA = {
    "samples that are dictionaries": fixable(
        """
data = [{'image': np.ones((3,), 'float32'), 'label': 1} for _ in range(4)]
loader = gluon.data.DataLoader(data, batch_size=2)
for batch in loader:  # here
    assert batch['image'].shape == (2, 3)
""",
        "sample 0: a dict",
        "batchify_fn=lambda samples: {key: mx.nd.array([s[key] for s in samples]) for key in samples[0]}",
        fix=(
            (
                "batch_size=2)",
                "batch_size=2, batchify_fn=lambda samples: "
                "{key: mx.nd.array([s[key] for s in samples]) for key in samples[0]})",
            ),
        ),
    ),
    "samples that are dictionaries, in a worker": fixable(
        """
data = [{'image': np.ones((3,), 'float32')} for _ in range(4)]
loader = gluon.data.DataLoader(data, batch_size=2, num_workers=1)
for batch in loader:  # here
    assert batch['image'].shape == (2, 3)
""",
        "sample 0: a dict",
        "in a worker process",
        "batchify_fn=lambda samples: {key: mx.nd.array([s[key] for s in samples]) for key in samples[0]}",
        fix=(
            (
                "num_workers=1)",
                "num_workers=1, batchify_fn=lambda samples: "
                "{key: mx.nd.array([s[key] for s in samples]) for key in samples[0]})",
            ),
        ),
    ),
    "samples that are texts": fixable(
        """
data = ['some', 'words', 'to', 'read']
loader = gluon.data.DataLoader(data, batch_size=2)
for batch in loader:  # here
    assert len(batch) == 2
""",
        "sample 0: a str, 'some'",
        "batchify_fn=list",
        fix=(("batch_size=2)", "batch_size=2, batchify_fn=list)"),),
    ),
    "samples with None": fixable(
        """
data = gluon.data.SimpleDataset([(1.0, None), (2.0, None)])
loader = gluon.data.DataLoader(data, batch_size=2)
for batch in loader:  # here
    pass
""",
        "sample 0: part 1: None",
        "Try: a transform that makes numbers of it",
        fix=(("(data,", "(data.transform(lambda x, y: (x, 0)),"),),
    ),
    "samples of unequal lengths": fixable(
        """
data = gluon.data.SimpleDataset([np.ones((n,), 'float32') for n in range(1, 5)])
loader = gluon.data.DataLoader(data, batch_size=2)
for batch in loader:  # here
    pass
""",
        "sample 0: ndarray of shape (1,)",
        "sample 1: ndarray of shape (2,)",
        "Try: a transform that makes them alike",
        fix=(("(data,", "(data.transform(lambda x: np.resize(x, 4)),"),),
    ),
    "arrays of unequal lengths": fixable(
        """
data = gluon.data.ArrayDataset(nd.ones((4, 2)), nd.ones((5,)))  # here
""",
        "all arrays must have one length",
        "lengths: [4, 5]",
        fix=(("(5,)", "(4,)"),),
    ),
    "a loader without a batch size": fixable(
        """
data = gluon.data.ArrayDataset(nd.ones((4, 2)))
loader = gluon.data.DataLoader(data, shuffle=True)  # here
""",
        "batch_size is needed",
        fix=(("shuffle=True", "batch_size=2, shuffle=True"),),
    ),
    "a batch that does not split": fixable(
        """
parts = gluon.utils.split_and_load(nd.ones((5, 3)), [mx.cpu(0), mx.cpu(1)])  # here
""",
        "an array of shape (5, 3) cannot be cut into 2 equal pieces",
        "or even_split=False",
        fix=(("mx.cpu(1)]", "mx.cpu(1)], even_split=False"),),
    ),
}
