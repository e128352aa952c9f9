"""Markdown tables of the rows that `peers.py` writes: `summary.py ROWS.csv ... [--sets | --common | --winners | --means]`.

Without an option: the mean adjusted Rand index of each method by battery, over all sets that it has a score for; of several
labellings of a set the best counts. --common has the same of the sets for which every method has a score; --sets a column
for each set, draws (NAME-sSEED) of a set together; --winners the best methods of each set; --means one mean a file, no
table.
"""

import argparse
import csv
import re
from collections import defaultdict
from statistics import fmean, median


def read(paths):
    """Return the scores by method and (battery, set): the best labelling's."""
    best = defaultdict(dict)
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                scores, key = best[row["method"]], (row["battery"], row["set"])
                if row["ari"]:
                    scores[key] = max(float(row["ari"]), scores.get(key, -1.0))
    return {method: scores for method, scores in best.items() if scores}


def show(head, rows):
    """Print a table."""
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def mean(values):
    """Return a mean as text, a dash if there is nothing."""
    values = list(values)
    return f"{fmean(values):.2f}" if values else "-"


def by_mean(best):
    """Return the methods and their scores, the highest mean first."""
    return sorted(best.items(), key=lambda item: -fmean(item[1].values()))


def batteries(best):
    """Print the table by battery."""
    names = sorted({battery for scores in best.values() for battery, _ in scores})
    rows = []
    for method, scores in by_mean(best):
        parts = [mean(score for (battery, _), score in scores.items() if battery == name) for name in names]
        values = list(scores.values())
        good = sum(value >= 0.95 for value in values)
        rows.append([method, *parts, f"{fmean(values):.3f}", f"{median(values):.3f}", str(good), str(len(values))])
    show(["method", *names, "mean", "median", ">= 0.95", "sets"], rows)


def common(best):
    """Print the same of the sets for which every method has a score."""
    shared = set.intersection(*(set(scores) for scores in best.values()))
    batteries({method: {key: scores[key] for key in shared} for method, scores in best.items()})


def sets(best):
    """Print a column for each set, the draws of a set together; the mean is that of the columns."""
    by_set = defaultdict(lambda: defaultdict(list))
    for method, scores in best.items():
        for (_, name), score in scores.items():
            by_set[method][re.sub(r"-s\d+$", "", name)].append(score)
    means = {method: {name: fmean(values) for name, values in of.items()} for method, of in by_set.items()}
    names = sorted({name for of in means.values() for name in of})
    rows = [
        [method, *(f"{of[name]:.2f}" if name in of else "-" for name in names), f"{fmean(of.values()):.3f}"]
        for method, of in by_mean(means)
    ]
    show(["method", *names, "mean"], rows)


def winners(best):
    """Print the best methods of each set; settings that the truth chose do not count."""
    plain = {method: scores for method, scores in best.items() if not method.endswith("_oracle")}
    rows = []
    for key in sorted({key for scores in plain.values() for key in scores}):
        top = max(scores[key] for scores in plain.values() if key in scores)
        first = [method for method, scores in plain.items() if scores.get(key, -1.0) >= top - 0.0005]
        rows.append([*key, f"{top:.2f}", ", ".join(first) if len(first) <= 4 else f"{len(first)} methods"])
    show(["battery", "set", "best", "by"], rows)


def main():
    """Print the table that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="+")
    for table in (sets, common, winners):
        parser.add_argument(f"--{table.__name__}", dest="table", action="store_const", const=table, default=batteries)
    parser.add_argument("--means", action="store_true")
    arguments = parser.parse_args()
    if not arguments.means:
        arguments.table(read(arguments.rows))
        return
    for path in arguments.rows:
        for method, scores in read([path]).items():
            print(f"{path}: {method} {fmean(scores.values()):.4f} over {len(scores)}")


if __name__ == "__main__":
    main()
