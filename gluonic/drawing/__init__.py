"""Pictures of graphs: what they show, how it is laid out, and the formats."""
