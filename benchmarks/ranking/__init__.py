"""Learned rankings, compared with a single feature, scores of documents, and trees."""
