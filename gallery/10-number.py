# %% [markdown]
# # How many clusters?
#
# Leave the number out, and a score chooses. The table says how clear the choice was.

# %%
from similis import AutoClustering, make_shapes

X, y = make_shapes("five_blobs", 300)
model = AutoClustering().fit(X)
for row in model.numbers_[:8]:
    print(f"{row['n_clusters']:3} clusters: score {row['score']:9.1f}, probability {row['probability']:.3f}")

# %%
model.plot("numbers")

# %%
model.plot()

# %% [markdown]
# The labels of the other numbers are there too: the second best, to look at beside the best.

# %%
ranked = sorted(model.numbers_, key=lambda row: -row["score"])
print([row["n_clusters"] for row in ranked[:3]])
second = ranked[1]["labels"]

# %% [markdown]
# A range leaves some numbers out, such as 1.

# %%
ranged = AutoClustering(n_clusters=(2, 8)).fit(X)
assert ranged.n_clusters_ == model.n_clusters_ == 5
