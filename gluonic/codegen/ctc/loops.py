"""Machine code of connectionist temporal classification: forward and backward along the steps of a sequence.

States are the labels with blanks between them and at both ends. The probabilities of all path prefixes that end
in a state at a step, and of all suffixes from there, are stored as logarithms, with a row of states per step.
Impossible states, including those before the first and after the last, have the logarithm of zero, so rows are
padded to whole registers.
"""

from collections.abc import Callable

from gluonic.codegen.machine.assembler import LLVMModule
from gluonic.codegen.maths.values import INT64, Dtype, Value
from gluonic.codegen.writers.element_writer import ElementWriter
from gluonic.support.record import record

_WORD = 8
"""The bytes of a class number."""


@record
class CTCOperands:
    """The operands of the step.

    Attributes
    ----------
    dtype : of scores, losses and gradients
    inputs : the dtypes of the other inputs: labels, and lengths where there are
    has_data_lengths, has_label_lengths : whether sequences may be shorter than the arrays
    blank_is_first : whether the blank is the first class, not the last
    has_gradient : whether gradients are written, too
    """

    dtype: Dtype
    inputs: tuple[Dtype, ...]
    has_data_lengths: bool
    has_label_lengths: bool
    blank_is_first: bool
    has_gradient: bool


@record
class _Sequence:
    """The facts about a sequence before the recursion.

    Attributes
    ----------
    number : its index
    states, last : the number of states, and the index of the last one
    end : the last step
    ends : the number of steps; 0 or less if there is none
    can_fit : whether its label has a valid length
    """

    number: str
    states: str
    last: str
    end: str
    ends: str
    can_fit: str


class CtcWriter(ElementWriter):
    """Writes the loop over sequences.

    Numbers are steps, sequences, classes, labels and the length of a row of states. Operands are the inputs,
    the results, the flag for a bail-out, and the workspace: the classes of states, and rows.
    """

    def __init__(self, module: LLVMModule, name: str, layout: CTCOperands) -> None:
        super().__init__(module, name, layout.dtype)
        self.layout = layout
        self.step_count, self.batch, self.classes, self.labels, self.row = map(
            self.number, range(5)
        )
        count = 1 + len(layout.inputs)
        self.data, *self.others = (self.operand(i) for i in range(count))
        self.losses = self.operand(count)
        self.gradients = self.operand(count + 1) if layout.has_gradient else ""
        behind = count + 1 + int(layout.has_gradient)
        self.bail_out, self.state_classes = self.operand(behind), self.operand(behind + 1)
        self.nothing = self.number_of(float("-inf"))
        self.blank = "0" if layout.blank_is_first else self.minus(self.classes, 1)
        all_states = self.plus(self.times(self.labels, 2), 1)
        lines = self.f.bits(self.plus(self.times(all_states, _WORD), 63), -64)
        rows = self.moved(self.state_classes, lines)
        self.rows = rows
        self.skips, self.after = (self.at(self._row(i), self.lanes) for i in (0, 1))
        self.slots = [self.f.slot(self.vector) for _ in range(2)]

    def _row(self, number: str | int) -> str:
        """The address of a row of states, before its margin."""
        return self.at(self.rows, self.times(number, self.row))

    def _ahead(self, step: str | int) -> str:
        """The log-probabilities of all prefixes that end in each state at a step, that step included."""
        return self.at(self._row(self.plus(step, 2)), self.lanes)

    def _emitted(self, step: str | int) -> str:
        """The logarithms of the probabilities of the states' classes at a step."""
        return self.at(self._row(self.plus(self.plus(step, 2), self.step_count)), self.lanes)

    def write(self) -> None:
        """Write the function."""
        f = self.f
        rows = self.plus(self.times(self.step_count, 2), 2)
        with f.loop("%begin", "%end") as number:
            self.fill_whole(self.rows, "0", self.times(rows, self.row), self.nothing)
            sequence = self._prepared(number)
            with f.loop("0", self.plus(sequence.end, 1)) as step:
                self._go_on(sequence, step)
            total = self._total(sequence)
            is_finite = self.m.isfinite(total).ref
            fits = f.both(is_finite, sequence.can_fit)
            chosen = f.select(fits, (-total).ref, "0.0", self.kind)
            self.put(self.m.value(chosen, self.dtype, 1), self.at(self.losses, number))
            if self.layout.has_gradient:
                self._gradient(sequence, total, fits)
        f.finish()

    # -- labels and lengths -------------------------------------------------------------------

    def _bail_out_if(self, condition: str) -> None:
        """Leave this call to the interpreter."""
        with self.f.when(condition, seldom=True):
            self.f.store("i64", 1, self.bail_out, 8)

    def _integer(self, position: int, index: str) -> str:
        """An element of an input other than the scores, as an integer."""
        return (
            self.element_of(self.others[position], index, self.layout.inputs[position])
            .astype(INT64)
            .ref
        )

    def _prepared(self, number: str) -> _Sequence:
        f, layout = self.f, self.layout
        ends = self.step_count
        if layout.has_data_lengths:
            ends = self._integer(1, number)
            self._bail_out_if(f.compare("sgt", ends, self.step_count))
            ends = self.least(ends, self.step_count)
        counted = self._given_count(number) if layout.has_label_lengths else self._count(number)
        can_fit = f.compare("sge", counted, 0)
        count = self.most(counted, 0)
        self._write_classes(number, count)
        last = self.times(count, 2)
        end = self.most(self.minus(ends, 1), 0)
        return _Sequence(number, self.plus(last, 1), last, end, ends, can_fit)

    def _given_count(self, number: str) -> str:
        count = self._integer(1 + int(self.layout.has_data_lengths), number)
        self._bail_out_if(self.f.compare("sgt", count, self.labels))
        return self.least(count, self.labels)

    def _count(self, number: str) -> str:
        """The number of labels before the padding."""
        f, dtype = self.f, self.layout.inputs[0]
        padding, slot = (0 if self.layout.blank_is_first else -1), f.slot("i64", 8)
        f.store("i64", self.labels, slot, 8)
        begin = self.times(number, self.labels)
        with f.loop("0", self.labels) as index:
            label = self.element_of(self.others[0], self.plus(begin, index), dtype)
            ends_here = self.m.equal(label, padding).ref
            found = f.load("i64", slot, 8)
            first = self.least(found, index)
            f.store("i64", self._either(ends_here, first, found), slot, 8)
        return f.load("i64", slot, 8)

    def _either(self, condition: str, yes: str, no: str) -> str:
        return self.f.select(condition, yes, no)

    def _write_classes(self, number: str, count: str) -> None:
        """Write the class of each state, and the states that a path may reach by skipping a blank."""
        f, begin = self.f, self.times(number, self.labels)
        self._put_class("0", self.blank)
        with f.loop("0", count) as index:
            label = self._integer(0, self.plus(begin, index))
            self._bail_out_if(f.compare("uge", label, self.classes))
            label = self.least(self.most(label, 0), self.minus(self.classes, 1))
            state = self.plus(self.times(index, 2), 1)
            before = self._class_of(self.most(self.minus(state, 2), 0))
            self._put_class(state, label)
            self._put_class(self.plus(state, 1), self.blank)
            differs = [f.compare("ne", label, other) for other in (self.blank, before)]
            is_first = f.compare("eq", index, 0)
            skips = f.both(differs[0], differs[1])
            skips = f.both(skips, f.negated(is_first))
            nothing = self.nothing.ref
            reach = f.select(skips, "0.0", nothing, self.kind)
            self.put(self.m.value(reach, self.dtype, 1), self.at(self.skips, state))

    def _put_class(self, state: str, ref: str) -> None:
        self.f.store("i64", ref, self.moved(self.state_classes, state, _WORD), 8)

    def _class_of(self, state: str) -> str:
        return self.f.load("i64", self.moved(self.state_classes, state, _WORD), 8)

    # -- forward ------------------------------------------------------------------------------

    def _classes_at(self, array: str, sequence: _Sequence, step: str) -> str:
        """The classes of a sequence at a step, in an array with the layout of the scores."""
        line = self.plus(self.times(step, self.batch), sequence.number)
        return self.at(array, self.times(line, self.classes))

    def _go_on(self, sequence: _Sequence, step: str) -> None:
        """Write one step of the forward recursion."""
        f, scores = self.f, self._classes_at(self.data, sequence, step)
        largest = self._over_classes(scores, self.nothing, self.m.maximum, lambda x: x)
        share = self._over_classes(
            scores, self.number_of(0.0), self.m.add, lambda x: self.m.exp(x - largest)
        )
        log_sum = self.m.log(share)
        if self.layout.has_gradient:
            gradients = self._classes_at(self.gradients, sequence, step)

            def write_share(i: str, lanes: int) -> None:
                shifted = self.element(self.at(scores, i), lanes) - largest
                self.put(self.m.exp(shifted - log_sum), self.at(gradients, i), lanes)

            self.spans("0", self.classes, write_share)
        emitted, ahead = self._emitted(step), self._ahead(step)
        with f.loop("0", sequence.states) as state:
            score = self.whole(self.at(scores, self._class_of(state)))
            self.put_whole((score - largest) - log_sum, self.at(emitted, state))
        self.either(
            f.compare("eq", step, 0),
            lambda: self._begin(sequence, emitted, ahead),
            lambda: self._walk(sequence, self._ahead(self.minus(step, 1)), emitted, ahead),
        )

    def _over_classes(
        self,
        scores: str,
        neutral: Value,
        join: Callable[[Value, Value], Value],
        term: Callable[[Value], Value],
    ) -> Value:
        """All classes combined; beyond the last one scores are minus infinity."""
        slot = self.slots[0]
        self.put_whole(neutral, slot, self.lanes)

        def take(i: str, lanes: int) -> None:
            value = self.element(self.at(scores, i), lanes, self.nothing)
            self.put_whole(join(self.whole(slot, lanes), term(value)), slot, lanes)

        self.spans("0", self.classes, take)
        found = self.whole(slot, self.lanes)
        while found.lanes > 1:
            half = found.lanes // 2
            found = join(*(self.m.lanes_of(found, start, half) for start in (0, half)))
        return found

    def _begin(self, sequence: _Sequence, emitted: str, ahead: str) -> None:
        """Write the first step: paths begin in the first two states."""
        with self.f.loop("0", self.least(sequence.states, 2)) as state:
            self.put_whole(self.whole(self.at(emitted, state)), self.at(ahead, state))

    def _walk(self, sequence: _Sequence, before: str, emitted: str, ahead: str) -> None:
        with self.f.loop("0", sequence.states, self.lanes) as state:
            stay, step, jump = (
                self.whole(self.at(before, self.minus(state, back)), self.lanes)
                for back in range(3)
            )
            reach = self.whole(self.at(self.skips, state), self.lanes)
            total = self._added(stay, step, jump + reach)
            total = total + self.whole(self.at(emitted, state), self.lanes)
            self.put_whole(total, self.at(ahead, state), self.lanes)

    def _added(self, *logs: Value) -> Value:
        """The logarithm of a sum, from the logarithms of its terms."""
        m = self.m
        largest = logs[0]
        for other in logs[1:]:
            largest = m.maximum(largest, other)
        base = m.where(m.equal(largest, float("-inf")), 0.0, largest)
        total = m.exp(logs[0] - base)
        for other in logs[1:]:
            total = total + m.exp(other - base)
        return m.log(total) + base

    def _total(self, sequence: _Sequence) -> Value:
        """The logarithm of the label's probability: paths end in the last two states."""
        ahead = self._ahead(sequence.end)
        ends = [self.whole(self.at(ahead, self.minus(sequence.last, back))) for back in (0, 1)]
        return self._added(*ends)

    # -- backward -----------------------------------------------------------------------------

    def _gradient(self, sequence: _Sequence, total: Value, fits: str) -> None:
        f = self.f
        has_steps = f.compare("sgt", sequence.ends, 0)
        counts = f.both(fits, has_steps)
        with f.loop(self._either(counts, sequence.ends, "0"), self.step_count) as step:
            gradients = self._classes_at(self.gradients, sequence, step)
            self.clear(gradients, self.times(self.classes, self.size))
        with f.when(counts):
            self._end(sequence, total)
            with f.loop("0", sequence.end) as number:
                step = self.minus(self.minus(sequence.end, 1), number)
                self._go_back(sequence, step, total)

    def _end(self, sequence: _Sequence, total: Value) -> None:
        """Write the last step: paths end in the last two states."""
        ahead, emitted = self._ahead(sequence.end), self._emitted(sequence.end)
        gradients = self._classes_at(self.gradients, sequence, sequence.end)
        first = self.most(self.minus(sequence.last, 1), 0)
        with self.f.loop(first, sequence.states) as state:
            share = self.m.exp(self.whole(self.at(ahead, state)) - total)
            self._take_off(gradients, state, share)
            self.put_whole(self.whole(self.at(emitted, state)), self.at(self.after, state))

    def _go_back(self, sequence: _Sequence, step: str, total: Value) -> None:
        ahead, emitted = self._ahead(step), self._emitted(step)
        with self.f.loop("0", sequence.states, self.lanes) as state:
            stay, go, jump = (
                self.whole(self.at(self.after, self.plus(state, on)), self.lanes) for on in range(3)
            )
            reach = self.whole(self.at(self.skips, self.plus(state, 2)), self.lanes)
            behind = self._added(stay, go, jump + reach)
            address = self.at(ahead, state)
            share = self.m.exp(self.whole(address, self.lanes) + behind - total)
            self.put_whole(share, address, self.lanes)
            after = behind + self.whole(self.at(emitted, state), self.lanes)
            self.put_whole(after, self.at(self.after, state), self.lanes)
        gradients = self._classes_at(self.gradients, sequence, step)
        with self.f.loop("0", sequence.states) as state:
            self._take_off(gradients, state, self.whole(self.at(ahead, state)))

    def _take_off(self, gradients: str, state: str, share: Value) -> None:
        """Subtract the probability of being in a state from that of its class."""
        address = self.at(gradients, self._class_of(state))
        self.put_whole(self.whole(address) - share, address)
