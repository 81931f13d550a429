"""stub"""


class ExampleExplanation: ...


def explain_by_examples(): ...
