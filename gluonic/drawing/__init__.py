"""Pictures of graphs: their contents, layout and formats."""
