"""Translate numbers in words to digits by an encoder, a decoder and attention: "two hundred six" is 2 0 6.

gluonic examples/sequences/translation.py [--steps 200]
"""

import argparse

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon
from mxnet.gluon import nn, rnn

ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
SOURCE = {word: number for number, word in enumerate(["<pad>", *ONES, *TENS, "hundred"])}
BEGIN, END = 10, 11  # after the digits
LONGEST, DIGITS = 4, 4

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--steps", type=int, default=200)
options = parser.parse_args()

mx.random.seed(3)
random = np.random.RandomState(3)


def in_words(number):
    """A number below a thousand in words."""
    hundreds, rest = divmod(number, 100)
    words = [ONES[hundreds], "hundred"] if hundreds else []
    if rest >= 20:
        words.append(TENS[rest // 10 - 2])
        rest %= 10
    return words + ([ONES[rest]] if rest or not words else [])


def sentences(numbers):
    """Words, the number of words, and digits with an end, of numbers."""
    words = np.zeros((len(numbers), LONGEST), "float32")
    lengths = np.zeros(len(numbers), "int32")
    digits = np.full((len(numbers), DIGITS), END, "float32")
    for row, number in enumerate(numbers):
        text, answer = in_words(number), str(number)
        lengths[row], words[row, : len(text)] = len(text), [SOURCE[word] for word in text]
        digits[row, : len(answer)] = [int(digit) for digit in answer]
    return mx.nd.array(words), mx.nd.array(lengths, dtype="int32"), mx.nd.array(digits)


class Translator(gluon.HybridBlock):
    """A recurrent encoder in both directions, and a decoder that looks at all of its states."""

    def __init__(self, width=48, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.words = nn.Embedding(len(SOURCE), width)
            self.digits = nn.Embedding(END + 1, width)
            self.encoder = rnn.GRU(width // 2, layout="NTC", bidirectional=True, input_size=width)
            self.cell = rnn.GRUCell(width, input_size=2 * width)
            self.output = nn.Dense(END + 1)

    def hybrid_forward(self, F, words, lengths, digits):
        """Scores of the digit after each of those given."""
        states = self.encoder(self.words(words))
        state, scores = [F.mean(states, axis=1)], []
        for step in F.split(self.digits(digits), DIGITS, axis=1, squeeze_axis=True):
            attention = F.batch_dot(states, F.expand_dims(state[0], 2))  # (batch, words, 1)
            attention = F.softmax(F.squeeze(attention, axis=2), lengths, use_length=True, axis=-1)
            seen = F.squeeze(F.batch_dot(F.expand_dims(attention, 1), states), axis=1)
            out, state = self.cell(F.concat(step, seen, dim=1), state)
            scores.append(self.output(out))
        return F.stack(*scores, axis=1)


def translate(net, words, lengths):
    """The likeliest digit, one after the other."""
    digits = mx.nd.full((len(words), DIGITS), BEGIN)
    for place in range(DIGITS):
        likeliest = net(words, lengths, digits)[:, place].argmax(axis=-1)
        if place + 1 < DIGITS:
            digits[:, place + 1] = likeliest
    return mx.nd.concat(digits[:, 1:], likeliest.expand_dims(1), dim=1).asnumpy().astype(int)


shuffled = random.permutation(1000)
learned, held_back = shuffled[:800], shuffled[800:]
net = Translator()
net.initialize(mx.init.Xavier())
net.hybridize()
trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01})
loss = gluon.loss.SoftmaxCrossEntropyLoss()
for step in range(options.steps):
    words, lengths, digits = sentences(random.choice(learned, 64))
    before = mx.nd.concat(mx.nd.full((64, 1), BEGIN), digits[:, :-1], dim=1)
    with autograd.record():
        error = loss(net(words, lengths, before), digits)
    error.backward()
    trainer.step(64)
    if step % 100 == 99:
        print(f"step {step + 1}: loss {error.mean().asscalar():.3f}")

words, lengths, digits = sentences(held_back)
answers = translate(net, words, lengths)
for number, answer in zip(held_back[:3], answers[:3], strict=True):
    text = "".join(str(digit) for digit in answer if digit < BEGIN)
    print(f"{' '.join(in_words(number))} -> {text}")
right = (answers == digits.asnumpy()).all(axis=1).mean()
print(f"{right:.3f} of the numbers that were held back are right")
