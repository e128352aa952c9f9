# %% [markdown]
# # Outliers and new data
#
# Points that belong nowhere, a score for every point, and new points of a kind that was never seen.

# %%
import numpy as np

from similis import AutoClustering, LatentGraphClustering, load, make_shapes

rings, _ = make_shapes("two_rings", 250)
generator = np.random.default_rng(0)
strays = generator.uniform(-12, 12, size=(12, 2))
strays = strays[np.linalg.norm(strays, axis=1) > 8]
X = np.vstack([rings, strays])

# %%
model = LatentGraphClustering(2, noise="background").fit(X)
print((model.labels_ == -1).sum(), "points are noise; added were", len(strays))
model.plot()

# %% [markdown]
# A score ranks all points: the log density of the link by which each would join the clusters, left out in turn.

# %%
plain = AutoClustering(2).fit(rings)
density = plain.score_samples(None)
new = np.vstack([rings[:2] + 0.01, [[40.0, 40.0]]])
print("new points:", plain.score_samples(new).round(1), "lowest of the fitted:", density.min().round(1))

# %% [markdown]
# Saved and loaded, it predicts the same bits.

# %%
plain.save("rings.similis")
again = load("rings.similis")
assert (again.predict_proba(new) == plain.predict_proba(new)).all()

# %%
assert (model.labels_[-len(strays) :] == -1).mean() > 0.8
assert plain.score_samples(new)[2] < density.min()
