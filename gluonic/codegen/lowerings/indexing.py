"""Elements and rows selected by index."""

from gluonic.codegen.lowerings.entry import lower

lower("Embedding", "take", step="data_movement.row_steps:LookupStep.of")
lower("_contrib_SparseEmbedding", decompose="rewriting.decompose:look_up")
lower("_backward_Embedding", "_backward_take", step="data_movement.row_steps:AddRowsStep.of")
lower("pick", loop="loops.loop_choices:pick", from_memory="data_movement.row_steps:PickStep.of")
lower("_backward_pick", loop="loops.loop_choices:pick_back")
lower("one_hot", loop="loops.loop_choices:one_hot")
lower("fill_element_0index", python="NumPy refuses indices out of range")
lower("_onehot_encode", decompose="rewriting.decompose:ones_at")
