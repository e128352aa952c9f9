# Ray is 240 MB: `make test-packages` installs it and runs this file.
import numpy as np
import pytest
import ray

import similis
from similis import make_shapes
from similis.ray import AutoClustering, LatentGraphClustering

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def started():
    ray.init(num_cpus=2, include_dashboard=False, logging_level="error")
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def points():
    rows, _ = make_shapes("five_blobs", 21_000, random_state=3)
    return np.concatenate([rows, rows[::50]])


@pytest.fixture(scope="module")
def local(points):
    return similis.AutoClustering().fit(points)


def test_labels_are_those_of_the_local_estimator(started, points, local, tmp_path):
    parts = [ray.put(part) for part in np.array_split(points, 5)]
    model = AutoClustering(n_cells=7).fit(parts)
    assert (model.labels_ == local.labels_).all()
    assert model.scales_.tolist() == local.scales_.tolist()
    assert (model.predict(points[:10]) == local.predict(points[:10])).all()
    for number, part in enumerate(np.array_split(points, 3)):
        np.save(tmp_path / f"{number}.npy", part)
    assert (AutoClustering().fit_predict(tmp_path) == local.labels_).all()


def test_mistakes_are_told(started, points):
    bad = points[:40].copy()
    bad[26, 1] = np.nan
    with pytest.raises(ValueError, match=r"000002\.npy.*row 7"):
        LatentGraphClustering().fit([ray.put(part) for part in np.split(bad, 4)])
