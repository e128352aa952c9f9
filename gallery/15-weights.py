# %% [markdown]
# # Weights and equal rows
#
# A weight of w is w equal points. Rounded measurements, or tables of counts, have few different rows that stand for many.

# %%
import numpy as np
from similis import AutoClustering

rng = np.random.default_rng(1)
centres = np.array([[0, 0], [9, 1], [4, 8]])
raw = centres[rng.integers(0, 3, 3000)] + rng.normal(size=(3000, 2))
rounded = np.round(raw)
X, w = np.unique(rounded, axis=0, return_counts=True)
print(len(rounded), "measurements at", len(X), "places")

# %% [markdown]
# The places with their counts have the answer of all measurements.

# %%
by_weight = AutoClustering().fit(X, sample_weight=w)
by_copies = AutoClustering().fit(rounded)
print(by_weight.n_clusters_, "clusters")
place = {tuple(row): label for row, label in zip(X, by_weight.labels_, strict=True)}
pairs = {(place[tuple(row)], label) for row, label in zip(rounded, by_copies.labels_, strict=True)}
assert len(pairs) == by_weight.n_clusters_  # the same partition, clusters numbered by their first rows
assert by_weight.n_clusters_ == 3

# %%
by_weight.plot()

# %% [markdown]
# Any weights of 0 and more work: here places count by how much they are trusted, and those of weight 0 only get a label.

# %%
trust = np.where(w < 3, 0.0, w / w.max())
trusted = AutoClustering(n_clusters=3).fit(X, sample_weight=trust)
assert len(trusted.labels_) == len(X)
assert set(trusted.labels_) == {0, 1, 2}
