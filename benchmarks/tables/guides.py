"""Tables of the guides that are rows of the results, in other words."""

from __future__ import annotations

from benchmarks.store import Content, Row
from benchmarks.tables.table import Table, cell, lines, pivot, plain, slashed, transposed

# ---------------------------------------------------------------------- graphs, label sets

HORSES = {
    "method": "{method}",
    "mean IoU": "{mean IoU:.3f}",
    "pixel accuracy": "{pixel accuracy:.4f}",
    "CPU seconds": "{seconds:.0f}",
}


LABEL_SETS = {"": "{name}", "Hamming": "{Hamming:.3f}", "F1": "{F1:.3f}", "CPU s": "{CPU s:.1f}"}


def estimator(row: Row) -> Row:
    return {"name": row["estimator"].replace("(", " of ").rstrip(")")}


def of_label_sets(title: str) -> Table:
    """Hamming loss, F1 and seconds on one set, with defaults."""
    return Table(
        lines,
        "label_sets/yeast_scene",
        title=title,
        columns=LABEL_SETS,
        where={"chosen": "default"},
        more=estimator,
    )


# ---------------------------------------------------------------------- latent variables

#: The columns of the letters, as the page and as the results name them.
LETTERS = {
    "known alone, C 200": "known alone, C 200",
    "C 1000": "known alone, C 1000",
    "completed": "completed, weight 0",
    "all known": "all known, C 200",
}
DIGITS = {
    "start": "{start}",
    "starts": "{starts}",
    "wrong digits, %": "{wrong digits, percent:.1f}",
    "lowest objective": "{lowest objective:.1f}",
    "CPU s": "{CPU s:.1f}",
}

# ---------------------------------------------------------------------- sequences, experience

#: The trainers of the tasks with features of any size, and what the page calls them.
SCALE = {
    "CRFsuite lbfgs": "CRFsuite",
    "ChainSVM()": "ChainSVM()",
    "ChainSVM(all_possible_states=False)": "pairs that occur",
}
#: The ways of training with sentences of a new kind.
WAYS = ("alone", "both", "prior", "prior, C")
LABELLED = {"labelled": "{labelled:,}"}
TAGS = {
    "trainer": "{trainer}",
    "test": "{test:.2f}",
    "training": "{training:.3g}",
    "tagging dicts": "{tagging dicts:.3g}",
}
READ = {"trainer": "{trainer}", "error": "{error:.1f}", "CPU s a fold": "{CPU s a fold:.2g}"}
VECTORS = {
    "sentences": "{sentences:,}",
    "trainer": "{trainer}",
    **{form: f"{{{form}:.2f}} ({{{form}, CPU s:.3g}} s)" for form in ("plain", "vectors")},
}

# ---------------------------------------------------------------------- matchings

#: The title of the results.
HOUSE = "fraction of landmarks wrong"
#: Wrong landmarks in percent, without and with features of the graph.
WRONG = {
    "apart": "{k}",
    **{
        way: f"{{{way}, contexts:%1}}\u00a0/\u00a0{{{way}, contexts and graph:%1}}"
        for way in ("equal", "learned", "C chosen")
    },
    "QAP": "{quadratic, equal:%1}",
}

# ---------------------------------------------------------------------- taxonomies, trees

ARTICLES = {
    "model": "{model}",
    "accuracy": "{accuracy:.1f}",
    "distance": "{distance:.3f}",
    "CPU s": "{CPU s:.0f}",
}
TAXONOMIES = "classification/small_taxonomies"
MODELS = (
    *("LinearSVC", "MulticlassSVM", "MulticlassSVM, scale=None"),
    *("TaxonomySVM", "TaxonomySVM, distances"),
)


def small_taxonomies(content: Content) -> list[Row]:
    """Accuracy and distance of each model, by the number of rows of a class."""
    (rows,) = content.values()
    return [
        {"model": name}
        | {
            f"{row['rows of a class']} rows": slashed(
                f"{row[name]:.1f}", f"{row[f'{name}: distance']:.2f}"
            )
            for row in rows
        }
        for name in MODELS
    ]


def parser(row: Row) -> Row:
    """Return the parser in words, and its seconds with the seconds of the features."""
    named = {"name": row["parser"].replace("(projective", ", projective").rstrip("()")}
    return named | ({"all s": row["CPU s"] + row.get("features", 0)} if "CPU s" in row else {})


PROJECTIVE = {name: f"{{{name}:.1f}}" for name in ("False", "True", "auto")}
#: The rows of labelled parsing.
LABELLED_TREES = {
    "right heads, %": "{test, heads:.1f}",
    "right heads and labels, %": "{test, labels:.1f}",
    "CPU s": "{CPU s:.0f}",
    "GB": "{GB:.1f}",
    "weights": "{weights:,}",
}


def labelled(row: Row) -> Row:
    """Return how the labels were learned."""
    return {"labels": "`LinearSVC` afterwards" if "then" in row["parser"] else "together"}


# ---------------------------------------------------------------------- clusters

#: The methods of record linkage, as the results and as the page name them.
LINKED = {
    "ours": "ours",
    "near": "prior",
    "pairs, greedy": "log-odds",
    "components": "joined",
    "splink": "splink",
}
PROBABILITIES = {
    "": "{size}, {sets} tasks",
    "`BayesianMMC`": "{Bayesian:.1f}",
    "k-means": "{k-means:.1f}",
    "spectral": "{spectral:.1f}",
    "calibration error": "{ECE:.1f}",
    "with `calibrate=True`": "{calibrated:.1f}",
}
#: The ways to cluster items of classes that were not seen in training.
UNSEEN = (
    *("SupervisedKMeans", "CorrelationClustering", "KMeans", "KMeans, standardised"),
    *("discriminant, KMeans", "pairs, greedy"),
)


def of_two_or_more(row: Row) -> Row:
    return {"size": "two clusters" if row["k"] == 2 else "more"}


# ---------------------------------------------------------------------- rankings

METHODS = {
    "scores": "{method}",
    "MAP": "{MAP, default:.4f}",
    "MAP, chosen": "{MAP, chosen:.4f}",
    "beside one feature": "{MAP - single feature:+.4f} ± {standard error:.4f}",
    "CPU s": "{CPU s of a fit:.2f}",
}
#: Multiples of the default C, and Ridge.
SMALL = ("1", "3", "m", "3 m", "10 m", "Ridge")
MEASURES = {"ndcg": "NDCG", "roc_area": "pairs", "average_precision": "average precision"}


def of_mq2008(content: Content) -> list[Row]:
    rows = lines(content, "MQ2008", METHODS)
    return [row | {name: row[name].lstrip("0") for name in ("MAP", "MAP, chosen")} for row in rows]


def of_small_tables(content: Content) -> list[Row]:
    """Return a row for each C and for Ridge: scores of choosing / of confirming tables."""
    scores = {(row["measure"], row["tables"]): row for row in content["small tables"]}
    return [
        {"C": name}
        | {
            title: slashed(*(f"{scores[measure, t][name]:.1f}" for t in ("choosing", "confirming")))
            for measure, title in MEASURES.items()
        }
        for name in SMALL
    ]


# ---------------------------------------------------------------------- programs, networks

TRACKING = {
    "annotated": "{annotated:.0%}",
    "weights": "{weights}",
    "F1": "{F1:.3f}{error}",
    "TRA": "{TRA:.3f}",
    "CPU s": "{CPU s:.2f}",
}
MULTIVARIATE = {
    "": "{data}, {name}",
    **{name: f"{{{name}:.2f}}" for name in ("ours", "plain", "balanced")},
    "±": "{standard error:.2f}",
}
NETWORKS = {
    "trainer": "{trainer}",
    "wrong letters, %": "{error:.3g}",
    "CPU s": "{CPU s a fold:.3g}",
}


def f1_error(row: Row) -> Row:
    return {"error": cell(" ± {standard error:.3f}", row)}


ONE_DIGIT = "{:.1f}".format
TABLES = {
    "graphs-horses": Table(lines, "graphs/horses", title="32 x 32", columns=HORSES),
    "label-sets-scenes": of_label_sets("scene"),
    "label-sets-genes": of_label_sets("yeast"),
    "latent-semi-supervised": Table(
        lines,
        "latent/semi_supervised",
        title="objectives",
        columns={"data": "{data}", "known": "{known}", "C": "{C for each row}"}
        | {name: f"{{{name}:~3}}, {{{name}, CPU s:~2}} s" for name in ("CCCP", "SmoothedCCCP")},
    ),
    "latent-digits": Table(lines, "latent/digits", title="latent", columns=DIGITS),
    "latent-digits-beside": Table(plain, "latent/digits", title="beside", text=ONE_DIGIT),
    "latent-letters": Table(
        lines,
        "latent/letters",
        title="wrong letters, percent",
        columns={"known": "{known}"}
        | {name: f"{{{key}:.1f}} ± {{{key}, se:.1f}}" for name, key in LETTERS.items()},
    ),
    "matching-house": Table(lines, "matching/house", title=HOUSE, columns=WRONG),
    "multivariate-svm": Table(
        lines,
        "reproduction/multivariate_svm",
        title="held-out",
        columns=MULTIVARIATE,
        more=lambda row: {"name": row["measure"].replace("_", " ")},
    ),
    "networks-letters": Table(
        lines, "networks/letters", title="error of a letter", columns=NETWORKS
    ),
    "programs-tracking": Table(
        lines, "programs/cell_tracking", title="tracking", columns=TRACKING, more=f1_error
    ),
    "ranking-small": Table(of_small_tables, "ranking/small_tables"),
    "ranking-mq2008": Table(of_mq2008, "ranking/mq2008"),
    "record-linkage-pairs": Table(
        pivot,
        "set_clustering/record_linkage",
        title="comparison",
        means=[["data", "learned", "method"]],
        heads={"data": "{learned:%0} % of {data}"},
        column="method",
        text="{pairs:.1f}",
        names=LINKED,
    ),
    "relatives-probabilities": Table(
        transposed,
        "reproduction/bayesian_mmc",
        title="tasks",
        where={"half": "confirming"},
        more=of_two_or_more,
        means=[["size"]],
        columns=PROBABILITIES,
    ),
    "relatives-labels": Table(
        lines,
        "reproduction/sdp_mmc",
        title="labels",
        columns={"data": "{data}", "`SDPMMC`": "{SDP:.1f}", "SVM": "{SVM, cross-validated:.1f}"},
    ),
    "sequences-adaptation": Table(
        lines,
        "sequences/adaptation",
        title="accuracy",
        columns=LABELLED | {name: f"{{{name}:.2f}}" for name in ("source", *WAYS)},
    ),
    "sequences-adaptation-seconds": Table(
        lines,
        "sequences/adaptation",
        title="accuracy",
        columns=LABELLED | {name: f"{{{name}, CPU s:~2}}" for name in WAYS},
    ),
    "sequences-blocks": Table(
        lines,
        "sequences/blocks",
        title="tags of many sentences",
        columns={
            "sentences": "{sentences:,}",
            "training": "{training}",
            "memory, MB": "{MB:.0f}",
            "CPU s": "{CPU s:.0f}",
            "objective / C": "{objective:.4f}",
            "gap, %": "{gap %:.1f}",
            "right tags, %": "{test:.2f}",
        },
    ),
    "sequences-vectors": Table(
        lines, "sequences/vectors", title="tags, percent right", columns=VECTORS
    ),
    "sequences-scale": Table(
        pivot,
        "sequences/scale",
        title="time, memory and accuracy",
        heads={"task": "{task}"},
        column="trainer",
        names=SCALE,
        text="{test:.2f}, {CPU s:.3g} s, {MB:.0f} MB",
    ),
    "sequences-tags": Table(lines, "sequences/tags", title="accuracy", columns=TAGS),
    "sequences-letters": Table(
        lines, "sequences/letters", title="error of a letter, percent", columns=READ
    ),
    "sequences-words": Table(plain, "sequences/words", title="words found, percent"),
    "taxonomy-all": Table(lines, "classification/taxonomy", title="all articles", columns=ARTICLES),
    "taxonomy-digits": Table(small_taxonomies, TAXONOMIES),
    "trees-projective": Table(
        lines,
        "trees/projective",
        title="attachment in percent",
        columns={"treebank": "{treebank}", "projective, %": "{projective:.1f}"} | PROJECTIVE,
    ),
    "trees-labelled": Table(
        transposed,
        "trees/labelled",
        title="labelled attachment",
        columns={"": "{labels}"} | LABELLED_TREES,
        more=labelled,
    ),
    "unseen-classes": Table(
        transposed,
        "set_clustering/unseen_classes",
        title="the comparison",
        means=[["sets to learn from"]],
        columns={"": "{sets to learn from} sets"} | {name: f"{{{name}:.1f}}" for name in UNSEEN},
    ),
    "trees-attachment": Table(
        lines,
        "trees/parsing",
        title="attachment in percent, and CPU seconds",
        columns={"parser": "{name}", "attachment": "{test:.2f}", "CPU s": "{all s:.0f}"},
        more=parser,
    ),
}
