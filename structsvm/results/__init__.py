"""The outcome of a run: its status, its certificate, and who is told of its passes."""
