"""Scripts on the parsing of text to trees."""
