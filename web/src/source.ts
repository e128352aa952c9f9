/** Where the page has its data from: the server, or the file that it is itself. */
import type { Answer, AnswerHead, Column, Corrections, Details, Levels, LikelyLinks, Meta, Question, Recipe, State, Together } from "./types";

export interface Source {
  /** Whether there is an engine behind the page. */
  live: boolean;
  meta(): Promise<Meta>;
  places(): Promise<Float32Array>;
  state(after: number): Promise<State>;
  answer(): Promise<Answer>;
  unsure(): Promise<number[]>;
  rival(at: number): Promise<Int32Array>;
  levels(): Promise<Levels>;
  /** Links by probability, where the answer has them. */
  likely(): Promise<LikelyLinks | null>;
  /** How probable it is that items share a cluster, where the posterior was sampled. */
  together(): Promise<Together | null>;
  corrections(): Promise<Corrections>;
  column(at: number): Promise<Column>;
  item(at: number): Promise<Details>;
  /** Several items, at most 200. */
  rows(items: number[]): Promise<Details[]>;
  /** The names of all items; none where they are only counted. */
  names(): Promise<string[] | null>;
  search(text: string): Promise<[number, string][]>;
  picture(kind: string): Promise<string | null>;
  recipe(): Promise<Recipe>;
  question(): Promise<Question | null>;
  post(route: string, value: unknown): Promise<Response>;
  /** Where a file is, if it has an address. */
  address(file: string): string | null;
  /** A file to take away. */
  file(file: string): Promise<Blob>;
}

/** How the engine is asked: a route, and for a change its value as JSON. */
export type Ask = (route: string, body?: string) => Promise<Response>;

/** A refusal of the server, in its own words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    words: string,
  ) {
    super(words);
  }
}

/** Asks the server that the page came from. */
const overHttp: Ask = (route, body) =>
  body === undefined
    ? fetch(`api/${route}`, { cache: "no-store" })
    : fetch(`api/${route}`, { method: "POST", headers: { "Content-Type": "application/json" }, body });

async function accepted(asked: Promise<Response>): Promise<Response> {
  const response = await asked;
  if (!response.ok) throw new Refused(response.status, (await response.text()).trim());
  return response;
}

/** The head and the numbers of a packed message. */
function unpack(buffer: ArrayBuffer): { head: unknown; numbers: Int32Array } {
  const length = new DataView(buffer).getUint32(0, true);
  const head: unknown = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { head, numbers: new Int32Array(buffer, 4 + length) };
}

export const post = (route: string, value: unknown): Promise<Response> => accepted(overHttp(route, JSON.stringify(value)));

/** The engine behind the page: a server, or the kernel of a notebook. */
export class Live implements Source {
  live = true;
  constructor(private ask: Ask = overHttp) {}
  private get = (route: string) => accepted(this.ask(route));
  private json = async <T>(route: string) => (await this.get(route)).json() as Promise<T>;
  meta = () => this.json<Meta>("meta");
  places = async () => new Float32Array(await (await this.get("places")).arrayBuffer());
  state = (after: number) => this.json<State>(`state?after=${after}`);
  unsure = () => this.json<number[]>("unsure");
  corrections = () => this.json<Corrections>("corrections");
  item = (at: number) => this.json<Details>(`item?at=${at}`);
  rows = (items: number[]) => this.json<Details[]>(`rows?of=${items.join()}`);
  search = (text: string) => this.json<[number, string][]>(`search?text=${encodeURIComponent(text)}`);
  recipe = () => this.json<Recipe>("recipe");
  question = () => this.json<Question | null>("question");
  post = (route: string, value: unknown) => accepted(this.ask(route, JSON.stringify(value)));
  address = (file: string) => (this.ask === overHttp ? `api/${file}` : null);
  file = async (file: string) => (await this.get(file)).blob();

  async answer(): Promise<Answer> {
    const { head, numbers } = unpack(await (await this.get("answer")).arrayBuffer());
    const { n_links, ...rest } = head as AnswerHead & { n_links: number };
    const n = numbers.length - 2 * n_links;
    return { head: rest, labels: numbers.slice(0, n), links: Uint32Array.from(numbers.subarray(n)) };
  }

  async rival(at: number): Promise<Int32Array> {
    return unpack(await (await this.get(`rival?at=${at}`)).arrayBuffer()).numbers;
  }

  async names(): Promise<string[] | null> {
    const response = await this.get("names");
    return response.status === 204 ? null : (response.json() as Promise<string[]>);
  }

  async levels(): Promise<Levels> {
    const { head, numbers } = unpack(await (await this.get("levels")).arrayBuffer());
    return { ...(head as Omit<Levels, "finest">), finest: numbers };
  }

  async likely(): Promise<LikelyLinks | null> {
    const response = await this.get("links");
    if (response.status === 204) return null;
    const { head, numbers } = unpack(await response.arrayBuffer());
    const n = 2 * (head as { n_links: number }).n_links;
    return { ends: Uint32Array.from(numbers.subarray(0, n)), probabilities: Float32Array.from(numbers.subarray(n), (thousandths) => thousandths / 1000) };
  }

  async together(): Promise<Together | null> {
    const response = await this.get("together");
    if (response.status === 204) return null;
    const { head, numbers } = unpack(await response.arrayBuffer());
    const { n_items, n_cells } = head as { n_items: number; n_cells: number };
    return { n_cells, items: Uint32Array.from(numbers.subarray(0, n_items)), cells: numbers.slice(n_items) };
  }

  async column(at: number): Promise<Column> {
    const response = await this.get(`column?at=${at}`);
    if (response.headers.get("Content-Type") === "application/json") return response.json() as Promise<string[]>;
    return new Float32Array(await response.arrayBuffer());
  }

  async picture(kind: string): Promise<string | null> {
    const response = await this.get(`picture?kind=${kind}`);
    return response.status === 204 ? null : response.text();
  }
}

interface Kept {
  meta: Meta;
  places: number[];
  answer: AnswerHead;
  labels: number[];
  links: number[];
  unsure: number[];
  corrections: Corrections;
  rivals: number[][];
  levels: (Omit<Levels, "finest"> & { finest: number[] }) | null;
  names: string[] | null;
  columns: (number | string)[][];
  pictures: Record<string, string>;
  shell: string;
  python: string;
}

/** A page that was exported: everything is in it. */
export class Frozen implements Source {
  live = false;
  constructor(private kept: Kept) {}
  meta = async () => this.kept.meta;
  places = async () => Float32Array.from(this.kept.places);
  unsure = async () => this.kept.unsure;
  corrections = async () => this.kept.corrections;
  recipe = async () => ({ shell: this.kept.shell, python: this.kept.python });
  question = async () => null;
  likely = async () => null;
  together = async () => null;
  names = async () => this.kept.names;
  rows = (items: number[]) => Promise.all(items.map((item) => this.item(item)));
  picture = async (kind: string) => this.kept.pictures[kind] ?? null;
  rival = async (at: number) => Int32Array.from(this.kept.rivals[at] ?? []);

  async state(): Promise<State> {
    const { answer } = this.kept;
    return {
      version: 1,
      choices: answer.choices,
      fits: false,
      running: null,
      answer: answer.number,
      problem: null,
      n_corrections: 0,
      n_undone: 0,
      edition: 0,
      saved: "",
      ended: false,
    };
  }

  async answer(): Promise<Answer> {
    const { answer, labels, links } = this.kept;
    return { head: answer, labels: Int32Array.from(labels), links: Uint32Array.from(links) };
  }

  async column(at: number): Promise<Column> {
    const values = this.kept.columns[at] ?? [];
    if (at < this.kept.meta.n_numbers) return Float32Array.from(values as number[]);
    return values as string[];
  }

  async levels(): Promise<Levels> {
    const { levels } = this.kept;
    if (!levels) throw new Refused(0, "this page holds no levels");
    return { ...levels, finest: Int32Array.from(levels.finest) };
  }

  private name(at: number): string {
    return this.kept.names?.[at] ?? String(at);
  }

  async item(at: number): Promise<Details> {
    return { item: at, name: this.name(at), values: this.kept.columns.map((column) => column[at] ?? "") };
  }

  async search(text: string): Promise<[number, string][]> {
    const wanted = text.trim().toLowerCase();
    const found: [number, string][] = [];
    for (let i = 0; wanted && i < this.kept.meta.n_items && found.length < 200; i++) {
      const name = this.name(i);
      if (name.toLowerCase() === wanted) found.unshift([i, name]);
      else if (name.toLowerCase().includes(wanted)) found.push([i, name]);
    }
    return found;
  }

  address = () => null;

  async file(): Promise<Blob> {
    throw new Refused(0, "this page is a file: there is no engine behind it");
  }

  async post(): Promise<Response> {
    throw new Refused(0, "this page is a file: there is no engine behind it");
  }
}

/** The state inside an exported page, or the server. */
export function source(): Source {
  const kept = document.getElementById("state")?.textContent;
  return kept ? new Frozen(JSON.parse(kept) as Kept) : new Live();
}
