# %% [markdown]
# # Numbers, categories and gaps in one table
#
# Gower's distance compares numbers by their range and categories by equality; what is missing is left out of the mean. Nothing is filled
# in. Latent features suit such tables better than latent graphs: a category that differs is a jump, and a cluster is many small jumps.

# %%
import numpy as np
import pandas
from similis import AutoClustering, adjusted_rand_index

rng = np.random.default_rng(2)
kind = np.repeat([0, 1, 2], 80)
frame = pandas.DataFrame(
    {
        "age": np.array([24, 45, 68])[kind] + rng.normal(0, 4, 240),
        "visits": rng.poisson(np.array([2, 12, 5])[kind]),
        "city": pandas.Categorical(np.array(["Rome", "Oslo", "Lima"])[np.where(rng.random(240) < 0.95, kind, 2 - kind)]),
        "member": kind == 1,
    }
)
for column in ["age", "visits", "city"]:
    frame[column] = frame[column].where(rng.random(240) > 0.08)
print(frame.head(6).to_string())

# %%
model = AutoClustering(n_clusters=3, metric="gower", model="latent_feature").fit(frame)
agreement = adjusted_rand_index(model.labels_, kind)
print("agreement with the kinds of customers:", round(agreement, 3))
assert agreement > 0.8

# %% [markdown]
# What each cluster is, by its columns.

# %%
print(model.summary())
by_cluster = frame.assign(cluster=model.labels_).groupby("cluster")
print(by_cluster["city"].agg(lambda column: column.mode()[0]).tolist(), by_cluster["age"].mean().round(1).tolist())

# %%
model.plot()

# %% [markdown]
# New rows may have gaps too.

# %%
new = pandas.DataFrame({"age": [70.0, None], "visits": [5.0, 13.0], "city": ["Lima", "Oslo"], "member": [False, True]})
labels = model.predict(new)
print(labels)
assert labels[0] == np.bincount(model.labels_[kind == 2]).argmax()
assert labels[1] == np.bincount(model.labels_[kind == 1]).argmax()
