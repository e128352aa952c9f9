/** The items as a table: every column, sorted, linked with the map; only the rows in view are elements. */
import { digits, h } from "./dom";
import type { Page } from "./page";
import { symbol } from "./symbols";
import type { Column, Details } from "./types";

/** Height of a row in pixels. */
const ROW = 28;
/** Browsers draw no element that is higher: of more rows one pixel stands for several. */
const MOST_PIXELS = 8_000_000;
/** Most columns that are shown. */
const MOST_COLUMNS = 40;

/** What rows are sorted by: the number of the item, its name, its cluster, or a column. */
type Key = "item" | "name" | "cluster" | number;

/** A number of a table: whole ones in full. */
function written(value: number): string {
  return Number.isSafeInteger(value) ? String(value).replace("-", "\u2212") : digits(value);
}

export class ItemTable {
  readonly element: HTMLElement;
  private body = h("div", { class: "rows" });
  private spacer = h("div", { class: "spacer" });
  private scroller: HTMLElement;
  private head = h("div", { class: "cells heads", role: "row" });
  private count = h("span", { class: "small" });
  private only = h("input", { type: "checkbox", change: () => this.list() });
  private key: Key = "item";
  private rising = true;
  /** The items in the order of the rows. */
  order = new Uint32Array(0);
  private active = 0;
  private first = -1;
  private turn = 0;
  private columns: string[];
  private values = new Map<number, Column>();
  private names: string[] | null = null;

  constructor(private page: Page) {
    this.columns = page.meta.columns.slice(0, MOST_COLUMNS);
    this.scroller = h("div", { class: "scroller", role: "grid", tabindex: 0, "aria-label": "Items. Arrow keys move, space selects, Shift and space adds.",
      scroll: () => this.fill(), keydown: (event) => this.press(event as KeyboardEvent) }, this.head, this.spacer);
    this.spacer.append(this.body);
    const hidden = page.meta.columns.length - this.columns.length;
    this.element = h("section", { class: "table", "aria-label": "Table of the items" },
      h("div", { class: "row top" }, h("b", {}, "Items"), this.count, h("label", { class: "row" }, this.only, h("span", {}, "Only the selection")),
        hidden > 0 && h("span", { class: "small" }, `${hidden} more columns are not shown`),
        h("button", { class: "close", "aria-label": "Close the table", click: () => page.toggleTable() }, "\u00d7")),
      this.scroller);
    new ResizeObserver(() => this.fill(true)).observe(this.scroller);
    this.list();
  }

  private heading(key: Key, words: string): HTMLElement {
    const sorted = this.key === key ? (this.rising ? "ascending" : "descending") : "none";
    return h("span", { role: "columnheader", "aria-sort": sorted, class: key === "item" || (typeof key === "number" && key < this.page.meta.n_numbers) ? "numeric" : "" },
      h("button", { tabindex: -1, click: () => void this.sort(key) }, words, h("i", {}, { ascending: " \u25b2", descending: " \u25bc", none: "" }[sorted])));
  }

  private heads(): void {
    this.head.replaceChildren(this.heading("item", "item"), ...(this.page.meta.named ? [this.heading("name", "name")] : []), this.heading("cluster", "cluster"),
      ...this.columns.map((name, at) => this.heading(at, name)));
  }

  /** Sorts by a column; once more, the other way round. */
  async sort(key: Key): Promise<void> {
    this.rising = this.key === key ? !this.rising : true;
    this.key = key;
    if (typeof key === "number" && !this.values.has(key)) this.values.set(key, await this.page.from.column(key));
    if (key === "name") this.names ??= await this.page.from.names();
    this.list();
  }

  /** How two items compare by what rows are sorted by. */
  private compare(): ((a: number, b: number) => number) | null {
    const { key } = this;
    if (key === "item") return null;
    const labels = this.page.shownLabels();
    if (key === "cluster") return (a, b) => labels![a]! - labels![b]!;
    const values = key === "name" ? this.names : this.values.get(key);
    if (!values) return null;
    if (Array.isArray(values)) {
      const { compare } = new Intl.Collator(undefined, { numeric: true });
      return (a, b) => compare(values[a]!, values[b]!);
    }
    // What is missing comes after all numbers.
    const missing = (value: number) => Number(Number.isNaN(value));
    return (a, b) => {
      const [one, two] = [values[a]!, values[b]!];
      return one < two ? -1 : one > two ? 1 : missing(one) - missing(two);
    };
  }

  /** Lists the items anew: all, or those that are selected. */
  list(): void {
    const { map, meta } = this.page;
    const current = this.order[this.active];
    this.order = this.only.checked ? Uint32Array.from(map.selected).sort() : Uint32Array.from({ length: meta.n_items }, (_, item) => item);
    const compare = this.compare();
    if (compare) this.order.sort((a, b) => (this.rising ? compare(a, b) : compare(b, a)) || a - b);
    else if (!this.rising) this.order.reverse();
    this.active = Math.max(0, current === undefined ? 0 : this.order.indexOf(current));
    this.spacer.style.height = `${Math.min(this.order.length * ROW, MOST_PIXELS)}px`;
    this.scroller.setAttribute("aria-rowcount", String(this.order.length + 1));
    this.count.textContent = `${this.order.length.toLocaleString("en")} of ${meta.n_items.toLocaleString("en")}`;
    this.heads();
    this.fill(true);
  }

  /** The selection on the map has changed. */
  selected(): void {
    if (this.only.checked) return this.list();
    const { selected } = this.page.map;
    if (selected.size === 1 && !selected.has(this.order[this.active]!)) {
      const [item] = selected;
      this.active = Math.max(0, this.order.indexOf(item!));
      this.show();
    }
    this.fill(true);
  }

  private visible(): number {
    return Math.max(1, Math.floor((this.scroller.clientHeight - this.head.offsetHeight) / ROW));
  }

  /** The first row in view. */
  private top(): number {
    const rows = Math.max(0, this.order.length - this.visible());
    return this.room() <= 0 ? 0 : Math.round((this.scroller.scrollTop / this.room()) * rows);
  }

  /** How far it can be scrolled, in pixels. */
  private room(): number {
    return this.scroller.scrollHeight - this.scroller.clientHeight;
  }

  private show(): void {
    const rows = this.order.length - this.visible();
    const top = this.top();
    if (this.active >= top && this.active < top + this.visible()) return;
    const wanted = Math.min(Math.max(0, this.active - (this.active < top ? 0 : this.visible() - 1)), Math.max(0, rows));
    this.scroller.scrollTop = rows <= 0 ? 0 : (wanted / rows) * this.room();
  }

  /** Makes the rows in view, and asks for what they hold. */
  private fill(anew = false): void {
    const first = this.top();
    if (!anew && first === this.first) return;
    this.first = first;
    this.spacer.style.minWidth = `${this.head.offsetWidth}px`;
    const items = [...this.order.subarray(first, first + this.visible() + 1)];
    this.body.style.transform = `translateY(${this.scroller.scrollTop}px)`;
    const turn = ++this.turn;
    this.draw(items, first, null);
    if (items.length) void this.page.from.rows(items).then((details) => turn === this.turn && this.draw(items, first, details)).catch(() => {});
  }

  private draw(items: number[], first: number, details: Details[] | null): void {
    const { map, meta } = this.page;
    const labels = this.page.shownLabels();
    const rows = items.map((item, at) => {
      const own = details?.[at];
      const label = labels?.[item] ?? -1;
      const values = this.columns.map((_, k) => {
        const value = own?.values[k] ?? "";
        return h("span", { role: "gridcell", class: typeof value === "number" ? "numeric" : "" }, typeof value === "number" ? written(value) : value);
      });
      const active = first + at === this.active;
      return h("div", { class: `cells${active ? " active" : ""}`, role: "row", id: `row-${item}`, "aria-rowindex": first + at + 2, "aria-selected": map.selected.has(item), "data-item": item,
        click: (event) => this.choose(first + at, (event as MouseEvent).shiftKey) },
        h("span", { role: "gridcell", class: "numeric" }, String(item)), meta.named && h("span", { role: "gridcell" }, own?.name ?? ""),
        h("span", { role: "gridcell", class: "of" }, symbol(label, 12), label < 0 ? "\u2013" : String(label)), ...values);
    });
    this.body.replaceChildren(...rows);
    const current = this.order[this.active];
    if (current !== undefined) this.scroller.setAttribute("aria-activedescendant", `row-${current}`);
  }

  private choose(row: number, more: boolean): void {
    const item = this.order[row];
    if (item === undefined) return;
    this.active = row;
    const { map } = this.page;
    if (!more && !this.only.checked) map.select([item]);
    else if (!this.only.checked) map.select([item], map.selected.has(item) ? "take" : "add");
    map.show(item);
    this.fill(true);
  }

  private press(event: KeyboardEvent): void {
    if (event.target !== this.scroller || event.ctrlKey || event.metaKey) return;
    const page = this.visible();
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key === " " || event.key === "Enter") this.choose(this.active, event.shiftKey);
    else if (event.key in moves) {
      this.active = Math.min(this.order.length - 1, Math.max(0, this.active + moves[event.key]!));
      this.show();
      this.fill(true);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
