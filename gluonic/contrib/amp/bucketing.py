"""Conversion of modules with several symbols to inference in low precision."""

from typing import Any

from gluonic.contrib.amp.conversion import ConversionError, convert_model
from gluonic.contrib.amp.dtypes import Condition
from gluonic.graph.errors import describe
from gluonic.module import BucketingModule
from gluonic.module.bucketing import with_symbols


def convert_bucketing_module(
    bucketing_mod: BucketingModule,
    target_dtype: Any = "float16",
    target_dtype_ops: list[str] | None = None,
    fp32_ops: list[str] | None = None,
    conditional_fp32_ops: list[Condition] | None = None,
    excluded_sym_names: list[str] | None = None,
    cast_optional_params: bool = False,
) -> BucketingModule:
    """Convert the symbols of a module's buckets, and its parameters.

    Parameters
    ----------
    bucketing_mod : a module with parameters
    target_dtype, target_dtype_ops, fp32_ops, conditional_fp32_ops, excluded_sym_names : see `convert_symbol`
    cast_optional_params : see `convert_symbol`

    Returns
    -------
    BucketingModule
        with the buckets that `bucketing_mod` has had so far; not bound yet

    Raises
    ------
    AssertionError
        as `convert_symbol`, or if it is not a BucketingModule or has no parameters
    """
    if not isinstance(bucketing_mod, BucketingModule) or not bucketing_mod.params_initialized:
        raise ConversionError(
            describe(
                f"takes a BucketingModule with parameters, not {bucketing_mod!r:.80}",
                where="amp.convert_bucketing_module",
                hint="bind and init_params, or set_params, first",
            )
        )
    settings: Any = (
        target_dtype,
        target_dtype_ops,
        fp32_ops,
        conditional_fp32_ops,
        excluded_sym_names,
        cast_optional_params,
    )
    return with_symbols(bucketing_mod, lambda *parts: convert_model(*parts, *settings))
