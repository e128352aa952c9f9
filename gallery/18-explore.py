# %% [markdown]
# # See and correct the clusters
#
# In a notebook that runs widgets, the next cell is a page: a map with a lasso, settings, corrections, a table. Here, where none can
# run, the engine's picture stands in its place. It needs anywidget (`pip install similis[explore]`).

# %%
from similis import adjusted_rand_index, explore, make_shapes

X, y = make_shapes("dense_spiral", 150, random_state=2)
page = explore(X, n_clusters=2, classes=y, name="spiral")
page

# %% [markdown]
# What is done on the page can be read here, and what is set here is seen on the page: the selection, known labels, pairs.

# %%
page.wait()
before = adjusted_rand_index(page.model_.labels_, y)
page.selection = [int(i) for i in range(0, 150, 8)]
names = ["spiral" if label == y[0] else "cloud" for label in y]
page.known_labels = [name if i in page.selection else None for i, name in enumerate(names)]
page.wait()
after = adjusted_rand_index(page.model_.labels_, y)
print(f"{before:.2f} without labels, {after:.2f} with {len(page.selection)}")
assert after > before

# %% [markdown]
# `model_` is the fitted estimator of what the page shows: it predicts, draws and saves as any other.

# %%
model = page.model_
print(model, model.predict(X[:3] + 0.01))
assert all(model.labels_[i] == model.labels_[0] for i in page.selection if y[i] == y[0])
model.plot()

# %%
page.close()
