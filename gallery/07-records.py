# %% [markdown]
# # Records of the same person
#
# Entity resolution: a model scores pairs of records, and pairs that may be the same person form a sparse graph of very many small components.
# Joining everything that is connected makes one false link join two people. Clustering by the scores does not.

# %%
import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from similis import LatentGraphClustering, adjusted_rand_index

generator = np.random.default_rng(7)
n_people = 60
person = np.repeat(np.arange(n_people), generator.integers(2, 6, n_people))
n = len(person)

# %% [markdown]
# The scores of a matching program: high for two records of one person, low for others, which are mostly left out. A few pairs of different
# people score 0.4 to 0.6.

# %%
pairs, probability = [], []
for i in range(n):
    for j in range(i + 1, n):
        if person[i] == person[j]:
            pairs.append((i, j))
            probability.append(generator.uniform(0.85, 0.99))
        elif person[j] == person[i] + 1 and person[i] % 2 == 0 and generator.random() < 0.12:
            pairs.append((i, j))
            probability.append(generator.uniform(0.4, 0.6))
rows, columns = np.array(pairs).T
distance = -np.log(probability)  # a probability of a match as a distance
graph = sparse.coo_array((distance, (rows, columns)), shape=(n, n)).tocsr()
graph = graph + graph.T
n_components, joined = connected_components(graph)
print(f"{n} records of {n_people} people, {len(pairs)} pairs, {n_components} connected components")

# %%
model = LatentGraphClustering(n_people, metric="precomputed").fit(graph)
print("connected components:", round(adjusted_rand_index(joined, person), 3))
print("similis:             ", round(adjusted_rand_index(model.labels_, person), 3))

# %% [markdown]
# What a clerk has decided is kept: two records that must not be one person.

# %%
wrong = next((i, j) for i, j in pairs if person[i] != person[j])
checked = LatentGraphClustering(n_people, metric="precomputed").fit(graph, cannot_link=[wrong])
assert checked.labels_[wrong[0]] != checked.labels_[wrong[1]]

# %%
assert adjusted_rand_index(model.labels_, person) > adjusted_rand_index(joined, person)
