/** The page inside a notebook: anywidget's module. The engine is in the kernel and is asked by messages. */
import style from "./app.css";
import { within } from "./frame";
import { h } from "./dom";
import { Page } from "./page";
import { type Ask, Live } from "./source";

/** What anywidget gives. */
interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: unknown): void;
  on(event: string, heard: (...values: never[]) => void): void;
  off(event: string, heard: (...values: never[]) => void): void;
}

interface Reply {
  asked: string;
  status: number;
  kind: string;
}

/** A kernel that is silent for so many milliseconds is busy or gone: a request for news is answered after 20 seconds. */
const PATIENCE = 40_000;

/** Asks the kernel; what it answers looks like a server's response. */
function channel(model: Model): { ask: Ask; close: () => void } {
  const open = new Map<string, (response: Response) => void>();
  const own = Math.random().toString(36).slice(2);
  let count = 0;
  const heard = (reply: Reply, buffers: DataView[]) => {
    const take = open.get(reply.asked);
    if (!take) return;
    open.delete(reply.asked);
    const { buffer, byteOffset, byteLength } = buffers[0] ?? new DataView(new ArrayBuffer(0));
    // A copy: numbers inside it must lie at multiples of four.
    const body = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    take(new Response(reply.status === 204 ? null : body, { status: reply.status, headers: { "Content-Type": reply.kind } }));
  };
  model.on("msg:custom", heard);
  const ask: Ask = (route, body) => new Promise((resolve, reject) => {
    const asked = `${own}-${count++}`;
    open.set(asked, resolve);
    setTimeout(() => {
      if (open.delete(asked)) reject(new Error("the kernel does not answer"));
    }, PATIENCE);
    model.send({ asked, method: body === undefined ? "GET" : "POST", target: `/api/${route}`, body: body ?? "" });
  });
  return { ask, close: () => model.off("msg:custom", heard) };
}

function equal(a: number[], b: number[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

/** Python and the map have the same selection. */
function share(model: Model, page: Page): () => void {
  const chosen = () => [...page.map.selected].sort((a, b) => a - b);
  page.onSelect = () => {
    if (equal(chosen(), model.get("selection") as number[])) return;
    model.set("selection", chosen());
    model.save_changes();
  };
  const take = () => {
    const wanted = model.get("selection") as number[];
    if (!equal(chosen(), wanted)) page.map.select(wanted);
  };
  take();
  model.on("change:selection", take);
  return () => model.off("change:selection", take);
}

async function render({ model, el }: { model: Model; el: HTMLElement }): Promise<() => void> {
  const holder = h("div");
  el.append(holder);
  const frame = within(holder, style);
  const size = () => frame.host.style.setProperty("--page-height", `${String(model.get("height"))}px`);
  size();
  model.on("change:height", size);
  const { ask, close } = channel(model);
  const from = new Live(ask);
  try {
    const [meta, places] = await Promise.all([from.meta(), from.places()]);
    const page = new Page(from, meta, places, frame);
    const unshare = share(model, page);
    Object.assign(holder, { similis: page });
    void page.follow();
    return () => {
      page.close();
      unshare();
      close();
      model.off("change:height", size);
    };
  } catch (error) {
    frame.root.replaceChildren(h("p", { class: "locked" }, error instanceof Error ? error.message : String(error)));
    return close;
  }
}

export default { render };
