# %% [markdown]
# # How sure is it?
#
# Three answers, from cheap to thorough: runners-up, leave-one-out probabilities, and draws from the posterior.

# %%
import numpy as np

from similis import LatentGraphClustering, adjusted_rand_index, make_shapes

X, y = make_shapes("dense_letter", 150, random_state=1)
model = LatentGraphClustering(2).fit(X)

# %% [markdown]
# Other partitions that were considered: a small difference of score with a low agreement means that there are two good answers.

# %%
best = model.candidates_[0]
for other in model.candidates_[1:4]:
    agreement = adjusted_rand_index(best["labels"], other["labels"])
    print(f"{best['score'] - other['score']:6.1f} lower, agreement {agreement:.2f}: {other['start']}")

# %% [markdown]
# Given these clusters, how sure is each point's? Each is left out in turn.

# %%
print((model.probabilities_ < 0.8).sum(), "of", len(X), "points are in doubt")
model.plot()

# %% [markdown]
# Draws from the posterior say how probable it is that two points share a cluster. R-hat near 1 says that the chains agree, a large effective sample
# size that they moved.

# %%
blobs, kinds = make_shapes("five_blobs", 100)
sampled = LatentGraphClustering(5, inference="sample", n_sweeps=1500, n_chains=2).fit(blobs)
print(f"R-hat {sampled.posterior_['r_hat']:.3f}, effective sample size {sampled.posterior_['effective_sample_size']:.0f}")
sampled.plot("co_assignment")

# %%
unsure = sampled.posterior_["memberships"].max(axis=1) < 0.9
print(unsure.sum(), "of", len(blobs), "points are less than 90% sure")

# %%
assert sampled.posterior_["r_hat"] < 1.1
assert np.allclose(sampled.posterior_["memberships"].sum(axis=1), 1)
assert np.allclose(np.diag(np.asarray(sampled.co_assignment_)), 1)
assert adjusted_rand_index(sampled.labels_, kinds) > 0.9
