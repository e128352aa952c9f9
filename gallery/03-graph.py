# %% [markdown]
# # A graph
#
# A hundred people, each linked to the six most alike and to one acquaintance anywhere. The matrix is sparse: pairs that are not
# listed are unknown.

# %%
import numpy as np
from scipy import sparse

from similis import AutoClustering, adjusted_rand_index

generator = np.random.default_rng(1)
group = np.repeat(np.arange(5), 20)
place = generator.normal(size=(100, 5)) + 4 * np.eye(5)[group]
gaps = np.linalg.norm(place[:, None] - place[None], axis=2)
np.fill_diagonal(gaps, np.inf)
links = {tuple(sorted((i, j))) for i in range(100) for j in np.argsort(gaps[i])[:6]}
links |= {tuple(sorted((i, j))) for i, j in enumerate(generator.integers(100, size=100)) if i != j}
rows, columns = np.array(sorted(links)).T
similarity = np.exp(-gaps[rows, columns] / 2)
graph = sparse.coo_array((similarity, (rows, columns)), shape=(100, 100)).tocsr()
graph = graph + graph.T
print(f"{len(links)} links of 4,950 possible")

# %%
model = AutoClustering(n_clusters=5, metric="precomputed_similarity").fit(graph)
print(model.model_, model.n_components_, "component")
model.plot()

# %% [markdown]
# Similarities are clustered by the latent feature model, which is spectral clustering. `stays` is how often a random walk stays
# in its cluster.

# %%
print(model.summary())

# %%
assert adjusted_rand_index(model.labels_, group) > 0.8
