# %% [markdown]
# # Coarse and fine: levels
#
# Blobs in groups: three groups are as right as nine blobs. One fit has both, nested, and a score for each.

# %%
import numpy as np
from similis import AutoClustering, adjusted_rand_index

rng = np.random.default_rng(0)
groups = np.array([[0.0, 0.0], [18.0, 4.0], [6.0, 17.0]])
inside = np.array([[0.0, 0.0], [3.4, 0.0], [1.2, 3.4]])
blobs = (groups[:, None] + inside).reshape(-1, 2)
blob = np.repeat(np.arange(9), 50)
X = blobs[blob] + 0.45 * rng.normal(size=(450, 2))
group = blob // 3

model = AutoClustering().fit(X)
print(model.n_clusters_, "clusters have the best score")

# %% [markdown]
# `labels_at(n)` costs no new search. Upwards the pair of clusters merges whose merger loses least; downwards the cluster is split that
# gains most, or loses least.

# %%
coarse, fine = model.labels_at(3), model.labels_at(9)
print("three:", adjusted_rand_index(coarse, group), " nine:", adjusted_rand_index(fine, blob))
assert adjusted_rand_index(coarse, group) == 1.0
assert adjusted_rand_index(fine, blob) > 0.98
assert all(len(set(coarse[fine == one])) == 1 for one in range(9))  # nested

# %% [markdown]
# The tree of the clusters, and what each merger costs; `hierarchy_` is the same in SciPy's linkage form.

# %%
model.plot("levels")

# %%
from scipy.cluster.hierarchy import leaves_list

print(leaves_list(model.hierarchy_))
for n, score in enumerate(model.level_scores_[:12], start=1):
    print(f"{n:3} clusters: score {score:9.1f}")

# %% [markdown]
# New items have a cluster at every level.

# %%
new = X[:5] + 0.01
assert (model.predict_at(new, 3) == coarse[:5]).all()
