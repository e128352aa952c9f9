# %% [markdown]
# # Topics of short texts
#
# Texts become vectors (here TF-IDF and a few singular vectors; sentence embeddings are the usual choice), and `metric="cosine"` compares their
# directions. Every text gets a topic: nothing is thrown away as noise unless you ask for it.

# %%
import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from similis import AutoClustering, adjusted_rand_index

WORDS = {
    "kitchen": "bake bread flour oven butter sugar knead dough salt yeast crust recipe pan simmer onion",
    "sea": "sail harbour wind wave anchor tide mast boat rope storm captain island coast current deck",
    "garden": "plant seed soil water rose prune compost leaf root bloom weed spade tulip hedge frost",
    "music": "chord violin tempo melody rehearsal concert singer drum rhythm score orchestra tune string choir note",
}
SHARED = "the a today morning old new small very often little"
generator = np.random.default_rng(3)


def text(topic):
    own = generator.choice(WORDS[topic].split(), 7, replace=False)
    return " ".join(generator.permutation([*own, *generator.choice(SHARED.split(), 4)]))


y = np.repeat(list(WORDS), [60, 40, 50, 30])
texts = [text(topic) for topic in y]
texts[0]

# %%
vectors = make_pipeline(TfidfVectorizer(), TruncatedSVD(8, random_state=0)).fit_transform(texts)
model = AutoClustering(metric="cosine").fit(vectors)
print(f"{model.n_clusters_} topics were found")

# %% [markdown]
# What is each topic about? The words that are most frequent in it, compared with all texts; and its most typical text.

# %%
counter = TfidfVectorizer(use_idf=False, norm=None)
counts = counter.fit_transform(texts).toarray()
for topic in range(model.n_clusters_):
    more = counts[model.labels_ == topic].mean(axis=0) - counts.mean(axis=0)
    print(topic, ", ".join(counter.get_feature_names_out()[np.argsort(-more)[:6]]))
    print("   typical:", texts[model.medoids_[topic]])

# %%
model.plot()

# %%
assert (model.labels_ >= 0).all()
assert adjusted_rand_index(model.labels_, np.unique(y, return_inverse=True)[1]) > 0.9
