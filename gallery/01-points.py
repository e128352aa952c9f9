# %% [markdown]
# # Points of unlike density
#
# A dense letter in a sparse cloud. One radius or bandwidth cannot serve both; a scale for each cluster can.

# %%
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering

from similis import AutoClustering, adjusted_rand_index, make_shapes

X, y = make_shapes("dense_letter", 400)
X.shape

# %% [markdown]
# Nothing is set but the number of clusters.

# %%
model = AutoClustering(n_clusters=2).fit(X)
model.plot()

# %% [markdown]
# Each cluster has learned its own scale: the typical distance of neighbours, in the unit of the data.

# %%
print(model.summary())

# %% [markdown]
# How well do others do, told the same number? (1 is right, 0 is chance.)

# %%
others = {
    "similis": model.labels_,
    "k-means": KMeans(2, n_init=10, random_state=0).fit_predict(X),
    "spectral": SpectralClustering(2, affinity="nearest_neighbors", random_state=0).fit_predict(X),
    "HDBSCAN": HDBSCAN(copy=True).fit_predict(X),
}
agreement = {name: adjusted_rand_index(labels, y) for name, labels in others.items()}
for name, value in agreement.items():
    print(f"{name:10}{value:6.2f}")

# %%
assert agreement["similis"] > 0.9
assert max(agreement["k-means"], agreement["spectral"]) < 0.5
