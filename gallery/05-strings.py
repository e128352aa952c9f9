# %% [markdown]
# # Strings by edit distance
#
# Two families of strings that grew by copying. In one a letter is miscopied with probability 0.03, in the other with 0.3: the same model, unlike
# scales. There are no coordinates at all.

# %%
import csv
import os
from pathlib import Path

import numpy as np

from similis import AutoClustering, adjusted_rand_index

TESTDATA = Path(os.environ.get("SIMILIS_TESTDATA", "../testdata"))
with open(TESTDATA / "string-distances.csv", encoding="utf-8") as file:
    _, *rows = csv.reader(file)
names = [row[0] for row in rows]
distances = np.array([row[1:] for row in rows], dtype=float)
distances[:4, :4]

# %%
model = AutoClustering(n_clusters=2, metric="precomputed").fit(distances)
print("typical edit distance of a copy in each family:", model.scales_.round(2))
model.plot()

# %% [markdown]
# The dendrogram is SciPy's single linkage, coloured by cluster.

# %%
model.plot("dendrogram")

# %%
families = np.loadtxt(TESTDATA / "string-families.txt", dtype=int)
assert adjusted_rand_index(model.labels_, families) == 1.0
