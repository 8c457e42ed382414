"""The header of a library: it declares and explains the functions."""

from collections.abc import Sequence

from gluonic.codegen.library.interface import Status
from gluonic.codegen.library.ports import Port
from gluonic.support.record import record

_MEANINGS = {
    Status.OK: "no error",
    Status.NULL_POINTER: "a pointer is null",
    Status.BATCH_SIZE: "the library does not serve this batch size",
    Status.NO_MEMORY: "there is not enough memory",
    Status.VALUE: "an input has a value without a result, such as an index out of range",
    Status.WEIGHTS: "the file of weights cannot be read, or belongs to another library",
    Status.NO_SUCH_ARRAY: "there is no input or output of this index",
}
_TEXT = """\
/* {prefix}: a net as a library, written by gluonic.
 *
 * {version}
 *
 * It needs the C library and its mathematical functions (-lm), nothing else. Calls compute on the thread that
 * makes them, on no other. A context is used by one thread at a time; several threads have a context each,
 * which share the weights.
 *
 *     {prefix}_context *context;
 *     if ({prefix}_create(&context{file_example}) != {upper}_OK) ...
 *     if ({prefix}_run(context, {example}) != {upper}_OK) ...
 *     {prefix}_free(context);
 */
#ifndef {upper}_H
#define {upper}_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* What functions return. */
enum {{
{statuses}
}};

/* The numbers of inputs and outputs, and the range of batch sizes. */
enum {{
    {upper}_INPUTS = {inputs},
    {upper}_OUTPUTS = {outputs},
    {upper}_LEAST_BATCH = {least},
    {upper}_MOST_BATCH = {most}
}};

/* The memory of calls: it grows with the batch size, and is kept until it is freed. */
typedef struct {prefix}_context {prefix}_context;

/* The version of gluonic, the processor, and the digest of the weights. */
const char *{prefix}_version(void);

/* Makes a context.{create}
 * Returns {create_errors}. */
int32_t {prefix}_create({prefix}_context **context{file_argument});

/* Frees a context; null is allowed. */
void {prefix}_free({prefix}_context *context);

/* The number of elements of an input or an output, by its index, for a batch size; {upper}_BATCH_SIZE or
 * {upper}_NO_SUCH_ARRAY, negated, if there is none. */
int64_t {prefix}_input_elements(int32_t index, int64_t batch);
int64_t {prefix}_output_elements(int32_t index, int64_t batch);

/* Computes the outputs for a batch of inputs. Arrays are contiguous, in the order of C; outputs overlap
 * neither each other nor inputs. After an error the outputs have no meaning; the context can be used further.
 *
{arrays}
 *
 * Returns {upper}_OK, {upper}_NULL_POINTER, {upper}_BATCH_SIZE, {upper}_NO_MEMORY or {upper}_VALUE. */
int32_t {prefix}_run({prefix}_context *context, int64_t batch{arguments});

#ifdef __cplusplus
}}
#endif

#endif
"""


@record
class HeaderFacts:
    """What a header says.

    Attributes
    ----------
    prefix : what the names of functions begin with
    version : a line
    inputs, outputs : the arrays of a call
    least, most : the range of batch sizes
    file : the name of the file of weights; empty if they are in the library
    """

    prefix: str
    version: str
    inputs: Sequence[Port]
    outputs: Sequence[Port]
    least: int
    most: int
    file: str


def header(facts: HeaderFacts) -> str:
    """The text of a header."""
    prefix, upper = facts.prefix, facts.prefix.upper()
    statuses = [
        f"    /* {_MEANINGS[status]} */\n    {upper}_{status.name} = {status.value}"
        for status in Status
    ]
    ports = [*facts.inputs, *facts.outputs]
    named = [f"{port.name}: {port.description}, {port.title}" for port in ports]
    arguments = [f"const {port.c_type} *{port.name}" for port in facts.inputs]
    arguments += [f"{port.c_type} *{port.name}" for port in facts.outputs]
    errors = f"{upper}_OK, {upper}_NULL_POINTER or {upper}_NO_MEMORY"
    if facts.file:
        errors = f"{upper}_OK, {upper}_NULL_POINTER, {upper}_NO_MEMORY or {upper}_WEIGHTS"
    return _TEXT.format(
        prefix=prefix,
        upper=upper,
        version=facts.version,
        statuses=",\n".join(statuses),
        inputs=len(facts.inputs),
        outputs=len(facts.outputs),
        least=facts.least,
        most=facts.most,
        create=f" The weights are in a file, {facts.file}." if facts.file else "",
        create_errors=errors,
        file_argument=", const char *weights" if facts.file else "",
        file_example=f', "{facts.file}"' if facts.file else "",
        arrays="\n".join(f" *   {line}" for line in named),
        arguments="".join(f",\n    {argument}" for argument in arguments),
        example=", ".join([str(facts.least), *(port.name for port in ports)]),
    )
