#!/usr/bin/env python3
"""Everything that is written as JSON fits its schema (`similis schema NAME`), and what released versions wrote fits too.

    schemas.py SIMILIS [--store]

Needs the Python package `jsonschema`. `--store` writes the files of this version into testdata/versions, once: the
folder of a released version is never changed. (Before a version is released, delete its folder and store it again.)
"""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile

from jsonschema import Draft202012Validator

ROOT = pathlib.Path(__file__).resolve().parents[3]
VERSIONS = ROOT / "testdata" / "versions"
POINTS, STRINGS = "testdata/thirty-points.csv", "testdata/string-distances.csv"
RINGS = "testdata/rings-distances.csv"
CLUSTER, TWO = ["cluster", POINTS, "-k", "2", "-q"], ["-k", "2", "-q"]

# (file, arguments; OUT stands for the file, a file that is not named so is standard output). Later runs read earlier files.
RUNS = [
    ("answer-search.json", [*CLUSTER, "--include", "graph,candidates", "--probabilities", "-o", "OUT"]),
    ("answer-auto.json", ["cluster", POINTS, "-q", "-o", "OUT"]),
    ("answer-levels.json", [*CLUSTER, "--levels", "1-4", "--scores", "--min-size", "3", "-o", "OUT"]),
    ("answer-noise.json", [*CLUSTER, "--noise", "background", "--standardise", "-o", "OUT"]),
    ("answer-paper.json", [*CLUSTER, "--preset", "paper", "-o", "OUT"]),
    ("answer-sample.json", [*CLUSTER, "--inference", "sample", "--n-sweeps", "20", "--n-chains", "2", "-o", "OUT"]),
    ("answer-feature.json", [*CLUSTER, "--model", "latent-feature", "--affinity", "gaussian", "-o", "OUT"]),
    ("answer-names.json", ["cluster", STRINGS, *TWO, "-o", "OUT"]),
    ("answer-graph.json", ["cluster", "testdata/similarity-graph.csv", "--input", "edges", "--edge-values", "similarities", "-k", "5", "-q", "-o", "OUT"]),
    ("answer-known.json", ["cluster", "testdata/partly-labelled.csv", "--label-column", "kind", *TWO, "-o", "OUT"]),
    ("model-points.similis", [*CLUSTER, "--save-model", "OUT", "-o", "-"]),
    ("model-noise.similis", [*CLUSTER, "--noise", "background", "--standardise", "--save-model", "OUT", "-o", "-"]),
    ("model-minkowski.similis", [*CLUSTER, "--metric", "minkowski", "--minkowski-p", "1.5", "--save-model", "OUT", "-o", "-"]),
    ("model-distances.similis", ["cluster", RINGS, *TWO, "--save-model", "OUT", "-o", "-"]),
    ("prediction-points.json", ["predict", "model-points.similis", POINTS, "--probabilities", "-q", "-o", "OUT"]),
    ("prediction-noise.json", ["predict", "model-noise.similis", POINTS, "--probabilities", "-q", "-o", "OUT"]),
    ("prediction-minkowski.json", ["predict", "model-minkowski.similis", POINTS, "-q", "-o", "OUT"]),
    ("prediction-distances.json", ["predict", "model-distances.similis", RINGS, "--probabilities", "-q", "-o", "OUT"]),
    ("compare.json", ["compare", POINTS, *TWO, "--json"]),
    ("score.json", ["score", "testdata/two-scales.csv", "--labels", "testdata/two-scales-labels.txt", "--json", "-q"]),
    ("tree.json", ["tree", POINTS, "--json", "-q"]),
    ("neighbours.json", ["neighbours", POINTS, "-k", "3", "--json", "-q"]),
    ("linkage.json", ["linkage", POINTS, "--json", "-q"]),
    ("embed.json", ["embed", POINTS, "--json", "-q"]),
]


def run(similis, folder):
    """Makes every file of RUNS in a folder."""
    for name, arguments in RUNS:
        words = [str(folder / name) if word == "OUT" else word for word in arguments]
        words = [str(folder / word) if word.startswith("model-") and word.endswith(".similis") else word for word in words]
        done = subprocess.run([similis, *words], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, f"{name}: {done.stderr}"
        if "OUT" not in arguments:
            (folder / name).write_text(done.stdout, encoding="utf-8")
        else:
            # The folder is not part of what is stored.
            path = folder / name
            path.write_text(path.read_text(encoding="utf-8").replace(json.dumps(str(folder) + "/")[1:-1], ""), encoding="utf-8")


def schemas(similis):
    """Every schema by its name, as the command prints it."""
    listed = subprocess.run([similis, "schema"], capture_output=True, text=True, check=True).stdout
    found = {}
    for name in [line.split()[0] for line in listed.splitlines()]:
        text = subprocess.run([similis, "schema", name], capture_output=True, text=True, check=True).stdout
        found[name] = json.loads(text)
        Draft202012Validator.check_schema(found[name])
    return found


def strict(schema):
    """The schema that refuses entries it does not describe. (The shipped one ignores them: later versions may add some.)"""
    if isinstance(schema, dict):
        kept = {key: value if key in ("if", "then", "else") else strict(value) for key, value in schema.items()}
        if schema.get("type") == "object" and "additionalProperties" not in schema:
            kept["additionalProperties"] = False
        return kept
    return [strict(item) for item in schema] if isinstance(schema, list) else schema


def schema_of(path):
    return path.name.split(".")[0].split("-")[0]


def fits(document, schema, name):
    """Fails with the first mistake, and where it is."""
    for error in Draft202012Validator(schema).iter_errors(document):
        sys.exit(f"{name}: at {error.json_path}: {error.message[:300]}")


def damaged(document, schema):
    """Copies of a document that its schema must refuse: without each entry that is required, and each replaced by a wrong type."""
    for key in schema["required"]:
        without = copy.deepcopy(document)
        del without[key]
        yield f"without {key}", without
    for key in document:
        yield f"{key} replaced", {**document, key: {"no": ["such", "thing"]}}


def main(similis, store):
    known = schemas(similis)
    version = subprocess.run([similis, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary).resolve()
        run(similis, folder)
        made = sorted(folder.iterdir())
        assert {schema_of(path) for path in made} == set(known), "every schema has a run, and every run a schema"
        n_damaged = 0
        for path in made:
            document, schema = json.loads(path.read_text(encoding="utf-8")), known[schema_of(path)]
            fits(document, strict(schema), f"{path.name} (describe new entries in crates/similis-cli/schemas)")
            for what, wrong in damaged(document, schema):
                assert not Draft202012Validator(schema).is_valid(wrong), f"{path.name} {what} fits its schema"
                n_damaged += 1
        if store and not (VERSIONS / version).exists():
            (VERSIONS / version).mkdir(parents=True)
            for path in made:
                (VERSIONS / version / path.name).write_bytes(path.read_bytes())
    assert (VERSIONS / version).exists(), f"testdata/versions/{version} is missing: run `make store-version`"
    stored = sorted(VERSIONS.glob("*/*"))
    for path in stored:
        fits(json.loads(path.read_text(encoding="utf-8")), known[schema_of(path)], path.relative_to(ROOT))
    # Golden files hold a part of the answer.
    part = {key: value for key, value in known["answer"].items() if key not in ("required", "if", "then", "else")}
    golden = sorted((ROOT / "testdata/golden").glob("*.json"))
    for path in golden:
        fits(json.loads(path.read_text(encoding="utf-8")), part, path.relative_to(ROOT))
    assert stored and golden and n_damaged > 100
    print(f"schemas: {len(known)}; {len(made)} outputs, {len(stored)} stored and {len(golden)} golden files fit, {n_damaged} damaged ones do not")


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1]).resolve()), "--store" in sys.argv[2:])
