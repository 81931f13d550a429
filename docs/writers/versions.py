"""The oldest supported versions of the requirements, from setup.cfg."""

import configparser
from pathlib import Path

from .table import two_columns

SETUP = Path(__file__).parents[2] / "setup.cfg"


def text():
    config = configparser.ConfigParser()
    config.read(SETUP)
    extras = config["options.extras_require"]
    rows = [
        *(requirement.split(">=") for requirement in config["options"]["install_requires"].split()),
        *(
            (f"{name}, with the extra `{extra}`", oldest)
            for extra in ("plot", "torch")
            for name, oldest in [extras[extra].strip().split(">=")]
        ),
    ]
    return two_columns("Requirement", "Oldest version", rows)
