"""A table of text in two columns, which fits a telephone."""


def two_columns(first, second, rows):
    lines = [(first, second), (":---", ":---"), *rows]
    return "".join(f"| {left} | {right} |\n" for left, right in lines)
