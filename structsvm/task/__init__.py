"""Tasks, which call a problem's methods, or compute their values, for many examples at once."""
