"""Labels of the nodes of graphs: trees, grids of pixels, and general graphs."""
