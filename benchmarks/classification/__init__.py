"""Scripts on the classification of single rows."""
