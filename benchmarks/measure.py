"""Writes what a command took as JSON, wall and processor seconds and greatest memory: `measure.py FIGURES COMMAND ...`.

Its exit status is that of the command.
"""

import json
import resource
import subprocess
import sys
import time

started = time.perf_counter()
status = subprocess.call(sys.argv[2:])
seconds = time.perf_counter() - started
used = resource.getrusage(resource.RUSAGE_CHILDREN)
unit = 1 if sys.platform == "darwin" else 1024
figures = {
    "seconds": seconds,
    "processor_seconds": used.ru_utime + used.ru_stime,
    "peak_bytes": used.ru_maxrss * unit,
}
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(figures, file)
sys.exit(status)
