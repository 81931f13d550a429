"""Searches for clusterings where only the similarities of listed pairs are stored."""
