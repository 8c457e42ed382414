"""Writing with the methods of parameters, and replacing their arrays."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gluonic as mx
from gluonic import gluon, nd
from tests.gluon.writing.ways import ONE_INPUT, SHAPE, drawn, way


@way
def set_data(parameter: Any, net: Any) -> None:
    parameter.set_data(drawn())


@way
def set_data_of_numpy(parameter: Any, net: Any) -> None:
    parameter.set_data(drawn().asnumpy())


@way
def initialize(parameter: Any, net: Any) -> None:
    parameter.initialize(mx.init.Uniform(), force_reinit=True)


@way
def initialize_the_net(parameter: Any, net: Any) -> None:
    net.initialize(mx.init.Uniform(), force_reinit=True)


@way
def cast_there_and_back(parameter: Any, net: Any) -> None:
    parameter.cast("int32")
    parameter.cast("float32")


@way
def cast_and_write(parameter: Any, net: Any) -> None:
    parameter.cast("float64")
    parameter.data()[:] = 3
    parameter.cast("float32")


@way
def freeze_and_write(parameter: Any, net: Any) -> None:
    parameter.grad_req = "null"
    parameter.data()[:] = 3


@way
def another_request_and_write(parameter: Any, net: Any) -> None:
    parameter.grad_req = "add"
    parameter.data()[:] = 3


@way
def move_and_write(parameter: Any, net: Any) -> None:
    parameter.reset_ctx(mx.cpu(1))
    parameter.data()[:] = 3
    parameter.reset_ctx(mx.cpu(0))


@way
def write_what_was_before_it_moved(parameter: Any, net: Any) -> None:
    before = parameter.data()
    parameter.reset_ctx(mx.cpu(0))
    before[:] = 7
    parameter.data()[:] = 3


@way
def load_value(parameter: Any, net: Any) -> None:
    parameter._load_init(drawn(), mx.cpu())


@way
def init_impl(parameter: Any, net: Any) -> None:
    parameter._init_impl(drawn(), [mx.cpu()])


@way
def assign_item(parameter: Any, net: Any) -> None:
    parameter._data[0] = drawn()


@way
def assign_slice(parameter: Any, net: Any) -> None:
    parameter._data[:] = [drawn()]


@way
def assign_list(parameter: Any, net: Any) -> None:
    parameter._data = [drawn()]


@way
def assign_item_of_a_list_that_was_assigned(parameter: Any, net: Any) -> None:
    held = [parameter.data()]
    parameter._data = held
    net(ONE_INPUT)
    held[0] = drawn()


@way
def refill_list(parameter: Any, net: Any) -> None:
    parameter._data.clear()
    parameter._data.append(drawn())


@way
def pop_and_insert(parameter: Any, net: Any) -> None:
    parameter._data.insert(0, drawn())
    parameter._data.pop()


@way
def sort_list(parameter: Any, net: Any) -> None:
    parameter._data += [drawn()]
    parameter._data.reverse()
    del parameter._data[1]


@way
def list_data_item(parameter: Any, net: Any) -> None:
    parameter.list_data()[0] = drawn()


@way
def item_of_a_parameter_that_shares_the_list(parameter: Any, net: Any) -> None:
    other = gluon.Parameter("other", shape=SHAPE)
    other._data, other._grad = parameter._data, parameter._grad
    other.list_data()[0] = drawn()


@way
def value_of_a_parameter_that_shares_the_list(parameter: Any, net: Any) -> None:
    other = gluon.Parameter("other", shape=SHAPE)
    other._data, other._grad = parameter._data, parameter._grad
    other.set_data(drawn())


@way
def assign_memory_of_numpy_and_change_it(parameter: Any, net: Any) -> None:
    memory = drawn().asnumpy()
    parameter._data[0] = nd.from_numpy(memory)
    net(ONE_INPUT)
    memory.flags.writeable = True
    memory[...] = 3


@way
def assign_memory_of_others_and_change_it(parameter: Any, net: Any) -> None:
    memory = drawn().asnumpy()
    parameter._data[0] = nd.from_dlpack(memory)
    net(ONE_INPUT)
    memory[...] = 3


@way
def assign_a_part_of_an_array_and_change_that(parameter: Any, net: Any) -> None:
    whole = nd.concat(drawn(), drawn(), dim=0)
    parameter._data[0] = whole[8:]
    net(ONE_INPUT)
    whole[:] = 3


@way
def set_state(parameter: Any, net: Any) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "one")
        nd.save(str(path), [drawn()])
        content = path.read_bytes()
    parameter.data().__setstate__({"handle": content[24:-8]})
