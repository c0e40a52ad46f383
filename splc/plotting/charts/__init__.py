"""Charts as values: axes and marks in panels, drawn as SVG without a library."""
