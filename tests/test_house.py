"""What of the house's counts must not grow again."""

import ast

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


def test_who_knows_that_a_node_applies_an_operator_asks_for_what_is_applied() -> None:
    claims = {
        f"{house.module_name(path)}: {ast.unparse(node)}"
        for path, node in house.all_nodes()
        if isinstance(node, ast.Assert)
        and ast.unparse(node.test).endswith(".application is not None")
    }
    assert not claims, "`node.applied` is the application, and raises where there is none"
