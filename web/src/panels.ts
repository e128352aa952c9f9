/** The panels beside the map. */
import { count, digits, h, save } from "./dom";
import { heatCard } from "./heat";
import type { Page } from "./page";
import { symbol } from "./symbols";
import type { AnswerHead } from "./types";

/** Most rows of a table. */
const MOST_ROWS = 40;

/** The clusters: symbol, name, size, scale and most typical item; a click selects. */
export function clusterTable(page: Page, card: HTMLElement, head: AnswerHead): void {
  const select = (number: number) => (event: Event) => {
    const own: number[] = [];
    page.answer?.labels.forEach((label, item) => { if (label === number) own.push(item); });
    page.map.select(own, (event as MouseEvent).shiftKey ? "add" : "new");
  };
  const clusters = [...head.clusters].sort((a, b) => a.number - b.number);
  const scales = clusters.some(({ scale }) => scale !== null);
  const row = ({ number, name, size, scale, medoid, medoid_name }: (typeof clusters)[number]) => h("tr", {},
    h("td", {}, h("button", { class: "cluster", title: "Select this cluster; Shift adds", click: select(number) }, symbol(number), name ? `${name} (${number})` : String(number))),
    h("td", { class: "number" }, size.toLocaleString("en")),
    scales && h("td", { class: "number" }, scale === null ? "" : digits(scale)),
    h("td", {}, h("button", { class: "link", title: "Show it", click: () => { page.map.select([medoid]); page.map.show(medoid); } }, medoid_name)));
  const noise = head.n_noise > 0 && h("tr", {}, h("td", {}, h("button", { class: "cluster", click: select(-1) }, symbol(-1), "noise")), h("td", { class: "number" }, head.n_noise.toLocaleString("en")));
  const more = clusters.length > MOST_ROWS && h("p", { class: "small" }, `${clusters.length - MOST_ROWS} more clusters`);
  card.replaceChildren(
    h("h2", {}, count(clusters.length, "cluster")),
    h("div", { class: "scroll" }, h("table", { class: "clusters" },
      h("tr", {}, h("th", {}, "cluster"), h("th", { class: "number" }, "size"), scales && h("th", { class: "number", title: "The typical length of a link" }, "scale"), h("th", { title: "The most typical item" }, "medoid")),
      ...clusters.slice(0, MOST_ROWS).map(row), noise)),
    ...(more ? [more] : []),
    ...head.warnings.map((warning) => h("p", { class: "small" }, warning)));
}

/** A row with a bar. */
function bar(name: string, part: number, words: string, click: (() => void) | null, current: boolean): HTMLElement {
  const line = h("i");
  line.style.width = `${Math.max(1, 100 * Math.min(1, part))}%`;
  const inner = [h("b", {}, name), h("span", { class: "track" }, line), h("em", {}, words)];
  return click ? h("button", { class: "bar-row", "aria-current": current, click }, ...inner) : h("div", { class: "bar-row" }, ...inner);
}

/** The score of each number of clusters; a click takes it. */
export function numberList(page: Page, head: AnswerHead): HTMLElement[] {
  if (head.numbers.length < 2) return [];
  const best = Math.max(...head.numbers.map(([, score]) => score));
  const near = [...head.numbers].sort((a, b) => b[1] - a[1]).slice(0, 8).sort((a, b) => a[0] - b[0]);
  const rows = near.map(([n, score, probability, searched]) => bar(String(n), probability,
    `${best - score < 0.05 ? "best" : `\u2212${(best - score).toFixed(1)}`}${searched ? "" : " *"}`, page.from.live ? () => page.choose({ n_clusters: String(n) }) : null, n === head.clusters.length));
  return [h("section", { class: "card numbers" }, h("h2", {}, "How many"),
    h("p", { class: "small" }, `Bars: how probable each number is; score below the best in nats${near.some((row) => !row[3]) ? "; * by linkage alone" : ""}.`), ...rows)];
}

/** Other partitions; a click shows where they differ. */
export function rivalList(page: Page, head: AnswerHead): HTMLElement[] {
  if (!head.rivals.length) return [];
  const rows = head.rivals.map(({ name, behind, agreement, n_clusters }, at) => h("button", { class: "rival", click: () => void page.showRival(at) },
    h("b", {}, `${behind < 0 ? "+" : "\u2212"}${Math.abs(behind).toFixed(1)}`), h("span", {}, `${count(n_clusters, "cluster")}, ARI ${agreement.toFixed(2)}`), h("em", {}, name)));
  return [h("section", { class: "card rivals" }, h("h2", {}, "Runners-up"), h("p", { class: "small" }, "Score against the answer, in nats. Click: what differs stays in full colour."), ...rows)];
}

/** What was learned, in the words of the command. */
export function charts(head: AnswerHead): HTMLElement[] {
  if (!head.lines.length) return [];
  return [h("details", { class: "card" }, h("summary", {}, "Summary"), h("pre", {}, head.lines.join("\n")))];
}

/** The engine's pictures, each fetched when it is opened. */
export function pictureList(page: Page): HTMLElement {
  const { pictures, captions } = page.meta;
  const names: Record<string, string> = { numbers: "Score by number", candidates: "Scores of runners-up", scales: "Scales", lengths: "Link lengths", modes: "Modes of the density", matrix: "Matrix of pairs", co_assignment: "Co-assignment", eigenvalues: "Eigenvalues", trace: "Trace" };
  const one = (kind: string, at: number) => {
    const figure = h("figure");
    const details = h("details", { class: "card picture", "data-kind": kind, toggle: () => {
      if (!details.open || figure.childElementCount) return;
      void page.from.picture(kind).then((svg) => {
        const caption = h("figcaption", {}, svg ? captions[at]! : "This answer has nothing of this kind.");
        figure.replaceChildren(...(svg ? [inline(svg)] : []), caption);
      });
    } }, h("summary", {}, names[kind] ?? kind), figure);
    return details;
  };
  return h("div", { class: "pictures" }, ...pictures.map((kind, at) => (kind === "co_assignment" && page.from.live ? heatCard(page) : one(kind, at))));
}

/** An SVG document as an element. */
function inline(svg: string): Element {
  return document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
}

/** Files, and the lines that repeat the answer. */
export function takeAway(page: Page, card: HTMLElement): void {
  const files: [string, string][] = [["labels.csv", "Labels, CSV"], ["labels.json", "JSON"], ["map.svg", "Map, SVG"], ["map.png", "PNG"], ["page.html", "This page as a file"]];
  if (page.meta.parquet) files.splice(2, 0, ["labels.parquet", "Parquet"]);
  const links = page.from.live ? files.map(([file, name]) => h("a", { href: page.from.address(file) ?? "#", download: file, click: (event) => {
    if (page.from.address(file)) return;
    event.preventDefault();
    page.from.file(file).then((blob) => save(file, blob)).catch((error: unknown) => page.say(String(error)));
  } }, name)) : [];
  const block = (name: string, text: string) => {
    const copy = h("button", { class: "copy", click: () => void navigator.clipboard?.writeText(text).then(() => { copy.textContent = "Copied"; }) }, "Copy");
    return h("details", { "data-recipe": name }, h("summary", {}, name === "shell" ? "The command that gives this" : "The Python that gives this"), copy, h("pre", {}, text));
  };
  card.replaceChildren(h("h2", {}, "Take it away"), h("p", { class: "files" }, ...links));
  void page.from.recipe().then(({ shell, python }) => card.append(...(shell ? [block("shell", shell)] : []), block("python", python))).catch(() => {});
}
