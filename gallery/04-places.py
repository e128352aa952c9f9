# %% [markdown]
# # Places on the earth
#
# `metric="haversine"` takes latitude and longitude in radians. Distances are in radians too: 6371 makes kilometres of them.

# %%
import numpy as np

from similis import AutoClustering, adjusted_rand_index

CITIES = {"Berlin": (52.52, 13.40, 150, 6), "Potsdam": (52.40, 13.06, 40, 2), "Hamburg": (53.55, 9.99, 100, 5)}
generator = np.random.default_rng(0)
degrees, y = [], []
for number, (latitude, longitude, n, kilometres) in enumerate(CITIES.values()):
    spread = np.array([1.0, 1 / np.cos(np.radians(latitude))]) * kilometres / 111
    degrees.append([latitude, longitude] + generator.normal(size=(n, 2)) * spread)
    y += [number] * n
degrees = np.vstack(degrees)

# %%
model = AutoClustering(n_clusters=3, metric="haversine").fit(np.radians(degrees))
for cluster, (size, scale) in enumerate(zip(np.bincount(model.labels_), model.scales_, strict=True)):
    print(f"cluster {cluster}: {size} places, typically {6371 * scale:.2f} km from the next")

# %% [markdown]
# The most typical place of each cluster:

# %%
print(degrees[model.medoids_].round(2))
model.plot()

# %%
assert adjusted_rand_index(model.labels_, y) > 0.95
