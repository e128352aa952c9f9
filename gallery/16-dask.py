# %% [markdown]
# # More than one machine holds: Dask
#
# The same estimator on a Dask array. The labels are those of the plain estimator, bit for bit, for any chunks and workers. It needs
# `pip install similis[dask]`.

# %%
import dask.array as da
import numpy as np
from distributed import Client
from similis import AutoClustering, make_shapes
from similis.dask import AutoClustering as DaskClustering

X, _ = make_shapes("five_blobs", 25_000, random_state=1)
client = Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None)
model = DaskClustering(client=client).fit(da.from_array(X, chunks=(7_000, 2)))
print(model.n_clusters_, "clusters of sizes", model.sizes_)

# %%
local = AutoClustering().fit(X)
labels = model.labels_.compute()
assert (labels == local.labels_).all()
assert model.scales_.tolist() == local.scales_.tolist()
print("chunks of the labels:", model.labels_.chunks)

# %% [markdown]
# A folder of files that no machine holds is fitted by its path: `DaskClustering(client=client).fit("points/")`. Predictions go block by
# block, and `to_local()` is the plain estimator, which draws pictures and is saved as ever.

# %%
new = da.from_array(X[:1000] + 0.01, chunks=(250, 2))
assert (model.predict(new).compute() == local.predict(np.asarray(new))).all()
plain = model.to_local()
client.close()
assert (plain.predict(X[:10] + 0.01) == local.predict(X[:10] + 0.01)).all()
