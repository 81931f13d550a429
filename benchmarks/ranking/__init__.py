"""Learning to rank, beside a single feature, scores of documents, and trees."""
