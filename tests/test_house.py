"""What of the house's counts must not grow again."""

from tests import house

OF_MXNET = {
    *("BidirectionalCell", "DropoutCell", "GRUCell", "LSTMCell", "ModifierCell", "RNNCell"),
    *("ResidualCell", "SequentialRNNCell", "ZoneoutCell"),
    *("Constant", "Loss"),
}
"""MXNet itself has two public classes of that name."""


def test_a_class_has_a_name_of_its_own() -> None:
    alike = house.homonyms()
    assert alike, "nothing was looked at"
    assert alike.keys() == OF_MXNET


def test_modules_do_not_import_each_other() -> None:
    assert len(house.trees()) > 500
    assert not house.circles("top")
