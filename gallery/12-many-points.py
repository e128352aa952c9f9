# %% [markdown]
# # A million points
#
# The same call. Of more than 20,000 points in space a sample is searched, and its clusters are extended to all points.

# %%
import os
import time

from similis import AutoClustering, adjusted_rand_index, make_shapes

# Tests take fewer points.
n = int(os.environ.get("SIMILIS_MANY", "1_000_000"))
X, y = make_shapes("five_blobs", n)
X.shape

# %%
began = time.process_time()
model = AutoClustering(n_clusters=5).fit(X)
seconds = time.process_time() - began
agreement = adjusted_rand_index(model.labels_, y)
print(f"agreement with the truth {agreement:.3f}")

# %% [markdown]
# Pictures of many points are one image inside the SVG, so that they stay small.

# %%
picture = model.plot()
print(f"{len(picture.svg) / 1e3:.0f} kB")

# %%
assert agreement > 0.9
assert seconds > 0 and len(picture.svg) < 2e6
