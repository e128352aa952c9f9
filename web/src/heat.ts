/** How probable it is that items share a cluster: a square of cells, linked with the map. */
import { count, h } from "./dom";
import type { Page } from "./page";
import { css, ramp } from "./symbols";
import type { Together } from "./types";

/** Pixels of the square and of the strip that marks the selection. */
const SIDE = 640;
const STRIP = 14;

/** The card; the cells are asked for when it is opened. */
export function heatCard(page: Page): HTMLElement {
  const body = h("figure");
  const details = h("details", { class: "card heat", "data-kind": "co_assignment", toggle: () => {
    if (!details.open || body.childElementCount) return;
    void page.from.together().then((found) => {
      if (found) new Heat(page, found, body);
      else body.replaceChildren(h("figcaption", {}, "This answer has nothing of this kind: it needs draws from the posterior (--inference sample) of at most 5,000 items."));
    });
  } }, h("summary", {}, "Co-assignment"), body);
  return details;
}

class Heat {
  private canvas = h("canvas", { width: SIDE, height: SIDE, tabindex: 0, role: "application", class: "cells-map",
    "aria-label": "Cells of items that share a cluster. Arrow keys move, Enter selects the items of a cell, Shift adds." });
  private words = h("figcaption", { "aria-live": "polite" });
  private at: [number, number] | null = null;
  private picture: HTMLCanvasElement;

  constructor(
    private page: Page,
    private found: Together,
    body: HTMLElement,
  ) {
    const { canvas } = this;
    this.picture = this.paint();
    canvas.addEventListener("pointermove", (event) => this.point(this.cell(event)));
    canvas.addEventListener("pointerleave", () => this.point(null));
    canvas.addEventListener("click", (event) => this.choose(event.shiftKey));
    canvas.addEventListener("keydown", (event) => this.press(event));
    canvas.addEventListener("blur", () => this.point(null));
    body.replaceChildren(canvas, this.words);
    page.onMarks = () => this.draw();
    this.point(null);
  }

  private get n(): number {
    return this.found.n_cells;
  }

  /** The cells as a small picture, a pixel each. */
  private paint(): HTMLCanvasElement {
    const picture = h("canvas", { width: this.n, height: this.n });
    const context = picture.getContext("2d");
    const pixels = context?.createImageData(this.n, this.n);
    this.found.cells.forEach((thousandths, k) => pixels?.data.set([...ramp(thousandths / 1000), 255], 4 * k));
    if (pixels) context?.putImageData(pixels, 0, 0);
    return picture;
  }

  /** The items of a row, or of a column. */
  private items(cell: number): number[] {
    const { items } = this.found;
    return [...items.subarray(Math.floor((cell * items.length) / this.n), Math.floor(((cell + 1) * items.length) / this.n))];
  }

  private cell(event: PointerEvent): [number, number] | null {
    const box = this.canvas.getBoundingClientRect();
    const place = (from: number, room: number) => Math.floor((((from / room) * SIDE - STRIP) / (SIDE - STRIP)) * this.n);
    const [column, row] = [place(event.clientX - box.left, box.width), place(event.clientY - box.top, box.height)];
    return [row, column].every((at) => at >= 0 && at < this.n) ? [row, column] : null;
  }

  private point(at: [number, number] | null): void {
    this.at = at;
    const { map } = this.page;
    map.pointed = at ? [...new Set([...this.items(at[0]), ...this.items(at[1])])] : [];
    map.draw();
    const name = (cell: number) => {
      const own = this.items(cell);
      return own.length === 1 ? `item ${own[0]}` : count(own.length, "item");
    };
    this.words.textContent = at
      ? `${name(at[0])} and ${name(at[1])}: together with probability ${(this.found.cells[at[0] * this.n + at[1]]! / 1000).toFixed(2)}`
      : "Light: these share a cluster in most draws. Point at a cell to see its items on the map, click to select them; marks at the edges are the selection.";
    this.draw();
  }

  private choose(more: boolean): void {
    if (this.at) this.page.map.select(this.page.map.pointed, more ? "add" : "new");
  }

  private press(event: KeyboardEvent): void {
    const [row, column] = this.at ?? [0, 0];
    const within = (at: number) => Math.min(this.n - 1, Math.max(0, at));
    const moves: Record<string, [number, number]> = { ArrowUp: [row - 1, column], ArrowDown: [row + 1, column], ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1] };
    const move = moves[event.key];
    if (move) this.point([within(move[0]), within(move[1])]);
    else if (event.key === "Enter" || event.key === " ") this.choose(event.shiftKey);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private draw(): void {
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const step = (SIDE - STRIP) / this.n;
    context.clearRect(0, 0, SIDE, SIDE);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.picture, STRIP, STRIP, SIDE - STRIP, SIDE - STRIP);
    context.fillStyle = getComputedStyle(this.canvas).color;
    const { selected } = this.page.map;
    for (let cell = 0; selected.size && cell < this.n; cell++) {
      if (!this.items(cell).some((item) => selected.has(item))) continue;
      context.fillRect(0, STRIP + cell * step, STRIP - 4, Math.max(step, 2));
      context.fillRect(STRIP + cell * step, 0, Math.max(step, 2), STRIP - 4);
    }
    if (!this.at) return;
    const [row, column] = this.at;
    context.strokeStyle = css([255, 60, 40]);
    context.lineWidth = 3;
    context.strokeRect(STRIP + column * step - 2, STRIP + row * step - 2, step + 4, step + 4);
  }
}
