"""Labels and segments of sequences, beside other libraries."""
