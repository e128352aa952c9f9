/** Coarser and finer partitions of the answer: a slider, and how the score changes. */
import { digits, h, s } from "./dom";
import type { Page } from "./page";
import type { Levels } from "./types";

/** Nested partitions; every part keeps its number, and so its colour, in all levels. */
export class Nested {
  /** The number of every part and of what parts were joined into, in the order of the mergers. */
  private numbers: number[];

  constructor(
    readonly levels: Levels,
    answer: Int32Array,
  ) {
    const { n_finest, n_given, mergers, finest } = levels;
    const sizes = new Array<number>(n_finest + mergers.length).fill(0);
    const own = new Array<number>(n_finest + mergers.length).fill(-1);
    finest.forEach((part, item) => {
      if (part < 0) return;
      sizes[part]!++;
      own[part] = answer[item]!;
    });
    mergers.forEach(([a, b], k) => {
      sizes[n_finest + k] = sizes[a]! + sizes[b]!;
      own[n_finest + k] = own[a]!;
    });
    this.numbers = this.number(own, sizes, n_finest - n_given);
  }

  /** Clusters of the answer have its numbers; of two that merge or part the larger keeps the number. */
  private number(own: number[], sizes: number[], n_splits: number): number[] {
    const { n_finest, mergers } = this.levels;
    const numbers = new Array<number>(own.length).fill(-1);
    const joined = new Set(mergers.slice(0, n_splits).flat());
    const larger = (a: number, b: number) => (sizes[a]! >= sizes[b]! ? [a, b] : [b, a]) as [number, number];
    for (let node = 0; node < n_finest + n_splits; node++) if (!joined.has(node)) numbers[node] = own[node]!;
    let free = Math.max(-1, ...own) + 1;
    for (let k = n_splits - 1; k >= 0; k--) {
      const [first, second] = larger(...mergers[k]!);
      numbers[first] = numbers[n_finest + k]!;
      numbers[second] = free++;
    }
    for (let k = n_splits; k < mergers.length; k++) numbers[n_finest + k] = numbers[larger(...mergers[k]!)[0]]!;
    return numbers;
  }

  /** The cluster of each item in the level of so many clusters. */
  labels(n: number): Int32Array {
    const { n_finest, mergers, finest } = this.levels;
    const last = Array.from({ length: n_finest + mergers.length }, (_, node) => node);
    for (let k = n_finest - n - 1; k >= 0; k--) for (const part of mergers[k]!) last[part] = last[n_finest + k]!;
    return finest.map((part) => (part < 0 ? -1 : this.numbers[last[part]!]!));
  }
}

/** How the score changes with the level, the one that is shown marked. */
function curve(scores: number[], at: number): SVGElement {
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  const [width, height] = [340, 72];
  const x = (n: number) => 6 + ((n - 1) / Math.max(1, scores.length - 1)) * (width - 12);
  const y = (score: number) => 6 + ((most - score) / (most - least || 1)) * (height - 12);
  const points = scores.map((score, k) => `${x(k + 1).toFixed(1)},${y(score).toFixed(1)}`).join(" ");
  const svg = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "curve", "aria-hidden": "true" });
  svg.append(s("polyline", { points }), s("circle", { cx: x(at), cy: y(scores[at - 1]!), r: 4.5 }));
  return svg;
}

/** The card; levels are found when it is opened. */
export function levelCard(page: Page): HTMLElement {
  const body = h("div");
  const details = h("details", { class: "card levels", toggle: () => {
    if (!details.open || body.childElementCount) return;
    body.replaceChildren(h("p", { class: "small" }, "Finding the levels"));
    page.from.levels().then((levels) => fill(page, body, levels)).catch((error: unknown) => {
      body.replaceChildren(h("p", { class: "small" }, error instanceof Error ? error.message : String(error)));
    });
  } }, h("summary", {}, "Coarser and finer"), body);
  return details;
}

function fill(page: Page, body: HTMLElement, levels: Levels): void {
  const { answer } = page;
  if (!answer) return;
  const nested = new Nested(levels, answer.labels);
  const { n_given, n_finest, scores } = levels;
  const words = h("p", { class: "small", "aria-live": "polite" });
  const picture = h("div");
  const back = h("button", { disabled: true, click: () => {
    slider.value = String(n_given);
    show();
  } }, "Back to the answer");
  const search = page.from.live && h("button", { title: "Search for this number of clusters: better than a level, but not nested", click: () => page.choose({ n_clusters: slider.value }) }, "Search this number");
  const slider = h("input", { type: "range", class: "level", min: 1, max: n_finest, value: n_given, "aria-label": "Level: number of clusters", input: () => show() });
  const show = (quiet = false) => {
    const n = Number(slider.value);
    const score = scores[n - 1]! - scores[n_given - 1]!;
    const than = n === n_given ? "the answer" : `score ${score < 0 ? "" : "+"}${digits(score)} against the answer`;
    slider.setAttribute("aria-valuetext", `${n} clusters, ${than}`);
    words.replaceChildren(h("b", {}, `${n} cluster${n === 1 ? "" : "s"}`), `: ${than}`);
    picture.replaceChildren(curve(scores, n));
    back.disabled = n === n_given;
    if (!quiet) page.showLevel(n === n_given ? null : { n, labels: nested.labels(n) });
  };
  page.onLevel = () => {
    slider.value = String(n_given);
    show(true);
  };
  show(true);
  body.replaceChildren(h("p", { class: "small" }, "Nested clusters around the answer, with no new search: below it clusters merge, above it they split. A larger score is what the data ask for more."),
    slider, words, picture, h("p", { class: "row" }, back, search));
}
