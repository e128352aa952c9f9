"""Model 2: latent graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from similis._base import Clusterer
from similis._run import Callback


class LatentGraphClustering(Clusterer):
    """Clusters that each have their own scale of neighbour distance.

    A hidden graph says which points are neighbours; neighbours of a cluster are as far apart as its scale says, all other
    pairs as the background says. Labels, graph and scales are inferred together. There is no scale to set, no radius and
    no minimum size.

    Parameters
    ----------
    n_clusters : int, (least, most) or "auto", default="auto"
        Number of clusters; of a range, or of all numbers, that with the best score.
    metric : str or callable, default="euclidean"
        How points are measured: euclidean, squared_euclidean, manhattan, chebyshev, minkowski, cosine, correlation,
        hamming, jaccard, haversine (latitude and longitude in radians), gower (numbers, categories and missing fields), or a
        function of two points. "precomputed": `X` is distances; "precomputed_similarity": `X` is similarities.
    minkowski_p : float, default=3.0
        The exponent of the metric minkowski.
    conversion : {"one_minus", "negative_log", "inverse", "kernel"}, optional
        How similarities become distances, which this model needs unless the likelihood is gaussian.
    symmetrise : {"error", "mean", "min", "max"}, default="error"
        What to do with an asymmetric matrix of pairs.
    missing : {"error", "unobserved"}, default="error"
        What NaN in a matrix of pairs means.
    likelihood : {"exponential", "gaussian"}, default="exponential"
        The family of link lengths under the inference paper and sample, and of the reported scales and log joint. The search
        knows exponential only, and its score has a `shape` of its own.
    graph_prior : {"tree", "connected", "k_neighbours"}, default="tree"
        Which graphs a cluster may have.
    prior_neighbours : int, default=5
        Number of neighbours of every point under the graph prior k_neighbours.
    support : {"complete", "nearest", "given"}, optional
        Which pairs may be links. Without it: complete up to 2,000 points; nearest above, where the posterior is sampled,
        and where graphs are connected; given for sparse input.
    support_neighbours : int, default=15
        Number of neighbours of the support nearest.
    background : {"fitted", "theorem"}, default="fitted"
        How the background is found. Under the search it changes the reported scales and log joint, not the labels.
    scale_prior : {"weak", "none"}, default="weak"
        Prior on cluster scales. Under the search it changes the reported scales and log joint, not the labels.
    typical_length : float, optional
        Mean link length under the prior weak. Without it: the mean link of the minimum spanning tree. Under the search it
        changes the reported scales and log joint, not the labels.
    scale_updates : {"hard", "soft"}, default="hard"
        Which graphs the inference paper learns scales from: the best one, or all trees, weighted by their probability.
    size_prior : {"dirichlet", "constant"}, optional
        Prior on the sizes of clusters. Without it: dirichlet, but constant for connected graphs and for k_neighbours with
        exponential lengths.
    inference : {"search", "paper", "sample"}, optional
        How the model is inferred. Default: search, or paper if the likelihood is gaussian or the graphs are not trees.
        The inference sample draws from the posterior over partitions, which shows how sure the answer is.
    noise : {"none", "background"}, default="none"
        Whether points may belong to no cluster; their label is then -1.
    tree_score : {"best_tree", "all_trees"}, default="best_tree"
        Which trees of a cluster the score of the search counts: the best one, or all.
    scales : {"varying", "per_class"}, default="varying"
        Whether scales may vary within a cluster, in the search; not with all_trees.
    step : float, optional
        Standard deviation of the change of the log scale from a point to its neighbour, in the score. Without it: the mean
        over several.
    shape : float, default=2.0
        The shape of link lengths in the score: 1 is exponential, 2 the distance of neighbours in the plane.
    walk_weight : float, default=1.0
        Weight of the random walk in the score.
    valley_weight : float, default=1.0
        Weight of the valleys of the density inside clusters in the score.
    n_chains : int, default=4
        Number of chains of the inference sample, each from another start.
    n_sweeps : int, default=1000
        Number of sweeps of each chain; a sweep is as many proposed moves as there are points.
    burn_in : float, default=0.5
        Fraction of sweeps discarded as warm-up.
    n_samples : int, default=1000
        Maximum number of draws that are kept of all chains.
    loss : {"variation_of_information", "binder"}, default="variation_of_information"
        Loss that the reported labels minimise over the posterior samples.
    n_restarts : int, default=10
        Number of random restarts of the inference paper; other inferences do not use it.
    min_size : int, default=1
        Fewest points of a cluster.
    max_size : int, optional
        Most points of a cluster.
    preset : {"paper"}, optional
        The settings of the paper; settings that are not the default are kept.
    random_state : int, RandomState, Generator or None, default=0
        Random seed: the same number gives the same answer. None: a fresh one, kept in `random_state_`.
    n_jobs : int, optional
        Number of threads; None and -1 are all cores. It does not change the answer.
    memory_limit : int or str, optional
        Maximum memory of input and work together, in bytes, also as "4GB"; a fit that would need more is refused.
        Default: 80% of the free memory.
    time_limit : float, optional
        Stop after this many seconds with the best answer so far.
    verbose : bool, default=False
        Whether progress is printed.
    callback : callable, optional
        Called with the phase, the part of it that is done and the log joint; returns True to stop with the best answer so
        far.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each point, numbered in the order of first appearance; -1 is noise.
    n_clusters_ : int
        Number of clusters, noise not counted.
    numbers_ : list of dict
        The score of each number of clusters, if it was not fixed: n_clusters, score and its terms, whether more than
        linkage was searched, and the labels of its best partition.
    modes_ : dict
        The modes of the density of the points: n_neighbours, the intrinsic dimension, the prominence above which a mode is
        significant, and a list of modes, most prominent first: peak, saddle, prominence (infinite for the highest),
        significant.
    scales_, spreads_ : ndarray of shape (n_clusters_,)
        The typical link length of each cluster, and the standard deviation of its link lengths.
    n_components_ : int
        Number of connected components of the graph of pairs that may be links. With fewer clusters than components some
        are joined, by links that are NaN in `graph_`.
    background_scale_ : float
        The mean distance of pairs that are not links.
    graph_ : csr_array of shape (n_samples, n_samples)
        The lengths of the links of the most probable graph, both ways; links of length 0 are listed.
    log_joint_ : float
        The log joint of labels, graph and scales.
    score_ : float
        The score that decided between candidates; higher is better, among partitions into the same number of clusters.
    candidates_ : list of dict
        Every partition that the search considered, best first: start, climbed (refined by local search), score and its
        terms, labels.
    posterior_ : dict
        Summary of the posterior draws of the inference sample: samples, memberships (rows add up to 1, columns are
        numbered as `labels_` are), entropies, n_clusters (the probability of each number), traces, burn_in, r_hat,
        effective_sample_size, loss, expected_loss.
    co_assignment_ : ndarray or csr_array of shape (n_samples, n_samples)
        Posterior probability that two points share a cluster, of the inference sample.
    edge_probabilities_ : csr_array of shape (n_samples, n_samples)
        Probability of each link given labels and scales; computed when asked for.
    trace_ : ndarray
        The log joint at the start and after each pass of the inference paper; of a search, of the answer alone.
    n_iter_ : int
        Number of passes; 1 for a search.
    termination_ : str
        Why the work stopped.
    probabilities_ : ndarray of shape (n_samples,)
        Leave-one-out probability of each point's own cluster; computed when asked for. Not available
        for similarities.
    medoids_ : ndarray of shape (n_clusters_,)
        The row of the most typical point of each cluster; computed when asked for.
    children_, linkage_matrix_ : ndarray
        The single-linkage dendrogram of the points, for `scipy.cluster.hierarchy.dendrogram`; computed when asked for.
    random_state_ : int
        The seed that was used.
    notes_ : list of str
        What the command would note of the answer, such as another partition that is nearly as good.
    number_is_provisional_ : bool
        Whether the number of clusters is a quick choice, because the work was cut short before it was searched.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    See Also
    --------
    AutoClustering : Takes the better of both models.
    LatentFeatureClustering : Spectral clustering and beyond.

    Examples
    --------
    >>> from similis import LatentGraphClustering, adjusted_rand_index, make_shapes
    >>> X, y = make_shapes("dense_letter", 400)
    >>> model = LatentGraphClustering(n_clusters=2).fit(X)
    >>> adjusted_rand_index(model.labels_, y) > 0.9
    True
    >>> bool(model.scales_.max() > 3 * model.scales_.min())
    True
    """

    _model: ClassVar[str] = "latent_graph"

    def __init__(
        self,
        n_clusters: int | tuple[int, int] | str = "auto",
        *,
        metric: str | Callable[[Any, Any], float] = "euclidean",
        minkowski_p: float = 3.0,
        conversion: str | None = None,
        symmetrise: str = "error",
        missing: str = "error",
        likelihood: str = "exponential",
        graph_prior: str = "tree",
        prior_neighbours: int = 5,
        support: str | None = None,
        support_neighbours: int = 15,
        background: str = "fitted",
        scale_prior: str = "weak",
        typical_length: float | None = None,
        scale_updates: str = "hard",
        size_prior: str | None = None,
        inference: str | None = None,
        noise: str = "none",
        tree_score: str = "best_tree",
        scales: str = "varying",
        step: float | None = None,
        shape: float = 2.0,
        walk_weight: float = 1.0,
        valley_weight: float = 1.0,
        n_chains: int = 4,
        n_sweeps: int = 1000,
        burn_in: float = 0.5,
        n_samples: int = 1000,
        loss: str = "variation_of_information",
        n_restarts: int = 10,
        min_size: int = 1,
        max_size: int | None = None,
        preset: str | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        memory_limit: int | str | None = None,
        time_limit: float | None = None,
        verbose: bool = False,
        callback: Callback | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.minkowski_p = minkowski_p
        self.conversion = conversion
        self.symmetrise = symmetrise
        self.missing = missing
        self.likelihood = likelihood
        self.graph_prior = graph_prior
        self.prior_neighbours = prior_neighbours
        self.support = support
        self.support_neighbours = support_neighbours
        self.background = background
        self.scale_prior = scale_prior
        self.typical_length = typical_length
        self.scale_updates = scale_updates
        self.size_prior = size_prior
        self.inference = inference
        self.noise = noise
        self.tree_score = tree_score
        self.scales = scales
        self.step = step
        self.shape = shape
        self.walk_weight = walk_weight
        self.valley_weight = valley_weight
        self.n_chains = n_chains
        self.n_sweeps = n_sweeps
        self.burn_in = burn_in
        self.n_samples = n_samples
        self.loss = loss
        self.n_restarts = n_restarts
        self.min_size = min_size
        self.max_size = max_size
        self.preset = preset
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.memory_limit = memory_limit
        self.time_limit = time_limit
        self.verbose = verbose
        self.callback = callback
