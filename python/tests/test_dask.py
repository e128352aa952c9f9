import gc
import os
import pathlib
import signal
import subprocess
import sys
import types

import numpy as np
import pytest

import similis
from similis import make_shapes

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

from similis.dask import AutoClustering, LatentGraphClustering  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture(scope="module")
def client():
    with distributed.Client(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, worker_dashboard_address=None
    ) as client:
        yield client


@pytest.fixture(scope="module")
def points():
    rows, _ = make_shapes("five_blobs", 21_000, random_state=3)
    # Equal rows are one point with a weight.
    return np.concatenate([rows, rows[::50]])


@pytest.fixture(scope="module")
def local(points):
    return similis.AutoClustering().fit(points)


@pytest.mark.parametrize(("rows", "n_cells"), [(5_000, None), (21_420, 1), (1_500, 13)])
def test_labels_are_those_of_the_local_estimator(client, points, local, rows, n_cells):
    X = da.from_array(points, chunks=(rows, 1))
    model = AutoClustering(client=client, n_cells=n_cells).fit(X)
    assert model.labels_.chunks[0] == X.chunks[0]
    assert (model.labels_.compute() == local.labels_).all()
    assert model.n_clusters_ == local.n_clusters_ == 5
    assert model.scales_.tolist() == local.scales_.tolist()
    assert model.log_joint_ == local.log_joint_
    assert model.sizes_.tolist() == np.bincount(local.labels_).tolist()
    assert model.n_features_in_ == 2
    assert model.proven_ == 1


def test_many_columns_have_the_labels_of_the_local_estimator_too(client, points):
    rows = np.random.default_rng(5).normal(size=(len(points), 14))
    wide = np.concatenate([points, 0.3 * points.std() * rows], axis=1)
    own = similis.AutoClustering(n_clusters=5, metric="manhattan").fit(wide)
    model = AutoClustering(n_clusters=5, metric="manhattan", client=client).fit(da.from_array(wide, chunks=(6_000, 16)))
    assert (model.labels_.compute() == own.labels_).all()
    assert model.scales_.tolist() == own.scales_.tolist()
    assert 0.5 < model.proven_ <= 1


def test_few_points_need_no_parts(client):
    X, _ = make_shapes("two_rings", 300)
    X = np.concatenate([X, X[:7]])
    own = similis.LatentGraphClustering(n_clusters=2).fit(X)
    model = LatentGraphClustering(n_clusters=2, client=client).fit(da.from_array(X, chunks=(50, 2)))
    assert (model.labels_.compute() == own.labels_).all()
    assert model.scales_.tolist() == own.scales_.tolist()
    settings = similis.LatentGraphClustering(scales="per_class")
    other = AutoClustering(n_clusters=2, latent_graph=settings, client=client).fit(X)
    assert (other.labels_.compute() == similis.LatentGraphClustering(n_clusters=2, scales="per_class").fit(X).labels_).all()


def test_prediction_by_blocks_is_that_of_the_plain_estimator(client, points, local, tmp_path):
    model = AutoClustering(client=client).fit(da.from_array(points, chunks=(9_000, 2)))
    new = da.from_array(points[:3_000] + 0.01, chunks=(1_000, 2))
    labels, rows = model.predict(new), model.predict_proba(new)
    assert labels.chunks == ((1_000,) * 3,)
    assert (labels.compute() == local.predict(new.compute())).all()
    assert (rows.compute() == local.predict_proba(new.compute())).all()
    assert (model.predict(points[:10]) == local.predict(points[:10])).all()
    plain = model.to_local()
    assert type(plain) is similis.AutoClustering
    assert (plain.labels_ == local.labels_).all()
    assert plain.plot().svg.startswith("<svg")
    assert "5 clusters" in plain.summary()
    plain.save(tmp_path / "model.similis")
    assert (similis.load(tmp_path / "model.similis").predict(points[:100]) == local.predict(points[:100])).all()


def test_frames_and_folders_of_files(client, points, local, tmp_path):
    import pandas as pd

    dd = pytest.importorskip("dask.dataframe")
    frame = pd.DataFrame(points, columns=["x", "y"])
    model = AutoClustering(client=client).fit(dd.from_pandas(frame, npartitions=3))
    assert (model.labels_.compute() == local.labels_).all()
    folder = tmp_path / "points"
    folder.mkdir()
    for number, part in enumerate(np.array_split(points, 4)):
        pd.DataFrame(part, columns=["x", "y"]).to_csv(folder / f"{number}.csv", index=False)
    assert (AutoClustering(client=client).fit(folder).labels_.compute() == local.labels_).all()


def test_a_fit_goes_on_in_its_work_folder(client, points, local, tmp_path):
    X = da.from_array(points, chunks=(4_000, 2))
    script = f"""
import numpy as np, dask.array as da
from distributed import Client
from similis.dask import AutoClustering
import similis.dask
if __name__ == "__main__":
    with Client(n_workers=1, processes=False, dashboard_address=None) as client:
        def run(work, name):
            if name.startswith("lists"):
                import os
                os._exit(9)
            similis._jobs.run(work, name)
        similis.dask._run = run
        X = np.load({str(tmp_path / "points.npy")!r})
        AutoClustering(client=client, work_folder={str(tmp_path / "work")!r}).fit(da.from_array(X, chunks=(4_000, 2)))
"""
    np.save(tmp_path / "points.npy", points)
    (tmp_path / "killed.py").write_text(script)
    ended = subprocess.run([sys.executable, str(tmp_path / "killed.py")], capture_output=True, check=False)
    assert ended.returncode == 9, ended.stderr.decode()
    work = tmp_path / "work" / "work"
    before = {path: path.stat().st_mtime_ns for path in work.glob("*/*.bin")}
    assert any(path.parent.name == "cells" for path in before)
    assert not list((work / "lists").glob("*.bin")) if (work / "lists").exists() else True
    model = AutoClustering(client=client, work_folder=tmp_path / "work").fit(X)
    assert (model.labels_.compute() == local.labels_).all()
    # What was whole was not made again.
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_any_worker_may_be_killed(points, local, tmp_path):
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, worker_dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        work = tmp_path / "work"
        workers = [worker["id"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()]
        assert len(workers) == 2
        pids = list(client.run(os.getpid).values())
        killed = []
        submit = client.submit

        def submit_and_kill(function, *args, **settings):
            future = submit(function, *args, **settings)
            if "lists-1" in str(args) and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)
            return future

        client.submit = submit_and_kill
        model = AutoClustering(client=client, work_folder=work).fit(da.from_array(points, chunks=(6_000, 2)))
        assert killed
        assert (model.labels_.compute() == local.labels_).all()
    assert not [path for path in pathlib.Path(work).rglob(".similis-*") if path.stat().st_size == 0]


def test_a_job_that_dask_gives_up_is_submitted_again(client, points, local, monkeypatch, tmp_path):
    # Workers get a copy of what is submitted: they count in a file.
    count, retries, run = tmp_path / "count", similis.dask.RETRIES, similis.dask._run

    def dies(work, name):
        n_before = count.stat().st_size if count.exists() else 0
        # Once more than Dask tries again by itself.
        if name == "cells-1" and n_before <= retries:
            count.write_bytes(b"." * (n_before + 1))
            raise distributed.KilledWorker(name, types.SimpleNamespace(address="tcp://gone"), 3)
        run(work, name)

    monkeypatch.setattr("similis.dask._run", dies)
    model = AutoClustering(client=client).fit(da.from_array(points, chunks=(9_000, 2)))
    assert count.stat().st_size == retries + 1
    assert (model.labels_.compute() == local.labels_).all()


def test_labels_outlive_their_estimator(client, points, local):
    labels = AutoClustering(client=client).fit_predict(da.from_array(points, chunks=(9_000, 2)))
    gc.collect()
    assert (labels.compute() == local.labels_).all()
    model = AutoClustering(n_clusters=2, client=client).fit(points[:200])
    folder = str(model.work_folder_)
    assert os.path.isdir(folder)
    del model
    gc.collect()
    assert not os.path.isdir(folder)


def test_mistakes_are_told(client, points, tmp_path, monkeypatch):
    bad = points[:40].copy()
    bad[26, 1] = np.nan
    with pytest.raises(ValueError, match=r"000002\.npy.*row 7"):
        AutoClustering(client=client).fit(da.from_array(bad, chunks=(10, 2)))
    with pytest.raises(ValueError, match="metric that boxes can bound"):
        AutoClustering(client=client, metric="hamming").fit(points[:30])
    with pytest.raises(ValueError, match="rows and columns"):
        AutoClustering(client=client).fit(da.zeros(10))
    model = AutoClustering(client=client, work_folder=tmp_path / "one", n_clusters=2).fit(points[:200])
    driver = similis._lib.ShardDriver(str(tmp_path / "one" / "work"))
    with pytest.raises(ValueError, match="another process drives"):
        similis._lib.ShardDriver(str(tmp_path / "one" / "work"))
    assert driver.step == "done"
    assert model.labels_.compute().shape == (200,)
    with pytest.raises(ValueError, match="noise"):
        AutoClustering(client=client, latent_graph=similis.LatentGraphClustering(noise="background")).fit(points[:50])

    def nobody():
        raise ValueError

    monkeypatch.setattr("similis.dask.get_client", nobody)
    with pytest.raises(ValueError, match="needs a client"):
        AutoClustering().fit(points[:50])
