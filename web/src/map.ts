/** The map: camera, pointer and keys, selection, and what is drawn over the items. */
import { h, s } from "./dom";
import { type Band, type Camera, DIMMED, type Renderer, renderer, type Scene, SELECTED, type Size, UNSURE } from "./render";
import { type Colour, colourOf, shapeOf } from "./symbols";

export type Tool = "pan" | "lasso" | "box" | "brush";

const BRUSH = 26;
/** Pixels at the upper edge that the tools cover. */
const TOOLS = 44;

/** Something to show over the items. */
export interface Marks {
  chips: { item: number; text: string; label: number }[];
  must: [number, number][];
  cannot: [number, number][];
  chain: number[];
  question: number[];
  labelled: number[];
}

const NO_MARKS: Marks = { chips: [], must: [], cannot: [], chain: [], question: [], labelled: [] };
/** Most pairs that are drawn as lines. */
const MOST_PAIRS = 2000;

export class PlaneMap {
  readonly element: HTMLElement;
  readonly scene: Scene;
  readonly drawing: Renderer;
  tool: Tool = "pan";
  marks: Marks = NO_MARKS;
  camera: Camera = { x: 0, y: 0, scale: 1 };
  readonly selected = new Set<number>();
  /** Whether what is in view stays in view when the map gets another size the next time. */
  scales = false;
  /** Items that something outside the map points at. */
  pointed: number[] = [];
  onSelect: () => void = () => {};
  onHover: (item: number | null, x: number, y: number) => void = () => {};
  private overlay = s("svg", { class: "overlay", "aria-hidden": "true" });
  private asked = false;
  /** Items sorted by the cell of a grid, and where each cell begins. */
  private sorted: Uint32Array;
  private begins: Uint32Array;
  private n: number;
  private cells: number;
  private size: Size = { width: 1, height: 1, ratio: 1 };
  private pointers = new Map<number, [number, number]>();
  private path: [number, number][] = [];
  private pinch = 0;
  private stroke = new Set<number>();
  private hovered: number | null = null;

  /** `gentle`: the wheel zooms only where the map has the focus, so that a notebook can be scrolled past it. */
  constructor(places: Float32Array, private gentle = false) {
    this.n = places.length / 2;
    this.scene = { places, styles: new Uint8Array(4 * this.n), flags: new Uint8Array(this.n), links: new Uint32Array(0), bands: [], showLinks: true };
    const canvas = h("canvas", { "aria-hidden": "true" });
    this.element = h("div", { class: "map", tabindex: "0", role: "application", "aria-label": "Map of the items. Arrow keys move, plus and minus zoom, space selects the item in the middle." });
    this.element.append(canvas, this.overlay);
    this.drawing = renderer(this.scene, canvas);
    this.cells = Math.max(1, Math.ceil(Math.sqrt(this.n / 4)));
    const cells = new Uint32Array(this.n);
    this.begins = new Uint32Array(this.cells * this.cells + 1);
    for (let i = 0; i < this.n; i++) {
      cells[i] = this.cellOf(places[2 * i]!, places[2 * i + 1]!);
      this.begins[cells[i]! + 1]!++;
    }
    for (let cell = 1; cell < this.begins.length; cell++) this.begins[cell]! += this.begins[cell - 1]!;
    const next = this.begins.slice();
    this.sorted = new Uint32Array(this.n);
    for (let i = 0; i < this.n; i++) this.sorted[next[cells[i]!]!++] = i;
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.listen();
  }

  private cellOf(x: number, y: number): number {
    const at = (value: number) => Math.min(this.cells - 1, Math.max(0, Math.floor(((value + 1) / 2) * this.cells)));
    return at(y) * this.cells + at(x);
  }

  private resize(): void {
    const first = this.size.width === 1;
    const { clientWidth, clientHeight } = this.element;
    const before = Math.min(this.size.width, this.size.height);
    this.size = { width: Math.max(1, clientWidth), height: Math.max(1, clientHeight), ratio: Math.min(devicePixelRatio || 1, 2) };
    if (this.scales) this.camera.scale *= Math.min(this.size.width, this.size.height) / before;
    this.scales = false;
    if (first) this.fit();
    else this.draw();
  }

  /** All items in view. */
  fit(): void {
    let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < this.n; i++) {
      const x = this.scene.places[2 * i]!;
      const y = this.scene.places[2 * i + 1]!;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < low) low = y;
      if (y > high) high = y;
    }
    const room = (pixels: number, span: number) => Math.max(pixels - 72, 40) / Math.max(span, 1e-6);
    const scale = Math.min(room(this.size.width, right - left), room(this.size.height - TOOLS, high - low), 1e6);
    // A little lower: the tools lie over the upper edge.
    this.camera = { x: (left + right) / 2, y: (low + high) / 2 + TOOLS / 2 / scale, scale };
    this.draw();
  }

  /** Radius of a symbol in pixels: smaller where there are many items, larger near by. */
  private radius(): number {
    const base = Math.min(6, Math.max(0.9, 5.2 * (600 / this.n) ** 0.3));
    const near = this.camera.scale / Math.max(1, Math.min(this.size.width, this.size.height) / 2);
    return Math.min(9, base * Math.max(0.8, near ** 0.35));
  }

  screen(item: number): [number, number] {
    const { places } = this.scene;
    const { camera, size } = this;
    return [size.width / 2 + (places[2 * item]! - camera.x) * camera.scale, size.height / 2 - (places[2 * item + 1]! - camera.y) * camera.scale];
  }

  private world(x: number, y: number): [number, number] {
    const { camera, size } = this;
    return [camera.x + (x - size.width / 2) / camera.scale, camera.y - (y - size.height / 2) / camera.scale];
  }

  /** Draws at the next frame. */
  draw(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.drawing.draw(this.camera, this.size, this.radius());
      this.drawOverlay();
    });
  }

  /** Seconds that a frame takes, everything drawn. */
  timeFrame(): number {
    const started = performance.now();
    this.drawing.draw(this.camera, this.size, this.radius());
    this.drawing.finish();
    return (performance.now() - started) / 1000;
  }

  /** Colours the items by their clusters, or by colours of their own. */
  paint(labels: Int32Array, colours: Colour[] | null): void {
    const seen = new Map<number, Colour>();
    const own = (label: number) => {
      const known = seen.get(label) ?? colourOf(label);
      seen.set(label, known);
      return known;
    };
    const { styles } = this.scene;
    for (let i = 0; i < this.n; i++) {
      const colour = colours ? colours[i]! : own(labels[i]!);
      styles[4 * i] = colour[0];
      styles[4 * i + 1] = colour[1];
      styles[4 * i + 2] = colour[2];
      styles[4 * i + 3] = shapeOf(labels[i]!);
    }
    this.drawing.update("styles");
    this.draw();
  }

  setLinks(links: Uint32Array, bands: Band[]): void {
    this.scene.links = links;
    this.scene.bands = bands;
    this.drawing.update("links");
    this.draw();
  }

  /** Sets or clears a bit of all items. */
  flag(bit: number, items: Iterable<number>): void {
    const { flags } = this.scene;
    for (let i = 0; i < this.n; i++) flags[i]! &= ~bit;
    for (const item of items) flags[item]! |= bit;
    this.drawing.update("flags");
    this.draw();
  }

  setUnsure = (items: number[]): void => this.flag(UNSURE, items);
  setDimmed = (items: Iterable<number>): void => this.flag(DIMMED, items);

  select(items: Iterable<number>, how: "new" | "add" | "take" = "new"): void {
    if (how === "new") this.selected.clear();
    for (const item of items) {
      if (how === "take") this.selected.delete(item);
      else this.selected.add(item);
    }
    this.flag(SELECTED, this.selected);
    this.onSelect();
  }

  /** Moves so that an item is in the middle. */
  show(item: number): void {
    this.camera.x = this.scene.places[2 * item]!;
    this.camera.y = this.scene.places[2 * item + 1]!;
    this.draw();
  }

  /** The item nearest to a place on the screen, at most some pixels away. */
  nearest(x: number, y: number, most: number): number | null {
    const [wx, wy] = this.world(x, y);
    let [best, least] = [null as number | null, (most / this.camera.scale) ** 2];
    for (const i of this.within(wx, wy, most / this.camera.scale)) {
      const away = (this.scene.places[2 * i]! - wx) ** 2 + (this.scene.places[2 * i + 1]! - wy) ** 2;
      if (away <= least) [best, least] = [i, away];
    }
    return best;
  }

  private *within(x: number, y: number, reach: number): Iterable<number> {
    const at = (value: number) => Math.min(this.cells - 1, Math.max(0, Math.floor(((value + 1) / 2) * this.cells)));
    for (let row = at(y - reach); row <= at(y + reach); row++) {
      for (let column = at(x - reach); column <= at(x + reach); column++) {
        const cell = row * this.cells + column;
        for (let at = this.begins[cell]!; at < this.begins[cell + 1]!; at++) yield this.sorted[at]!;
      }
    }
  }

  zoom(by: number, x = this.size.width / 2, y = this.size.height / 2): void {
    const before = this.world(x, y);
    this.camera.scale = Math.min(1e7, Math.max(20, this.camera.scale * by));
    const after = this.world(x, y);
    this.camera.x += before[0] - after[0];
    this.camera.y += before[1] - after[1];
    this.draw();
  }

  private pan(dx: number, dy: number): void {
    this.camera.x -= dx / this.camera.scale;
    this.camera.y += dy / this.camera.scale;
    this.draw();
  }

  private at(event: PointerEvent | WheelEvent): [number, number] {
    const box = this.element.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private listen(): void {
    const { element } = this;
    element.addEventListener("wheel", (event) => {
      const { activeElement } = element.getRootNode() as Document | ShadowRoot;
      if (this.gentle && activeElement !== element && !event.ctrlKey) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), ...this.at(event));
    }, { passive: false });
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("pointercancel", (event) => this.up(event));
    element.addEventListener("pointerleave", () => this.hover(null, 0, 0));
    element.addEventListener("dblclick", () => this.fit());
    element.addEventListener("keydown", (event) => this.key(event));
  }

  private down(event: PointerEvent): void {
    if (event.button > 1) return;
    this.element.setPointerCapture(event.pointerId);
    const at = this.at(event);
    this.pointers.set(event.pointerId, at);
    this.path = [at];
    this.stroke.clear();
    if (this.pointers.size === 2) this.pinch = this.spread();
    this.hover(null, 0, 0);
  }

  private spread(): number {
    const [a, b] = [...this.pointers.values()];
    return a && b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
  }

  private move(event: PointerEvent): void {
    const at = this.at(event);
    const before = this.pointers.get(event.pointerId);
    if (!before) return this.hover(this.nearest(at[0], at[1], 14), ...at);
    this.pointers.set(event.pointerId, at);
    if (this.pointers.size === 2) {
      const spread = this.spread();
      if (this.pinch > 0) this.zoom(spread / this.pinch, ...at);
      this.pinch = spread;
      return;
    }
    this.path.push(at);
    if (this.tool === "pan" || event.buttons === 4) this.pan(at[0] - before[0], at[1] - before[1]);
    else if (this.tool === "brush") this.brush(at);
    this.drawOverlay();
  }

  private brush(at: [number, number]): void {
    const [x, y] = this.world(...at);
    const reach = BRUSH / this.camera.scale;
    for (const i of this.within(x, y, reach)) {
      const away = Math.hypot(this.scene.places[2 * i]! - x, this.scene.places[2 * i + 1]! - y);
      if (away <= reach) this.stroke.add(i);
    }
  }

  private up(event: PointerEvent): void {
    const single = this.pointers.size === 1 && this.pointers.has(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (!single || event.type === "pointercancel") return;
    const how = event.altKey ? "take" : event.shiftKey ? "add" : "new";
    const [first, last] = [this.path[0]!, this.path.at(-1)!];
    const still = this.path.every(([x, y]) => Math.hypot(x - first[0], y - first[1]) < 5);
    if (still) {
      const item = this.nearest(...first, 14);
      if (item !== null) this.select([item], how === "new" && this.selected.has(item) && this.selected.size === 1 ? "take" : how);
      else if (this.tool !== "pan" && how === "new") this.select([]);
    } else if (this.tool === "lasso") this.select(this.inside(this.path), how);
    else if (this.tool === "box") {
      this.select(this.inside([first, [last[0], first[1]], last, [first[0], last[1]]]), how);
    } else if (this.tool === "brush") this.select(this.stroke, how);
    this.path = [];
    this.drawOverlay();
  }

  /** The items inside a polygon on the screen. */
  inside(path: [number, number][]): number[] {
    const corners = path.map(([x, y]) => this.world(x, y));
    const found: number[] = [];
    const { places } = this.scene;
    const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
    const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    for (let i = 0; i < this.n; i++) {
      const [x, y] = [places[2 * i]!, places[2 * i + 1]!];
      if (x < left || x > right || y < low || y > high) continue;
      let odd = false;
      for (let a = 0, b = corners.length - 1; a < corners.length; b = a++) {
        const [[ax, ay], [bx, by]] = [corners[a]!, corners[b]!];
        if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) odd = !odd;
      }
      if (odd) found.push(i);
    }
    return found;
  }

  private hover(item: number | null, x: number, y: number): void {
    if (item === this.hovered) return;
    this.hovered = item;
    this.onHover(item, x, y);
    this.drawOverlay();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey) return;
    const step = 60;
    const moves: Record<string, () => void> = {
      ArrowLeft: () => this.pan(step, 0),
      ArrowRight: () => this.pan(-step, 0),
      ArrowUp: () => this.pan(0, step),
      ArrowDown: () => this.pan(0, -step),
      "+": () => this.zoom(1.3),
      "=": () => this.zoom(1.3),
      "-": () => this.zoom(1 / 1.3),
      "0": () => this.fit(),
      " ": () => {
        const item = this.nearest(this.size.width / 2, this.size.height / 2, 1e4);
        if (item !== null) this.select([item], event.shiftKey ? "add" : "new");
      },
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    move();
  }

  private drawOverlay(): void {
    const { overlay, marks } = this;
    overlay.replaceChildren();
    const line = (pair: [number, number], kind: string) => {
      const [[x1, y1], [x2, y2]] = [this.screen(pair[0]), this.screen(pair[1])];
      overlay.append(s("line", { x1, y1, x2, y2, class: kind }));
    };
    marks.must.slice(0, MOST_PAIRS).forEach((pair) => line(pair, "must"));
    marks.cannot.slice(0, MOST_PAIRS).forEach((pair) => line(pair, "cannot"));
    marks.chain.slice(1).forEach((item, at) => line([marks.chain[at]!, item], "chain"));
    const ring = (item: number, r: number, kind: string) => {
      const [cx, cy] = this.screen(item);
      overlay.append(s("circle", { cx, cy, r, class: kind }));
    };
    marks.chain.forEach((item) => ring(item, 11, "chain"));
    marks.labelled.slice(0, MOST_PAIRS).forEach((item) => ring(item, 8, "labelled"));
    if (marks.question.length === 2) line(marks.question as [number, number], "question");
    marks.question.forEach((item, at) => {
      ring(item, 13, "question");
      const [x, y] = this.screen(item);
      overlay.append(s("text", { x: x + 17, y: y + 5, class: "question" }, "AB"[at]!));
    });
    marks.chips.forEach(({ item, text }) => {
      const [x, y] = this.screen(item);
      overlay.append(s("text", { x, y: y - 12, class: "chip" }, text));
    });
    if (this.hovered !== null) ring(this.hovered, 10, "hover");
    this.pointed.slice(0, MOST_PAIRS).forEach((item) => ring(item, 9, "pointed"));
    this.drawStroke();
  }

  private drawStroke(): void {
    if (this.path.length < 2 || !this.pointers.size || this.tool === "pan") return;
    const [first, last] = [this.path[0]!, this.path.at(-1)!];
    if (this.tool === "lasso") this.overlay.append(s("polygon", { points: this.path.map((at) => at.join(",")).join(" "), class: "stroke" }));
    else if (this.tool === "box") {
      const [x, y] = [Math.min(first[0], last[0]), Math.min(first[1], last[1])];
      this.overlay.append(s("rect", { x, y, width: Math.abs(last[0] - first[0]), height: Math.abs(last[1] - first[1]), class: "stroke" }));
    } else this.overlay.append(s("circle", { cx: last[0], cy: last[1], r: BRUSH, class: "stroke" }));
  }
}
