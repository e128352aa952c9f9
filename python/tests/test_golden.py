"""The answers that the command and Rust give: `testdata/golden`, which `make bless` rewrites."""

import json
from pathlib import Path

import numpy as np
import pytest

from similis import AutoClustering, LatentFeatureClustering, LatentGraphClustering

TESTDATA = Path(__file__).parents[2] / "testdata"
PAPER = {
    "likelihood": "gaussian",
    "support": "complete",
    "scale_prior": "none",
    "size_prior": "constant",
    "inference": "paper",
}
#: The estimators that stand for the arguments behind each file, and what they read.
CASES = {
    "auto": (AutoClustering(2), "two-scales.csv"),
    "auto-distances": (AutoClustering(2, metric="precomputed"), "rings-distances.csv"),
    "latent-feature": (LatentFeatureClustering(2), "two-scales.csv"),
    "latent-feature-joint": (
        AutoClustering(3, latent_feature=LatentFeatureClustering(feature_inference="joint")),
        "two-scales.csv",
    ),
    "latent-feature-gaussian": (
        AutoClustering(2, metric="precomputed", latent_feature=LatentFeatureClustering(affinity="gaussian")),
        "rings-distances.csv",
    ),
    "latent-graph": (
        AutoClustering(2, latent_graph=LatentGraphClustering(inference="paper", n_restarts=3)),
        "two-scales.csv",
    ),
    "latent-graph-paper": (LatentGraphClustering(3, **PAPER), "thirty-points.csv"),
}


def read(name):
    lines = (TESTDATA / name).read_text().splitlines()
    header = 0 if lines[0].replace(".", "").replace("-", "")[:1].isdigit() else 1
    return np.loadtxt(lines[header:], delimiter=",")


@pytest.mark.filterwarnings("ignore:the fit stopped at the iteration limit")
@pytest.mark.parametrize("name", CASES)
def test_python_gives_the_command_s_answer(name):
    golden = json.loads((TESTDATA / "golden" / f"{name}.json").read_text())
    model, path = CASES[name]
    model.fit(read(path))
    assert model.labels_.tolist() == golden["labels"]
    assert model.log_joint_ == pytest.approx(golden["log_joint"], rel=1e-12)
    if "scales" in golden:
        assert np.allclose(model.scales_, golden["scales"], rtol=1e-12)


def test_every_golden_file_is_compared():
    assert set(CASES) == {path.stem for path in (TESTDATA / "golden").glob("*.json")}
