# %% [markdown]
# # A distance matrix
#
# No coordinates are needed: any symmetric matrix of distances will do, square or condensed as SciPy's `pdist` returns it.

# %%
import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform

from similis import AutoClustering, adjusted_rand_index, make_shapes

X, y = make_shapes("two_rings", 150)
condensed = pdist(X)
model = AutoClustering(n_clusters=2, metric="precomputed").fit(condensed)
adjusted_rand_index(model.labels_, y)

# %% [markdown]
# The picture of a matrix has its rows ordered by cluster; dark is near.

# %%
model.plot("matrix")

# %% [markdown]
# Often only some pairs were measured, the near ones. A sparse matrix lists them; all others are unknown, not zero.

# %%
square = squareform(condensed)
near = np.argsort(square, axis=1)[:, 1:7]
rows = np.repeat(np.arange(len(X)), 6)
known = sparse.coo_array((square[rows, near.ravel()], (rows, near.ravel())), shape=square.shape).tocsr()
known = known.maximum(known.T)
print(f"{known.nnz / square.size:.1%} of the entries are known")
few = AutoClustering(n_clusters=2, metric="precomputed").fit(known)
adjusted_rand_index(few.labels_, y)

# %% [markdown]
# New items are assigned by their distances to the old ones.

# %%
new = X[:3] * 1.01
model.predict(cdist(new, X))

# %%
assert adjusted_rand_index(model.labels_, y) == 1.0
assert adjusted_rand_index(few.labels_, y) == 1.0
assert (model.predict(cdist(new, X)) == model.labels_[:3]).all()
