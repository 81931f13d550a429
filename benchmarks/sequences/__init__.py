"""Labels and segments of sequences, compared with other libraries."""
