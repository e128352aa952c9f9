/** The page: joins the source, the map and the panels. */
import { Asker } from "./asker";
import { count, digits, h, save } from "./dom";
import { type Frame, onTheme } from "./frame";
import { coloursOf, legendOf } from "./legend";
import { levelCard } from "./levels";
import { PlaneMap, type Tool } from "./map";
import { charts, clusterTable, numberList, pictureList, rivalList, takeAway } from "./panels";
import type { Band } from "./render";
import { Refused, type Source } from "./source";
import { ItemTable } from "./table";
import type { Answer, Choices, Column, Corrections, Meta, State } from "./types";

const NOTHING: Corrections = { labels: [], must_link: [], cannot_link: [], noise: [], only: null };

export class Page {
  readonly map: PlaneMap;
  answer: Answer | null = null;
  state: State | null = null;
  private corrections = NOTHING;
  private byProbability = false;
  private edition = -1;
  private asker = new Asker(this);
  private showsRival: number | null = null;
  private level: { n: number; labels: Int32Array } | null = null;
  /** Hears that the answer is shown again in place of a level. */
  onLevel: () => void = () => {};
  private column: { at: number; values: Column } | null = null;
  private stage = h("main", { class: "stage" });
  table: ItemTable | null = null;
  private tableButton = h("button", { title: "The items as a table (T)", "aria-label": "Table", "aria-pressed": false, click: () => this.toggleTable() }, icon("M2 3h12v10H2zM2 6.5h12M2 9.7h12M6 6.5V13"));
  private side = h("aside", { class: "side", "aria-label": "Settings and results" });
  private status = h("p", { class: "status", role: "status", "aria-live": "polite" });
  private bar = h("div", { class: "bar", role: "progressbar", "aria-label": "Progress of the fit", "aria-valuemin": 0, "aria-valuemax": 100 }, h("i"));
  private stop = h("button", { class: "stop", hidden: true, title: "End the fit with its best answer so far (S)", click: () => this.send("stop", {}) }, "Stop");
  private notice = h("div", { class: "notice", hidden: true, role: "alert" });
  private actions = h("div", { class: "actions", hidden: true, role: "toolbar", "aria-label": "Corrections of the selection" });
  private tip = h("div", { class: "tip", hidden: true, role: "tooltip" });
  private legend = h("div", { class: "legend", hidden: true });
  private settings = h("section", { class: "card settings" });
  private clusters = h("section", { class: "card" });
  private results = h("div", { class: "results" });
  private history = h("section", { class: "card history" });
  private take = h("section", { class: "card" });
  private hoverAt = 0;
  private closed = false;
  private forget: () => void;
  /** Hears of every change of the selection, for marks of it elsewhere. */
  onMarks: () => void = () => {};
  /** Hears of every change of the selection. */
  onSelect: () => void = () => {};

  constructor(
    readonly from: Source,
    readonly meta: Meta,
    places: Float32Array,
    readonly frame: Frame,
  ) {
    this.map = new PlaneMap(places, frame.inside);
    frame.host.dataset["renderer"] = this.map.drawing.name;
    const header = h("header", {},
      h("h1", {}, meta.name),
      h("p", { class: "lead" }, meta.described),
      this.status, this.stop, this.bar);
    const { stage } = this;
    stage.append(this.map.element, this.tools(), this.notice, this.legend, this.actions, this.tip, this.footnote());
    this.side.append(...(from.live ? [this.settings, this.asker.card] : []), this.clusters, ...(from.live ? [this.history] : []), this.results, this.take);
    frame.root.replaceChildren(header, stage, this.side);
    this.map.onSelect = () => {
      this.drawActions();
      this.table?.selected();
      this.onMarks();
      this.onSelect();
    };
    this.map.onHover = (item, x, y) => void this.hover(item, x, y);
    frame.keys.addEventListener("keydown", (event) => this.key(event as KeyboardEvent));
    this.forget = onTheme(() => {
      this.repaint();
      this.map.draw();
      if (this.answer) clusterTable(this, this.clusters, this.answer.head);
    });
    if (this.map.drawing.name === "picture") this.fallBack();
  }

  /** The engine's own picture, where nothing can be drawn on. */
  private fallBack(): void {
    void this.from.picture("scatter").then((svg) => {
      if (svg) this.map.element.replaceChildren(h("img", { class: "map-picture", alt: "Map of the items", src: `data:image/svg+xml,${encodeURIComponent(svg)}` }));
    }).catch(() => {});
  }

  private tools(): HTMLElement {
    const tools: [Tool, string, string, string][] = [
      ["pan", "Move", "Drag to move, click to select (V)", "M8 1v14M1 8h14M8 1l-2 2M8 1l2 2M8 15l-2-2M8 15l2-2M1 8l2-2M1 8l2 2M15 8l-2-2M15 8l-2 2"],
      ["lasso", "Lasso", "Draw around items (L); Shift adds, Alt takes away", "M8 2C4 2 1.5 4 1.5 6.5S4 11 8 11s6.5-2 6.5-4.5S12 2 8 2M5 11c-1 0-2 1-1 2s2 0 2-1M4 13c0 1-1 2-2 2"],
      ["box", "Box", "Drag a box over items (B); Shift adds, Alt takes away", "M2 3h12v10H2z"],
      ["brush", "Brush", "Paint over items (R); Shift adds, Alt takes away", "M14 2L7 9M7 9c-2 0-3 1-3 3 0 1-1 2-2 2 3 1 7 0 7-3z"],
    ];
    const buttons = tools.map(([tool, name, title, path]) => {
      const button = h("button", { title, "aria-label": name, "aria-pressed": tool === "pan", "data-tool": tool, click: () => this.use(tool) });
      button.append(icon(path));
      return button;
    });
    const path = "M3 13a2 2 0 1 0 0-.1M13 3a2 2 0 1 0 0-.1M4 11.5l8-7";
    const links = h("button", { title: "Show the links of the latent graph", "aria-label": "Links", "aria-pressed": true, click: () => {
      this.map.scene.showLinks = !this.map.scene.showLinks;
      links.setAttribute("aria-pressed", String(this.map.scene.showLinks));
      this.map.draw();
    } }, icon(path));
    const likely = h("button", { title: "Draw every link as dark as it is probable", "aria-label": "Links by probability", "aria-pressed": false, click: () => {
      this.byProbability = !this.byProbability;
      likely.setAttribute("aria-pressed", String(this.byProbability));
      void this.drawLinks();
    } }, icon(`${path}M11 13.5l4 0M13 11.5v4`));
    const fit = h("button", { title: "All items in view (0)", "aria-label": "Fit", click: () => this.map.fit() }, icon("M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4"));
    const search = h("input", { type: "search", placeholder: "Find an item  /", "aria-label": "Find an item", input: () => void this.search(search.value, found), keydown: (event) => {
      if ((event as KeyboardEvent).key === "Enter") found.querySelector("button")?.click();
    } });
    const found = h("div", { class: "found" });
    const columns = this.meta.columns;
    const paint = h("select", { "aria-label": "Colour by", change: () => void this.colourBy(Number(paint.value)) },
      h("option", { value: -1 }, "Colour: clusters"), ...columns.map((name, at) => h("option", { value: at }, name)));
    return h("div", { class: "tools" },
      h("div", { class: "buttons", role: "toolbar", "aria-label": "Tools of the map" }, ...buttons, h("span", { class: "gap" }), links, this.from.live && likely, fit, this.tableButton),
      h("div", { class: "find" }, search, found), columns.length > 0 && paint);
  }

  private footnote(): HTMLElement {
    const { name, limit } = this.map.drawing;
    const axes = this.meta.axes.filter((axis) => axis).join(" \u00d7 ");
    const parts = [axes, this.meta.note, `drawn by ${name}${limit ? `: ${limit}` : ""}`];
    return h("p", { class: "footnote" }, parts.filter((part) => part).join(" \u00b7 "));
  }

  private use(tool: Tool): void {
    this.map.tool = tool;
    this.map.element.dataset["tool"] = tool;
    this.frame.root.querySelectorAll<HTMLElement>("[data-tool]").forEach((button) => {
      if (button.tagName === "BUTTON") button.setAttribute("aria-pressed", String(button.dataset["tool"] === tool));
    });
  }

  private key(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLElement && ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !typing) {
      event.preventDefault();
      return this.send(event.shiftKey ? "redo" : "undo", {});
    }
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "y" && !typing) {
      event.preventDefault();
      return this.send("redo", {});
    }
    if (event.key === "Escape") {
      if (typing) (event.target as HTMLElement).blur();
      else if (this.showsRival !== null) void this.showRival(null);
      else if (this.level) {
        this.showLevel(null);
        this.onLevel();
      }
      else this.map.select([]);
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys: Record<string, () => void> = {
      v: () => this.use("pan"), l: () => this.use("lasso"), b: () => this.use("box"), r: () => this.use("brush"),
      y: () => this.asker.reply(true), n: () => this.asker.reply(false), t: () => this.toggleTable(), s: () => this.stop.hidden || this.send("stop", {}),
      "/": () => this.frame.root.querySelector<HTMLElement>("input[type=search]")?.focus(),
    };
    const own = keys[event.key.toLowerCase()];
    if (own) {
      event.preventDefault();
      event.stopPropagation();
      own();
    }
  }

  /** Hears of nothing any more. */
  close(): void {
    this.closed = true;
    this.forget();
  }

  /** Sends a change; a refusal is shown. */
  send(route: string, value: unknown): void {
    if (!this.from.live) return;
    this.from.post(route, value).catch((error: unknown) => this.say(error instanceof Error ? error.message : String(error)));
  }

  say(words: string, chain: string[] = []): void {
    this.notice.hidden = !words;
    this.notice.replaceChildren(words, ...(chain.length ? [h("p", { class: "chain" }, chain.join(" \u2192 "))] : []),
      ...(chain.length ? [h("button", { click: () => this.send("undo", {}) }, "Undo the last correction")] : []),
      h("button", { "aria-label": "Close", class: "close", click: () => this.say("") }, "\u00d7"));
  }

  /** Follows the state of the engine for as long as the page is open. */
  async follow(): Promise<void> {
    let version = 0;
    while (!this.closed) {
      try {
        const state = await this.from.state(version);
        if (this.closed) return;
        version = state.version;
        await this.takeUp(state);
        if (!this.from.live) return;
        if (state.ended) throw new Refused(0, "the program has ended");
      } catch (error) {
        if (error instanceof Refused && error.status === 401) return this.say(error.message);
        this.frame.host.dataset["lost"] = "true";
        this.status.textContent = this.frame.inside ? "The kernel does not answer: it is busy, or it was restarted." : "The program does not answer. Is it still running?";
        await new Promise((wake) => setTimeout(wake, 1000));
        version = 0;
      }
    }
  }

  private async takeUp(state: State): Promise<void> {
    const before = this.state;
    this.state = state;
    delete this.frame.host.dataset["lost"];
    if (state.edition !== this.edition) {
      this.corrections = await this.from.corrections();
      this.edition = state.edition;
    }
    if (state.answer !== null && state.answer !== this.answer?.head.number) await this.show(await this.from.answer());
    if (JSON.stringify(before?.choices) !== JSON.stringify(state.choices)) this.drawSettings(state.choices);
    this.drawState(state);
    this.drawMarks();
    this.frame.host.dataset["answer"] = String(state.answer ?? "");
    this.frame.host.dataset["busy"] = String(state.fits);
  }

  /** Shows a new answer; the camera stays where it is. */
  private async show(answer: Answer): Promise<void> {
    this.answer = answer;
    this.showsRival = null;
    [this.onLevel, this.onMarks] = [() => {}, () => {}];
    this.map.pointed = [];
    this.showLevel(null);
    void this.drawLinks();
    const { head } = answer;
    if (this.state) this.drawSettings(this.state.choices);
    clusterTable(this, this.clusters, head);
    this.results.replaceChildren(...numberList(this, head), levelCard(this), ...rivalList(this, head), ...charts(head), pictureList(this));
    takeAway(this, this.take);
    this.drawActions();
    this.asker.renew();
    if (this.map.drawing.name === "picture") this.fallBack();
    const unsure = await this.from.unsure().catch(() => []);
    this.map.setUnsure(unsure);
  }

  /** Colours by clusters, or by a column. */
  repaint(labels = this.level?.labels ?? this.answer?.labels): void {
    if (!labels) return;
    this.map.paint(labels, this.column ? coloursOf(this.column.values) : null);
    this.table?.list();
  }

  private async colourBy(at: number): Promise<void> {
    this.column = at < 0 ? null : { at, values: await this.from.column(at) };
    this.repaint();
    this.drawLegend();
  }

  /** The links of the answer, or all that are probable. */
  private async drawLinks(): Promise<void> {
    const { answer } = this;
    if (!answer) return;
    const likely = this.byProbability ? await this.from.likely().catch(() => null) : null;
    if (answer !== this.answer) return;
    if (this.byProbability && !likely) this.say("This answer has no probabilities of links: they need trees of the latent graph model, and at most 3,000 items.");
    this.map.setLinks(likely?.ends ?? answer.links, likely ? bands(likely.probabilities) : [{ from: 0, to: answer.links.length, ink: 1 }]);
    this.frame.host.dataset["links"] = likely ? "likely" : "answer";
  }

  private drawLegend(): void {
    this.legend.hidden = !this.column;
    if (this.column) this.legend.replaceChildren(...legendOf(this.meta.columns[this.column.at]!, this.column.values));
  }

  private async search(text: string, list: HTMLElement): Promise<void> {
    const found = await this.from.search(text).catch(() => []);
    const buttons = found.slice(0, 8).map(([item, name]) => h("button", { click: (event) => {
      this.map.select([item], (event as MouseEvent).shiftKey ? "add" : "new");
      this.map.show(item);
    } }, name));
    const all = found.length > 1 && h("button", { class: "all", click: () => this.map.select(found.map(([item]) => item)) }, `Select all ${found.length}${found.length === 200 ? " (the first 200)" : ""}`);
    list.replaceChildren(...buttons, ...(all ? [all] : []), ...(text && !found.length ? [h("span", {}, "nothing found")] : []));
  }

  private async hover(item: number | null, x: number, y: number): Promise<void> {
    const turn = ++this.hoverAt;
    if (item === null) {
      this.tip.hidden = true;
      return;
    }
    const details = await this.from.item(item);
    if (turn !== this.hoverAt) return;
    const label = this.answer?.labels[item];
    const rows = details.values.slice(0, 14).map((value, at) => h("tr", {}, h("th", {}, this.meta.columns[at]!), h("td", {}, typeof value === "number" ? digits(value) : value)));
    const more = details.values.length > 14 && h("tr", {}, h("th", {}, `${details.values.length - 14} more`));
    this.tip.replaceChildren(h("b", {}, this.meta.named ? details.name : `item ${details.name}`), h("span", {}, label === undefined ? "" : this.clusterName(label)), h("table", {}, ...rows, more));
    this.tip.hidden = false;
    const box = this.map.element.getBoundingClientRect();
    this.tip.style.left = `${Math.min(x + 16, box.width - this.tip.offsetWidth - 8)}px`;
    this.tip.style.top = `${Math.min(y + 16, box.height - this.tip.offsetHeight - 8)}px`;
  }

  clusterName(label: number): string {
    if (label < 0) return "noise, or left out";
    const own = this.answer?.head.clusters.find(({ number }) => number === label);
    return own?.name ? `${own.name} (cluster ${label})` : `cluster ${label}`;
  }

  /** Marks of corrections, contradictions and the question. */
  drawMarks(): void {
    const { corrections, state } = this;
    this.map.marks = {
      chips: (this.level ? [] : (this.answer?.head.clusters ?? [])).slice(0, 60).map(({ medoid, name, number }) => ({ item: medoid, text: name ?? String(number), label: number })),
      must: corrections.must_link,
      cannot: corrections.cannot_link,
      labelled: corrections.labels.map(([item]) => item),
      chain: state?.problem?.chain ?? [],
      question: this.asker.question?.items ?? [],
    };
    this.map.draw();
  }

  private drawState(state: State): void {
    const { running } = state;
    this.bar.classList.toggle("on", state.fits);
    this.stop.hidden = !state.fits;
    const part = running ? Math.round(100 * running.fraction) : 0;
    this.bar.setAttribute("aria-valuenow", String(part));
    (this.bar.firstElementChild as HTMLElement).style.width = `${part}%`;
    const head = this.answer?.head;
    if (running) {
      this.status.textContent = running.stopping ? "ending with the best answer so far" : `${running.phase}, ${running.seconds.toFixed(1)} s`;
    } else if (head) {
      const noise = head.n_noise ? ` and ${count(head.n_noise, "noise item")}` : "";
      this.status.textContent = `${count(head.clusters.length, "cluster")}${noise} \u00b7 ${head.model} \u00b7 ${head.ended} in ${head.seconds.toFixed(2)} s`;
    } else this.status.textContent = "fitting";
    if (state.problem) this.say(state.problem.message, state.problem.names);
    else if (!this.notice.hidden && this.notice.querySelector(".chain")) this.say("");
    this.drawHistory(state);
  }

  private drawHistory(state: State): void {
    const { labels, must_link, cannot_link, noise, only } = this.corrections;
    const parts = [
      labels.length && count(labels.length, "label"), must_link.length && `${count(must_link.length, "pair")} together`,
      cannot_link.length && `${count(cannot_link.length, "pair")} apart`, noise.length && `${noise.length} left out`, only && `only ${only.length} clustered`,
    ].filter((part) => part) as string[];
    this.history.replaceChildren(
      h("h2", {}, "Corrections"),
      h("p", { class: "row" },
        h("button", { disabled: !state.n_corrections, title: "Undo (Ctrl+Z)", click: () => this.send("undo", {}) }, "Undo"),
        h("button", { disabled: !state.n_undone, title: "Redo (Ctrl+Shift+Z)", click: () => this.send("redo", {}) }, "Redo"),
        only && h("button", { click: () => this.send("correct", { kind: "only", items: [] }) }, "Cluster all again")),
      h("p", { class: "small" }, parts.length ? parts.join(", ") : "None yet: select items on the map, then say what they are."),
      state.saved && h("p", { class: "small saved" }, state.saved));
  }

  private drawSettings(choices: Choices): void {
    const automatic = !/^\d+$/.test(choices.n_clusters);
    const now = automatic ? (this.answer?.head.clusters.length ?? 2) : Number(choices.n_clusters);
    const most = Math.max(12, now + 4, Math.min(20, this.meta.n_items));
    const slider = h("input", { type: "range", min: 1, max: Math.min(most, this.meta.n_items), value: now, "aria-label": "Number of clusters",
      input: () => { shown.value = slider.value; }, change: () => this.choose({ n_clusters: slider.value }) });
    const shown = h("input", { type: "number", min: 1, max: this.meta.n_items, value: now, "aria-label": "Number of clusters, typed", change: () => this.choose({ n_clusters: shown.value }) });
    const auto = h("button", { "aria-pressed": automatic, class: "auto", title: "Let the score choose", click: () => this.choose({ n_clusters: automatic ? String(now) : "auto" }) }, automatic && choices.n_clusters !== "auto" ? choices.n_clusters : "auto");
    const pick = (name: "model" | "metric", values: string[], current: string | null) => {
      const select = h("select", { id: name, change: () => this.choose({ [name]: select.value }) },
        ...values.map((value) => h("option", { value, selected: value === current }, value.replaceAll("_", " "))));
      return h("label", {}, h("span", {}, name[0]!.toUpperCase() + name.slice(1)), select);
    };
    const noise = h("input", { type: "checkbox", id: "noise", checked: choices.noise === "background", change: () => this.choose({ noise: noise.checked ? "background" : "none" }) });
    this.settings.replaceChildren(
      h("h2", {}, "Clusters"),
      h("div", { class: "number" }, slider, shown, auto),
      h("div", { class: "fields" }, pick("model", ["auto", "latent_graph", "latent_feature"], choices.model),
        this.meta.metrics.length > 0 && pick("metric", this.meta.metrics, choices.metric),
        h("label", { class: "check" }, noise, h("span", {}, "Noise: items may belong to no cluster"))));
  }

  /** The labels on the screen: of the answer, or of a level. */
  shownLabels(): Int32Array | undefined {
    return this.level?.labels ?? this.answer?.labels;
  }

  /** Opens the table of the items, or closes it. */
  toggleTable(): void {
    const open = !this.table;
    this.map.scales = true;
    this.stage.classList.toggle("with-table", open);
    this.tableButton.setAttribute("aria-pressed", String(open));
    this.table?.element.remove();
    this.table = open ? new ItemTable(this) : null;
    if (this.table) {
      this.stage.append(this.table.element);
      this.table.element.querySelector<HTMLElement>(".scroller")?.focus();
    } else this.tableButton.focus();
  }

  choose(choices: Partial<Choices>): void {
    this.send("choose", choices);
  }

  /** What can be said of the selection. */
  private drawActions(): void {
    const items = [...this.map.selected].sort((a, b) => a - b);
    this.actions.hidden = !items.length;
    if (!items.length) return;
    const labels = new Set(items.map((item) => this.answer?.labels[item] ?? -1));
    const say = (kind: string, more: object = {}) => {
      this.send("correct", { kind, items, ...more });
      this.map.select([]);
    };
    const button = (name: string, title: string, click: () => void, off = false) => h("button", { title, disabled: off, click }, name);
    const known = [...new Set(this.corrections.labels.map(([, name]) => name))];
    const name = h("input", { type: "text", placeholder: "label", list: "known", "aria-label": "Label of the selection", keydown: (event) => {
      if ((event as KeyboardEvent).key === "Enter") say("label", { label: name.value });
    } });
    const live = this.from.live ? [
      h("span", { class: "label" }, name, h("datalist", { id: "known" }, ...known.map((value) => h("option", { value }))), button("Label", "All these have this label; an empty one takes it away", () => say("label", { label: name.value }))),
      button("Together", "These share a cluster (must-link)", () => this.together(items, labels, say), items.length < 2),
      button("Apart", "No two of these share a cluster (cannot-link)", () => say("apart"), items.length < 2 || items.length > 50),
      button("Split off", "These are a cluster of their own", () => this.split(items, say), labels.size !== 1 || labels.has(-1)),
      button("Noise", "These belong to no cluster: leave them out", () => say("noise")),
      button("Only these", "Cluster these again, without the others", () => say("only"), items.length < 3),
      button("CSV", "Names and labels of the selection", () => void this.saveSelection(items)),
    ] : [];
    this.actions.replaceChildren(h("b", {}, `${items.length.toLocaleString("en")} selected`), ...live, button("\u00d7", "Select nothing (Escape)", () => this.map.select([])));
  }

  /** Where whole clusters are joined and their number is given, the number falls with them. */
  private together(items: number[], labels: Set<number>, say: (kind: string, more?: object) => void): void {
    const n = Number(this.state?.choices.n_clusters);
    const sizes = new Map(this.answer?.head.clusters.map(({ number, size }) => [number, size]));
    const whole = [...labels].filter((label) => items.filter((item) => this.answer?.labels[item] === label).length * 2 > (sizes.get(label) ?? Infinity));
    const fewer = n - Math.max(0, whole.length - 1);
    say("together", fewer >= 1 && fewer < n ? { choices: { n_clusters: String(fewer) } } : {});
  }

  /** The selection is a cluster of its own: apart from the medoid of the rest, and where the number is given it grows by one. */
  private split(items: number[], say: (kind: string, more?: object) => void): void {
    const label = this.answer?.labels[items[0]!];
    const chosen = new Set(items);
    const rest: number[] = [];
    this.answer?.labels.forEach((own, item) => { if (own === label && !chosen.has(item)) rest.push(item); });
    const cluster = this.answer?.head.clusters.find(({ number }) => number === label);
    const other = cluster && !chosen.has(cluster.medoid) ? cluster.medoid : rest[Math.floor(rest.length / 2)];
    if (other === undefined) return this.say("All of the cluster is selected: nothing would be left.");
    const n = Number(this.state?.choices.n_clusters);
    say("split", { others: [other], ...(Number.isInteger(n) ? { choices: { n_clusters: String(n + 1) } } : {}) });
  }

  private async saveSelection(items: number[]): Promise<void> {
    const response = await this.from.post("selection.csv", { items });
    save("selection.csv", await response.blob());
  }

  /** Shows a level in place of the answer; none goes back. */
  showLevel(level: { n: number; labels: Int32Array } | null): void {
    this.level = level;
    this.map.setDimmed([]);
    this.repaint();
    this.drawMarks();
    this.frame.host.dataset["level"] = level ? String(level.n) : "";
  }

  /** Shows a runner-up, what differs from the answer in full colour. */
  async showRival(at: number | null): Promise<void> {
    this.showsRival = at;
    if (at === null || !this.answer) {
      this.map.setDimmed([]);
      this.repaint();
      this.say("");
      return;
    }
    const labels = await this.from.rival(at);
    const same: number[] = [];
    labels.forEach((label, item) => { if (label === this.answer!.labels[item]) same.push(item); });
    this.repaint(labels);
    this.map.setDimmed(same);
    const differ = labels.length - same.length;
    this.notice.hidden = false;
    this.notice.replaceChildren(`Runner-up ${at + 1}: ${count(differ, "item")} in another cluster, in full colour.`,
      h("button", { click: () => void this.showRival(null) }, "Back to the answer"));
  }

}

/** Number of shades of links by probability. */
const SHADES = 8;

/** Links of similar probability, the most probable first, and how dark they are drawn. */
function bands(probabilities: Float32Array): Band[] {
  const shade = (probability: number) => Math.min(SHADES - 1, Math.floor(probability * SHADES));
  const found: Band[] = [];
  for (let k = 0; k < probabilities.length; k++) {
    const ink = (shade(probabilities[k]!) + 0.5) / SHADES;
    if (found.at(-1)?.ink !== ink) found.push({ from: 2 * k, to: 2 * k, ink });
    found.at(-1)!.to = 2 * k + 2;
  }
  return found;
}

function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(svg.namespaceURI, "path") as SVGElement;
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}
