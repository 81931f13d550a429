"""Decisions for predicted costs, beside PyEPO and beside predicting first, then optimizing."""
