# %% [markdown]
# # A few known labels
#
# A spiral in a cloud, so sparse that it is not seen. Some labels are known: they are kept, and they spread to the neighbours.

# %%
import numpy as np

from similis import AutoClustering, adjusted_rand_index, make_shapes

X, y = make_shapes("dense_spiral", 150, random_state=2)
alone = AutoClustering(n_clusters=2).fit(X)
print("without labels:", round(adjusted_rand_index(alone.labels_, y), 2))
alone.plot()

# %%
known = np.full(len(X), -1)
known[::8] = y[::8]
helped = AutoClustering(n_clusters=2).fit(X, known_labels=known)
print(f"with {(known >= 0).sum()} known labels:", round(adjusted_rand_index(helped.labels_, y), 2))
helped.plot()

# %% [markdown]
# Pairs are another way to say what is known, often easier for people: these two belong together, those two do not.

# %%
together = [(i, j) for i, j in zip(range(0, 140, 10), range(10, 150, 10), strict=True) if y[i] == y[j]]
apart = [(i, j) for i, j in zip(range(0, 140, 10), range(10, 150, 10), strict=True) if y[i] != y[j]]
paired = AutoClustering(n_clusters=2).fit(X, must_link=together, cannot_link=apart)
labels = paired.labels_
assert all(labels[i] == labels[j] for i, j in together)
assert all(labels[i] != labels[j] for i, j in apart)

# %% [markdown]
# A contradiction is refused, and the message says which points are concerned.

# %%
try:
    AutoClustering(n_clusters=2).fit(X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
except ValueError as error:
    print(error)

# %%
assert adjusted_rand_index(alone.labels_, y) < 0.2
assert adjusted_rand_index(helped.labels_, y) > 0.4
