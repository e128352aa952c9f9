"""The mean ARI of each file of rows: the best labelling of a set counts, draws of a set count as one."""

import csv
import statistics
import sys

for path in sys.argv[1:]:
    best = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            key = (row["battery"], row["dataset"])
            best[key] = max(best.get(key, -1.0), float(row["ari"] or 0.0))
    print(f"{path}: {statistics.fmean(best.values()):.4f} over {len(best)}")
