"""Operators that ONNX, or the model, defines by other operators."""

from collections.abc import Mapping, Sequence
from typing import Any

from gluonic.onnx.errors import NotImportable
from gluonic.onnx.library import onnx_library
from gluonic.onnx.onnx_node import OnnxUse
from gluonic.onnx.tensors import Tensor


def without_absent(nodes: Sequence[Any], scope: dict[str, Any]) -> list[Any]:
    """Nodes of a function whose absent inputs are left out."""
    absent = {name for name, value in scope.items() if value is None}
    for name in absent:
        del scope[name]
    for node in nodes:
        for index, name in enumerate(node.input):
            if name in absent:
                node.input[index] = ""
    return list(nodes)


def bound(node: Any, attributes: Mapping[str, Any], function: Any) -> Any:
    """A node of a function with the attributes of the call."""
    made = type(node)()
    made.CopyFrom(node)
    defaults = {a.name: a for a in function.attribute_proto}
    kept = []
    for attribute in made.attribute:
        if attribute.ref_attr_name:
            given = attributes.get(attribute.ref_attr_name) or defaults.get(attribute.ref_attr_name)
            if given is None:
                continue
            renamed = type(attribute)()
            renamed.CopyFrom(given)
            renamed.name = attribute.name
            kept.append(renamed)
        else:
            kept.append(attribute)
    kept = [type(a).FromString(a.SerializeToString()) for a in kept]
    del made.attribute[:]
    made.attribute.extend(kept)
    return made


def schema_function(use: OnnxUse) -> Any:
    """The definition of an operator by others, None if it has none."""
    onnx = onnx_library()
    node, opsets = use.node, use.reading.opsets
    version = opsets.get(node.domain, opsets.get("", 1))
    try:
        schema = onnx.defs.get_schema(node.op_type, version, node.domain)
    except Exception as error:  # the library's own class, which moved between releases
        if "schema" not in str(error).lower():
            raise
        return None
    if schema.has_function:
        return with_defaults(schema, schema.function_body, use)
    if not schema.has_context_dependent_function:
        return None
    types = []
    for index, value in enumerate(use.inputs):
        if not isinstance(value, Tensor):
            types.append(onnx.TypeProto().SerializeToString())
            continue
        code = onnx.helper.np_dtype_to_tensor_dtype(use.dtype(index))
        shape = [e if isinstance(e, int) else None for e in use.shape(index)]
        types.append(onnx.helper.make_tensor_type_proto(code, shape).SerializeToString())
    try:
        made = schema.get_context_dependent_function(node.SerializeToString(), types)
    except Exception as error:
        raise NotImportable(f"its definition: {error}") from error
    return with_defaults(schema, onnx.FunctionProto.FromString(made), use)


def with_defaults(schema: Any, function: Any, use: OnnxUse) -> Any:
    """A function, with the operator's default attributes for the node."""
    given = dict(use.attributes)
    for name, attribute in schema.attributes.items():
        if name not in given and attribute.default_value.name:
            given[name] = attribute.default_value
    use.attributes = given
    return function
