/** Where the page has its data from: the server, or the file that it is itself. */
import type { Answer, AnswerHead, Column, Corrections, Details, Meta, Question, Recipe, State } from "./types";

export interface Source {
  /** Whether there is an engine behind the page. */
  live: boolean;
  meta(): Promise<Meta>;
  places(): Promise<Float32Array>;
  state(after: number): Promise<State>;
  answer(): Promise<Answer>;
  unsure(): Promise<number[]>;
  rival(at: number): Promise<Int32Array>;
  corrections(): Promise<Corrections>;
  column(at: number): Promise<Column>;
  item(at: number): Promise<Details>;
  search(text: string): Promise<[number, string][]>;
  picture(kind: string): Promise<string | null>;
  recipe(): Promise<Recipe>;
  question(): Promise<Question | null>;
  post(route: string, value: unknown): Promise<Response>;
}

/** A refusal of the server, in its own words. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    words: string,
  ) {
    super(words);
  }
}

async function get(route: string): Promise<Response> {
  const response = await fetch(`api/${route}`, { cache: "no-store" });
  if (!response.ok) throw new Refused(response.status, (await response.text()).trim());
  return response;
}

async function json<T>(route: string): Promise<T> {
  return (await get(route)).json() as Promise<T>;
}

/** The head and the numbers of a packed message. */
function unpack(buffer: ArrayBuffer): { head: unknown; numbers: Int32Array } {
  const length = new DataView(buffer).getUint32(0, true);
  const head: unknown = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  return { head, numbers: new Int32Array(buffer, 4 + length) };
}

export async function post(route: string, value: unknown): Promise<Response> {
  const response = await fetch(`api/${route}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(value),
  });
  if (!response.ok) throw new Refused(response.status, (await response.text()).trim());
  return response;
}

/** The engine behind the page. */
export class Live implements Source {
  live = true;
  meta = () => json<Meta>("meta");
  places = async () => new Float32Array(await (await get("places")).arrayBuffer());
  state = (after: number) => json<State>(`state?after=${after}`);
  unsure = () => json<number[]>("unsure");
  corrections = () => json<Corrections>("corrections");
  item = (at: number) => json<Details>(`item?at=${at}`);
  search = (text: string) => json<[number, string][]>(`search?text=${encodeURIComponent(text)}`);
  recipe = () => json<Recipe>("recipe");
  question = () => json<Question | null>("question");
  post = post;

  async answer(): Promise<Answer> {
    const { head, numbers } = unpack(await (await get("answer")).arrayBuffer());
    const { n_links, ...rest } = head as AnswerHead & { n_links: number };
    const n = numbers.length - 2 * n_links;
    return { head: rest, labels: numbers.slice(0, n), links: Uint32Array.from(numbers.subarray(n)) };
  }

  async rival(at: number): Promise<Int32Array> {
    return unpack(await (await get(`rival?at=${at}`)).arrayBuffer()).numbers;
  }

  async column(at: number): Promise<Column> {
    const response = await get(`column?at=${at}`);
    if (response.headers.get("Content-Type") === "application/json") return response.json() as Promise<string[]>;
    return new Float32Array(await response.arrayBuffer());
  }

  async picture(kind: string): Promise<string | null> {
    const response = await get(`picture?kind=${kind}`);
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

  async post(): Promise<Response> {
    throw new Refused(0, "this page is a file: there is no engine behind it");
  }
}

/** The state inside an exported page, or the server. */
export function source(): Source {
  const kept = document.getElementById("state")?.textContent;
  return kept ? new Frozen(JSON.parse(kept) as Kept) : new Live();
}
