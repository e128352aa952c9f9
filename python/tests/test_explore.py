"""The widget of notebooks, driven by the messages that its front end sends."""

import json
import subprocess
import sys
import threading

import numpy as np
import pandas as pd
import pytest
import traitlets
from scipy.spatial.distance import pdist, squareform

from similis import AutoClustering, LatentGraphClustering, explore, make_shapes
from similis._base import graph

X, Y = make_shapes("two_rings", 120)


class Front:
    """What a browser would send, and what it would get."""

    def __init__(self, page):
        self.page, self.answers, self.come = page, {}, threading.Condition()
        page.send = self.hear

    def hear(self, content, buffers):
        with self.come:
            self.answers[content["asked"]] = (content["status"], content["kind"], bytes(buffers[0]))
            self.come.notify_all()

    def ask(self, target, value=None):
        asked = str(len(self.answers))
        message = {"asked": asked, "method": "GET" if value is None else "POST", "target": f"/api/{target}"}
        self.page._handle_custom_msg({**message, "body": "" if value is None else json.dumps(value)}, [])
        with self.come:
            assert self.come.wait_for(lambda: asked in self.answers, timeout=60)
            return self.answers[asked]


@pytest.fixture
def opened():
    pages = []

    def begin(*arguments, **settings):
        pages.append(explore(*arguments, **settings))
        pages[-1].wait()
        return pages[-1], Front(pages[-1])

    yield begin
    for page in pages:
        page.close()


def test_the_front_end_gets_what_the_server_would_send(opened):
    named = pd.DataFrame(X, columns=["left", "up"], index=[f"p{i}" for i in range(120)])
    page, front = opened(named, n_clusters=2, classes=Y)
    status, kind, meta = front.ask("meta")
    assert (status, kind) == (200, "application/json")
    meta = json.loads(meta)
    assert meta["n_items"] == 120 and meta["columns"] == ["left", "up", "class"] and meta["named"]
    places = np.frombuffer(front.ask("places")[2], dtype="<f4").reshape(-1, 2)
    assert np.corrcoef(places[:, 0], X[:, 0])[0, 1] > 0.999
    answer = front.ask("answer")[2]
    length = int.from_bytes(answer[:4], "little")
    assert np.array_equal(np.frombuffer(answer[4 + length :], dtype="<i4")[:120], page.labels_)
    assert json.loads(front.ask("item?at=7")[2])["name"] == "p7"
    assert front.ask("nothing")[0] == 404 and front.ask("item?at=1000")[0] == 404
    lines = json.loads(front.ask("recipe")[2])
    assert lines["shell"] == "" and "LatentGraphClustering(2" in lines["python"] and "import pandas" not in lines["python"]


def test_a_correction_is_a_trait_and_the_model_obeys_it(opened):
    page, front = opened(X, n_clusters=2)
    first, last = (int(np.flatnonzero(page.labels_ == label)[0]) for label in (0, 1))
    heard = []
    page.observe(lambda change: heard.append(change["new"]), "must_link")
    assert front.ask("correct", {"kind": "together", "items": [first, last]})[0] == 200
    page.wait()
    pair = (min(first, last), max(first, last))
    assert page.must_link == [pair] and heard == [[pair]]
    assert page.labels_[first] == page.labels_[last] and page.model_.labels_[first] == page.model_.labels_[last]
    assert page._asked and front.ask("correct", {"kind": "together", "items": [first]})[0] == 400
    front.ask("undo", {})
    page.wait()
    assert page.must_link == [] and page.labels_[first] != page.labels_[last]


def test_what_a_program_sets_is_obeyed_undone_and_checked(opened):
    page, front = opened(X, n_clusters=2, must_link=[(0, 1)])
    assert page.must_link == [(0, 1)]
    page.known_labels = ["a" if i == 5 else None for i in range(120)]
    page.cannot_link = [[2, 3]]
    page.wait()
    assert page.known_labels[5] == "a" and page.cannot_link == [(2, 3)] and page.must_link == [(0, 1)]
    assert page.labels_[2] != page.labels_[3]
    assert json.loads(front.ask("corrections")[2])["labels"] == [[5, "a"]]
    known = {name: getattr(page, name) for name in ("known_labels", "must_link", "cannot_link")}
    fitted = AutoClustering(n_clusters=2).fit(X, **known)
    assert np.array_equal(fitted.labels_, page.model_.labels_)
    front.ask("undo", {})
    page.wait()
    assert page.cannot_link == []
    with pytest.raises(ValueError, match="an item is a number from 0 to 119, got 120"):
        page.must_link = [(0, 120)]
    with pytest.raises(ValueError, match="one for each of 120 items, got 1"):
        page.known_labels = ["a"]
    assert page.must_link == [(0, 1)] and page.known_labels[5] == "a"
    with pytest.raises(traitlets.TraitError):
        page.labels_ = np.zeros(120)
    page.selection = [3, 119]
    with pytest.raises(traitlets.TraitError, match="items from 0 to 119, got 120"):
        page.selection = [3, 120]
    assert page.selection == [3, 119]


def test_a_contradiction_is_told_and_the_last_answer_stays(opened):
    page, _ = opened(X, n_clusters=2)
    before = page.labels_
    page.must_link, page.cannot_link = [(0, 1), (1, 2)], [(0, 2)]
    with pytest.raises(ValueError, match=r"cannot_link parts the rows 0 and 2, but must_link .* ties 0 - 1 - 2"):
        page.wait()
    assert np.array_equal((page.labels_ == page.labels_[0]), before == before[0])


def inputs():
    square = squareform(pdist(X))
    near = np.argwhere(np.triu(square < 0.5, 1))
    yield "points", X, {}
    yield "cosine", X + 5, {"metric": "cosine"}
    yield "function", X, {"metric": lambda a, b: float(np.abs(a - b).sum())}
    yield "square", square, {"metric": "precomputed"}
    yield "condensed", pdist(X).astype(np.float32), {"metric": "precomputed"}
    yield "sparse", graph(near, square[near[:, 0], near[:, 1]], 120), {"metric": "precomputed"}
    yield "similarities", np.exp(-square), {"metric": "precomputed_similarity"}


@pytest.mark.parametrize(("X", "settings"), [pytest.param(X, settings, id=name) for name, X, settings in inputs()])
def test_the_model_of_any_input_is_that_of_a_fit(opened, X, settings):
    page, front = opened(X, n_clusters=3, **settings)
    fitted = AutoClustering(n_clusters=3, **settings).fit(X)
    model = page.model_
    assert np.array_equal(model.labels_, fitted.labels_) and model.log_joint_ == fitted.log_joint_
    assert repr(model) == repr(fitted) and model.plot().svg == fitted.plot().svg
    assert np.array_equal(page.labels_, fitted.labels_) and np.array_equal(page.kept_, np.arange(120))
    # Without some items it is the fit of the others.
    front.ask("correct", {"kind": "noise", "items": [0, 7]})
    page.wait()
    kept = np.delete(np.arange(120), [0, 7])
    if settings.get("metric") in ("precomputed", "precomputed_similarity"):
        full = squareform(X) if getattr(X, "ndim", 2) == 1 else X
        others = full[kept][:, kept]
    else:
        others = X[kept]
    fitted = AutoClustering(n_clusters=3, **settings).fit(others)
    assert np.array_equal(page.model_.labels_, fitted.labels_) and np.array_equal(page.kept_, kept)
    assert page.labels_[0] == page.labels_[7] == -1 and (page.labels_[kept] >= 0).all()
    assert page.model_.medoids_.tolist() == fitted.medoids_.tolist()


def test_choices_on_the_page_are_settings_of_the_model(opened):
    begun = LatentGraphClustering(2, tree_score="all-trees", random_state=3)
    page, front = opened(begun.fit(X))
    assert repr(page.model_) == repr(begun)
    front.ask("choose", {"n_clusters": "2-4", "noise": "background"})
    page.wait()
    assert repr(page.model_) == repr(begun.set_params(n_clusters=(2, 4), noise="background"))
    front.ask("choose", {"n_clusters": "3", "model": "latent_feature", "metric": "manhattan", "noise": "none"})
    page.wait()
    model = page.model_
    assert (model.n_clusters, model.metric) == (3, "manhattan") and model.model == model.model_ == "latent_feature"
    assert np.array_equal(model.labels_, model.fit(X).labels_)


def test_settings_of_both_models_reach_the_page(opened):
    given = AutoClustering(
        n_clusters=3,
        min_size=5,
        latent_graph=LatentGraphClustering(scales="per-class", walk_weight=0.5),
        time_limit=60,
        n_jobs=1,
        memory_limit="4GB",
    )
    page, _ = opened(given.fit(X))
    assert page.model_.log_joint_ == given.log_joint_ and np.array_equal(page.labels_, given.labels_)
    weighted = AutoClustering(2).fit(X, sample_weight=np.arange(120) % 3)
    page, _ = opened(weighted)
    assert np.array_equal(page.model_.labels_, weighted.labels_)


def test_a_fitted_estimator_brings_what_was_known(opened):
    model = AutoClustering(2).fit(X, known_labels=[7] + [-1] * 119, must_link=[(0, 1)], cannot_link=[(0, 2)])
    page, _ = opened(model)
    assert page.known_labels[:2] == ["7", None] and page.must_link == [(0, 1)] and page.cannot_link == [(0, 2)]
    assert np.array_equal(page.labels_, model.labels_)


def test_a_picture_stands_where_no_widget_can_run(opened):
    page, _ = opened(X, n_clusters=2)
    data, _ = page._repr_mimebundle_()
    assert data["image/svg+xml"] == AutoClustering(2).fit(X).plot().svg or data["image/svg+xml"].startswith("<svg")
    assert data["text/plain"] == "Explorer(X: 120 items, 2 clusters)"
    assert "application/vnd.jupyter.widget-view+json" in data


def test_an_end_of_the_page_ends_its_threads():
    before = threading.active_count()
    page = explore(X, n_clusters=2)
    front = Front(page)
    # A question for news that waits.
    page._handle_custom_msg({"asked": "news", "method": "GET", "target": "/api/state?after=1000000", "body": ""}, [])
    page.close()
    with front.come:
        assert front.come.wait_for(lambda: "news" in front.answers, timeout=60)
    assert json.loads(front.answers["news"][2])["ended"]
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and thread.daemon and thread.name.startswith("similis"):
            thread.join(timeout=60)
    assert threading.active_count() <= before


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"metric": "gower"}, "not metric='gower'"),
        ({"classes": [1, 2]}, "one for each of the 120 items, got 2"),
        ({"n_clusters": "many"}, "n_clusters"),
        ({"must_link": [1, 2]}, "must_link must be pairs"),
        ({"must_link": [[1, 2, 0.7]]}, "that are certain"),
        ({"latent_graph": LatentGraphClustering(step="far")}, "step"),
    ],
)
def test_mistakes_are_told_before_anything_is_shown(settings, words):
    with pytest.raises(ValueError, match=words):
        explore(X, **settings)


def test_without_anywidget_the_error_says_what_to_install():
    script = "import sys; sys.modules['anywidget'] = None; import similis; similis.explore([[0.0], [1.0]])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1 and "ImportError: explore needs anywidget: pip install similis[explore]" in done.stderr
