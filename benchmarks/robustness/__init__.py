"""Scripts that look for inputs that end badly."""
