"""Times of degenerate inputs beside Gaussian rows of the same size: slow_inputs.py SIMILIS [--sizes 3000,20000].

Rows with ties (few values, 0/1 columns, equal rows, a lattice, a line), and graphs (path, star, hubs, comb, cycle, bipartite).
A row of the table has the processor seconds of `cluster` on one thread, number of clusters given (5) and not given, and the
ratio to Gaussian rows of as many points and columns. Gaussian rows have one cluster, which needs no search: where the number
is not given and several clusters are found, the time is compared with that of Gaussian rows of which as many clusters are asked
for, if that is longer. A run is stopped at --most times the time of Gaussian rows with 5 clusters, and at least at 30 s.

--search N draws N inputs at random instead: a kind, its number of distinct values, of columns, of copies, of hubs. Half of
the draws change one figure of the slowest so far. The slowest ten are printed, with the recipe that draws each again.

Needs nothing but Python.
"""

import argparse
import functools
import os
import random
import resource
import subprocess
import sys
import tempfile
from dataclasses import astuple, dataclass, replace

N_CLUSTERS = "5"
LEAST_LIMIT = 30


@dataclass(frozen=True)
class Recipe:
    """What is drawn: `count` is the number of distinct values, rows, hubs or teeth, by the kind."""

    kind: str
    n_points: int
    n_columns: int = 2
    count: int = 3
    seed: int = 0

    def __str__(self):
        """Return the recipe as `--recipe` reads it."""
        return ",".join(map(str, astuple(self)))


def gaussian(recipe, draw):
    """Draw rows of one Gaussian."""
    return [[draw.gauss(0, 1) for _ in range(recipe.n_columns)] for _ in range(recipe.n_points)]


def few_values(recipe, draw):
    """Draw rows whose entries have few values."""
    return [[draw.randrange(recipe.count) for _ in range(recipe.n_columns)] for _ in range(recipe.n_points)]


def copies(recipe, draw):
    """Draw copies of few Gaussian rows."""
    rows = gaussian(replace(recipe, n_points=recipe.count), draw)
    return [draw.choice(rows) for _ in range(recipe.n_points)]


def half_equal(recipe, draw):
    """Draw Gaussian rows, half of which are one row."""
    rows = gaussian(recipe, draw)
    return [row if i % 2 else rows[0] for i, row in enumerate(rows)]


def lattice(recipe, draw):
    """Draw points of a square lattice."""
    side = max(1, round(recipe.n_points ** (1 / recipe.n_columns)))
    return [[i // side**k % (side + 1) for k in range(recipe.n_columns)] for i in range(recipe.n_points)]


def line(recipe, draw):
    """Draw points at equal steps on a line."""
    return [[i] * recipe.n_columns for i in range(recipe.n_points)]


def one_column(recipe, draw):
    """Draw Gaussian in one column, constant in the others."""
    return [[draw.gauss(0, 1)] + [7] * (recipe.n_columns - 1) for _ in range(recipe.n_points)]


def tiny_steps(recipe, draw):
    """Draw rows that differ in the last bits only."""
    return [[1 + 2**-50 * draw.randrange(recipe.count) for _ in range(recipe.n_columns)] for _ in range(recipe.n_points)]


def heavy_tails(recipe, draw):
    """Draw rows whose lengths span hundreds of powers of ten."""
    return [
        [draw.gauss(0, 1) * 10 ** draw.uniform(-100, 100) for _ in range(recipe.n_columns)] for _ in range(recipe.n_points)
    ]


def length(i):
    """Return the length of an edge: few values, so that many are equal."""
    return 1 + i % 7


def path(recipe, draw):
    """Draw a path."""
    return [[i, i + 1, length(i)] for i in range(recipe.n_points - 1)]


def star(recipe, draw):
    """Draw one hub."""
    return [[0, i, length(i)] for i in range(1, recipe.n_points)]


def hubs(recipe, draw):
    """Draw few hubs, each node at one or two of them."""
    n_hubs = min(recipe.count, recipe.n_points - 1)
    edges = [[i % n_hubs, i, length(i)] for i in range(n_hubs, recipe.n_points)]
    second = [[(i + 1) % n_hubs, i, length(3 * i)] for i in range(n_hubs, recipe.n_points) if n_hubs > 1]
    return edges + second + [[0, i, 1] for i in range(1, n_hubs)]


def comb(recipe, draw):
    """Draw a path with a tooth of `count` nodes at each of its nodes."""
    tooth = recipe.count + 1
    return [[max(0, i - tooth) if i % tooth == 0 else i - 1, i, length(i)] for i in range(1, recipe.n_points)]


def cycle(recipe, draw):
    """Draw a cycle whose edges are all equal."""
    return [[i, (i + 1) % recipe.n_points, 1] for i in range(recipe.n_points)]


def bipartite(recipe, draw):
    """Draw every node joined to `count` of as many nodes drawn at random, all edges equal."""
    return [[i, j, 1] for i in range(1, recipe.n_points) for j in {i - 1, *(draw.randrange(i) for _ in range(recipe.count))}]


ROWS = {
    draw.__name__: draw
    for draw in (gaussian, few_values, copies, half_equal, lattice, line, one_column, tiny_steps, heavy_tails)
}
GRAPHS = {draw.__name__: draw for draw in (path, star, hubs, comb, cycle, bipartite)}
# Kind, columns, count: those of the table.
TABLE = (
    ("few_values", 2, 3),
    ("few_values", 30, 2),
    ("few_values", 5, 4),
    ("copies", 30, 1),
    ("copies", 2, 9),
    ("copies", 5, 300),
    ("half_equal", 5, 1),
    ("lattice", 2, 1),
    ("line", 2, 1),
    ("one_column", 10, 1),
    ("tiny_steps", 3, 5),
    ("heavy_tails", 3, 1),
    ("path", 2, 1),
    ("star", 2, 1),
    ("hubs", 2, 5),
    ("hubs", 2, 100),
    ("comb", 2, 3),
    ("comb", 2, 100),
    ("cycle", 2, 1),
    ("bipartite", 2, 4),
)


def write(recipe, file):
    """Write the input as CSV."""
    rows = (ROWS | GRAPHS)[recipe.kind](recipe, random.Random(recipe.seed))
    with open(file, "w", encoding="ascii") as out:
        out.writelines(",".join(map(repr, row)) + "\n" for row in rows)


@dataclass(frozen=True)
class Run:
    """The processor seconds of a run and the number of clusters found: 0 where it was stopped."""

    seconds: float
    n_clusters: int


def run(similis, recipe, options, limit):
    """Run the command; leave the program if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        data, labels = os.path.join(folder, "data.csv"), os.path.join(folder, "labels.txt")
        write(recipe, data)
        command = [similis, "cluster", data, "-q", "-o", labels, "--threads", "1"]
        command += ["--input", "edges", "--edge-values", "distances"] if recipe.kind in GRAPHS else ["--input", "points"]
        command += [option.replace("FOLDER", folder) for option in options]
        stop = functools.partial(resource.setrlimit, resource.RLIMIT_CPU, (int(limit), int(limit)))
        child = subprocess.Popen(command, preexec_fn=stop)
        _, status, used = os.wait4(child.pid, 0)
        if not os.WIFEXITED(status):
            return Run(limit, 0)
        if os.WEXITSTATUS(status):
            sys.exit(f"{recipe}: exit {os.WEXITSTATUS(status)}")
        with open(labels, encoding="ascii") as file:
            return Run(used.ru_utime + used.ru_stime, len(set(file)))


@functools.cache
def of_gaussian(similis, n_points, n_columns, options):
    """Return the processor seconds of Gaussian rows."""
    return run(similis, Recipe("gaussian", n_points, n_columns), options, 3600).seconds


def ratio(arguments, recipe, options, given):
    """Return the seconds of an input and their ratio to those of Gaussian rows."""
    usual = functools.partial(of_gaussian, arguments.similis, recipe.n_points, recipe.n_columns)
    number = ("-k", N_CLUSTERS)
    limit = max(LEAST_LIMIT, arguments.most * usual((*options, *number)))
    spent = run(arguments.similis, recipe, (*options, *number) if given else options, limit)
    if given:
        return spent.seconds, spent.seconds / usual((*options, *number))
    searched = usual((*options, "-k", str(spent.n_clusters))) if spent.n_clusters > 1 else 0
    return spent.seconds, spent.seconds / max(usual(options), searched)


def print_table(arguments, options):
    """Print a row for each input of the table, and how many are over the limit."""
    print("| input | columns | count | points | given s | ratio | auto s | ratio |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|")
    over = 0
    for n_points in arguments.sizes:
        for kind, n_columns, count in TABLE:
            if arguments.kinds and kind not in arguments.kinds:
                continue
            recipe = Recipe(kind, n_points, n_columns, count)
            found = [ratio(arguments, recipe, options, given) for given in (True, False)]
            over += sum(times > 3 for _, times in found)
            cells = " | ".join(f"{spent:.2f} | {times:.1f}" for spent, times in found)
            print(f"| {kind} | {n_columns} | {count} | {n_points:,} | {cells} |", flush=True)
    print(f"{over} ratios above 3")


def drawn(arguments, draw):
    """Return a recipe at random."""
    kind = draw.choice(sorted((ROWS | GRAPHS).keys() - {"gaussian"}))
    count = round(10 ** draw.uniform(0, 3))
    return Recipe(kind, draw.choice(arguments.sizes), draw.choice((1, 2, 3, 5, 10, 30)), count, draw.randrange(1000))


def changed(recipe, draw):
    """Return a recipe with one figure changed."""
    field = draw.choice(("n_columns", "count", "seed"))
    value = getattr(recipe, field)
    return replace(recipe, **{field: max(1, draw.choice((value - 1, value + 1, value // 2, value * 2)))})


def search(arguments, options):
    """Print the slowest inputs found."""
    draw = random.Random(arguments.seed)
    found = []
    for step in range(arguments.search):
        recipe = changed(found[0][2], draw) if found and step % 2 else drawn(arguments, draw)
        given = draw.random() < 0.5
        spent, times = ratio(arguments, recipe, options, given)
        found = sorted([*found, (times, spent, recipe, given)], key=lambda row: row[:2], reverse=True)
        if found[0][2] == recipe:
            print(f"{step}: {times:.1f} times, {spent:.2f} s: {recipe}", file=sys.stderr, flush=True)
    print("| ratio | s | number | recipe: kind, points, columns, count, seed |\n|---:|---:|---|---|")
    for times, spent, recipe, given in found[:10]:
        print(f"| {times:.1f} | {spent:.2f} | {'given' if given else 'auto'} | {recipe} |")


def read_recipe(text):
    """Return the recipe that a row of the search names."""
    kind, *figures = text.split(",")
    return Recipe(kind, *map(int, figures))


def main():
    """Print the table, or the slowest inputs of a search."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("similis")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[3_000, 20_000])
    parser.add_argument("--kinds", type=lambda text: text.split(","), help="only these: KIND,KIND")
    parser.add_argument("--most", type=float, default=10, help="ratio at which a run is stopped")
    parser.add_argument("--options", default="", help="more flags of the command, such as '--plot FOLDER/p.svg'")
    parser.add_argument("--search", type=int, help="number of inputs to draw")
    parser.add_argument("--seed", type=int, default=0, help="of the search")
    parser.add_argument("--write", nargs=2, metavar=("RECIPE", "FILE"), help="only write an input of the search")
    arguments = parser.parse_args()
    if arguments.write:
        write(read_recipe(arguments.write[0]), arguments.write[1])
    elif arguments.search:
        search(arguments, tuple(arguments.options.split()))
    else:
        print_table(arguments, tuple(arguments.options.split()))


if __name__ == "__main__":
    main()
