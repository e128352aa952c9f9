#!/usr/bin/env python3
"""Prints the conda-forge recipe of a version: release/conda.py VERSION SDIST.tar.gz [..]; the sdist is the file named similis-VERSION.tar.gz."""

import hashlib
import sys
from pathlib import Path

RECIPE = """schema_version: 1

context:
  version: "{version}"

package:
  name: similis
  version: ${{{{ version }}}}

source:
  url: https://pypi.org/packages/source/s/similis/similis-${{{{ version }}}}.tar.gz
  sha256: {sha256}

build:
  number: 0
  script: ${{{{ PYTHON }}}} -m pip install . --no-deps --no-build-isolation -vv

requirements:
  build:
    - ${{{{ compiler("c") }}}}
    - ${{{{ compiler("rust") }}}}
    - ${{{{ stdlib("c") }}}}
    - cargo-bundle-licenses
  host:
    - python
    - pip
    - maturin >=1.16,<2
  run:
    - python
    - numpy >=1.24
    - scipy >=1.10
    - scikit-learn >=1.6

tests:
  - python:
      imports: [similis]
      pip_check: true
  - script:
      - python -c "from similis import AutoClustering, make_shapes; AutoClustering(2).fit(make_shapes()[0]).plot().save('c.png')"

about:
  summary: "Clustering from similarities: every cluster learns its own scale"
  license: MIT OR Apache-2.0
  license_file: [LICENSE-MIT, LICENSE-APACHE]
"""


def main(version, *paths):
    sdist = next((Path(path) for path in paths if Path(path).name == f"similis-{version}.tar.gz"), None)
    if sdist is None or not sdist.exists():
        print(f"error: similis-{version}.tar.gz is not among the files given", file=sys.stderr)
        sys.exit(2)
    print(RECIPE.format(version=version, sha256=hashlib.sha256(sdist.read_bytes()).hexdigest()), end="")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        print("usage: release/conda.py VERSION SDIST.tar.gz [..]", file=sys.stderr)
        sys.exit(2)
    main(*sys.argv[1:])
