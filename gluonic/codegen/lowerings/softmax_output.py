"""The output layer of classifiers."""

from gluonic.codegen.lowerings.entry import lower

lower(
    "_backward_SoftmaxOutput",
    loop="loops.loop_choices:softmax_output_back",
    on_devices="rewriting.device_selections:softmax_output_back",
    eager=1,
)
lower("SoftmaxOutput", decompose="rewriting.decompose:softmax_output", eager=1, float16="upcast")
