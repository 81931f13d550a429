"""Figures that the paper on CPM3C prints, and the targets that were set."""

from __future__ import annotations

#: Accuracy in percent and Rand index as printed in tables 2 and 3, '-' where there is none.
PAPER: dict[str, dict[str, tuple[str, str]]] = {
    "digits 3v8": {"k-means": ("94.68", "0.904"), "cut": ("65.00", "0.545"),
                   "SVR": ("96.64", "0.940"), "CPM3C": ("96.92", "0.945")},
    "digits 1v7": {"k-means": ("94.45", "0.995"), "cut": ("55.00", "0.504"),
                   "SVR": ("99.45", "0.995"), "CPM3C": ("100.0", "1.00")},
    "digits 2v7": {"k-means": ("96.91", "0.940"), "cut": ("66.00", "0.550"),
                   "SVR": ("100.0", "1.00"), "CPM3C": ("100.0", "1.00")},
    "digits 8v9": {"k-means": ("90.68", "0.835"), "cut": ("52.00", "0.500"),
                   "SVR": ("96.33", "0.934"), "CPM3C": ("97.74", "0.956")},
    "letter AvB": {"k-means": ("82.06", "0.706"), "cut": ("76.80", "0.644"),
                   "SVR": ("92.80", "0.867"), "CPM3C": ("94.47", "0.897")},
    "satellite": {"k-means": ("95.93", "0.922"), "cut": ("95.79", "0.919"),
                  "SVR": ("96.82", "0.939"), "CPM3C": ("98.48", "0.971")},
    "text-1": {"k-means": ("50.53", "0.500"), "cut": ("93.79", "0.884"),
               "SVR": ("96.82", "0.939"), "CPM3C": ("95.00", "0.905")},
    "text-2": {"k-means": ("50.38", "0.500"), "cut": ("91.35", "0.842"),
               "SVR": ("93.99", "0.887"), "CPM3C": ("96.28", "0.929")},
    "45 digit pairs": {"k-means": ("96.38", "0.933"), "cut": ("97.57", "0.956"),
                       "SVR": ("98.18", "0.967"), "CPM3C": ("99.38", "0.989")},
    "45 MNIST pairs": {"k-means": ("89.21", "0.808"), "cut": ("89.92", "0.818"),
                       "SVR": ("92.41", "0.860"), "CPM3C": ("95.71", "0.921")},
    "digits 0689": {"k-means": ("42.23", "0.696"), "cut": ("93.13", "0.939"),
                    "CPM3C": ("96.63", "0.968")},
    "digits 1279": {"k-means": ("40.42", "0.681"), "cut": ("90.11", "0.909"),
                    "CPM3C": ("94.01", "0.943")},
    "rec": {"k-means": ("35.27", "0.581"), "cut": ("41.89", "0.496"),
            "CPM3C": ("70.63", "0.782")},
    "webkb cornell": {"k-means": ("55.71", "0.603"), "cut": ("61.43", "0.602"),
                      "CPM3C": ("71.95", "0.728")},
    "webkb texas": {"k-means": ("45.05", "0.604"), "cut": ("35.38", "0.514"),
                    "CPM3C": ("69.29", "0.707")},
    "webkb washington": {"k-means": ("53.52", "0.616"), "cut": ("32.85", "0.581"),
                         "CPM3C": ("77.96", "0.747")},
    "webkb wisconsin": {"k-means": ("49.53", "0.581"), "cut": ("33.31", "0.509"),
                        "CPM3C": ("73.88", "0.752")},
}  # fmt: skip

#: CPU seconds of CPM3C as printed in table 4, on a PC of its year.
PAPER_SECONDS = {
    "digits 3v8": 1.10, "digits 1v7": 0.95, "digits 2v7": 0.75, "digits 8v9": 0.85,
    "letter AvB": 0.87, "satellite": 4.54, "text-1": 19.75, "text-2": 16.16, "digits 0689": 9.66,
    "digits 1279": 17.47, "webkb cornell": 9.534, "webkb texas": 10.53,
    "webkb washington": 10.67, "webkb wisconsin": 9.041, "rec": 215.6,
}  # fmt: skip

#: Targets of the fits without labels, accuracy in percent.
TARGETS = (
    ("digits 3v8", "default", 96.92), ("digits 8v9", "default", 97.74),
    ("digits 0689", "default", 96.63), ("digits 1279", "default", 94.01),
    ("45 digit pairs", "default", 99.38),
    ("digits 3v8", "linear", 96.0), ("digits 1v7", "linear", 100.0),
    ("digits 2v7", "linear", 100.0), ("digits 8v9", "linear", 95.7),
    ("letter AvB", "linear", 94.4), ("satellite", "linear", 98.2),
    ("text-1", "linear", 95.0), ("text-2", "linear", 95.8), ("rec", "linear", 94.0),
    ("digits 0689", "diffusion", 98.0), ("digits 1279", "diffusion", 94.0),
    ("digits 8v9", "diffusion", 97.7), ("satellite", "diffusion", 98.5),
    ("45 digit pairs", "diffusion", 98.9), ("digits", "diffusion", 89.0),
    ("letter ABCD", "whiten", 85.0),
)  # fmt: skip
