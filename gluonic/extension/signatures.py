"""The C functions of an extension library, for each version of the interface.

A signature is written ``result:arguments`` with a letter each: i is an int, p a pointer, v nothing.
"""

VERSIONS = {7: "MXNet 1.7", 10: "MXNet 1.8", 11: "MXNet 1.9"}
"""The released versions, each with its release of MXNet; 8 and 9 lie between releases."""

_ATTRIBUTES = "ppi"  # keys, values, count
_TENSORS = "pppppppi"  # shapes, ranks, data, dtypes, versions, devices, device numbers; count
_RESOURCES = (
    "ppppppp" + "pp" + "pppppppp" + "pp"
)  # allocators, storage, sparse parts, random states
_NAMED = "pi" + "p" * 7  # names, count; the rest as of tensors
_COMPUTE = _TENSORS + _TENSORS + _RESOURCES

_FUNCTIONS = {
    "_opVersion": "i:",
    "initialize": "i:i",
    "_opRegSize": "i:",
    "_opRegGet": "v:i" + "p" * 16,
    "_opCallFree": "v:p",
    "_opCallParseAttrs": f"i:p{_ATTRIBUTES}pp",
    "_opCallInferShape": f"i:p{_ATTRIBUTES}ppi" + "pp" + "ppi",
    "_opCallInferType": f"i:p{_ATTRIBUTES}pipi",
    "_opCallInferSType": f"i:p{_ATTRIBUTES}pipi",
    "_opCallFCompute": f"i:p{_ATTRIBUTES}{_COMPUTE}",
    "_opCallMutateInputs": f"i:p{_ATTRIBUTES}pp",
    "_opCallFStatefulCompute": f"i:ip{_COMPUTE}",
    "_partRegSize": "i:",
    "_partRegGetCount": "i:ip",
    "_partRegGet": "v:iippppp",
    "_partCallSupportedOps": f"i:ppip{_ATTRIBUTES}",
    "_partCallCreateSelector": f"i:ppp{_ATTRIBUTES}",
    "_partCallSelect": "v:pip",
    "_partCallSelectInput": "v:piip",
    "_partCallSelectOutput": "v:piip",
    "_partCallFilter": "v:ppipp",
    "_partCallReset": "v:p",
    "_partCallReviewSubgraph": f"i:ppip{_ATTRIBUTES}ppp{_NAMED}{_NAMED}",
    "_passRegSize": "i:",
    "_passRegGet": "v:ipp",
    "_passCallGraphPass": f"i:ppp{_ATTRIBUTES}p{_NAMED}{_NAMED}pp",
}
_MESSAGES = {"_msgSize": "i:", "_msgGet": "v:ip"}
_BRIEF_STATE = {"_opCallCreateOpState": f"i:p{_ATTRIBUTES}p"}
_FULL_STATE = {"_opCallCreateOpState": f"i:p{_ATTRIBUTES}pi" + "ppi" + "pp"}
_DESTROY = {"_opCallDestroyOpState": "v:p"}


def functions(version: int) -> dict[str, str]:
    """Return the signatures of a version's functions by name."""
    made = dict(_FUNCTIONS)
    if version >= 8:
        made.update(_MESSAGES)
    made.update(_FULL_STATE if version >= 10 else _BRIEF_STATE)
    if version >= 11:
        made.update(_DESTROY)
    return made


def later_functions(version: int) -> set[str]:
    """Return the names of functions that only later versions have."""
    return set(functions(max(VERSIONS))) - set(functions(version))


def all_signatures() -> tuple[str, ...]:
    """Return every signature that occurs, once."""
    tables = (_FUNCTIONS, _MESSAGES, _BRIEF_STATE, _FULL_STATE, _DESTROY)
    return tuple(sorted({signature for table in tables for signature in table.values()}))
