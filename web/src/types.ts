/** What the server sends; the names are those of the Rust side. */
export interface Meta {
  name: string;
  version: string;
  n_items: number;
  input: string;
  described: string;
  columns: string[];
  n_numbers: number;
  metrics: string[];
  axes: string[];
  note: string;
  pictures: string[];
  captions: string[];
  parquet: boolean;
  named: boolean;
}

export interface Choices {
  n_clusters: string;
  model: string;
  metric: string | null;
  noise: string;
}

export interface Running {
  phase: string;
  fraction: number;
  log_joint: number | null;
  seconds: number;
  stopping: boolean;
}

export interface Problem {
  message: string;
  chain: number[];
  names: string[];
}

export interface State {
  version: number;
  choices: Choices;
  fits: boolean;
  running: Running | null;
  answer: number | null;
  problem: Problem | null;
  n_corrections: number;
  n_undone: number;
  edition: number;
  saved: string;
  ended: boolean;
}

export interface Cluster {
  number: number;
  name: string | null;
  size: number;
  scale: number | null;
  medoid: number;
  medoid_name: string;
}

export interface Rival {
  name: string;
  behind: number;
  agreement: number;
  n_clusters: number;
}

export interface AnswerHead {
  number: number;
  model: string;
  clusters: Cluster[];
  n_noise: number;
  /** Number of clusters, score, probability, whether it was searched. */
  numbers: [number, number, number, boolean][];
  rivals: Rival[];
  lines: string[];
  warnings: string[];
  ended: string;
  cut_short: boolean;
  seconds: number;
  choices: Choices;
}

export interface Answer {
  head: AnswerHead;
  /** The cluster of each item, -1 for none. */
  labels: Int32Array;
  /** Pairs of items. */
  links: Uint32Array;
}

/** Nested partitions: the part of each item in the finest, -1 for none, and which parts each merger joins. */
export interface Levels {
  n_given: number;
  n_finest: number;
  scores: number[];
  mergers: [number, number][];
  finest: Int32Array;
}

/** How probable it is that items share a cluster: items in the order of the rows, cells in thousandths. */
export interface Together {
  n_cells: number;
  items: Uint32Array;
  cells: Int32Array;
}

/** Links by how probable they are, the most probable first. */
export interface LikelyLinks {
  ends: Uint32Array;
  probabilities: Float32Array;
}

export interface Corrections {
  labels: [number, string][];
  must_link: [number, number][];
  cannot_link: [number, number][];
  noise: number[];
  only: number[] | null;
}

export interface Details {
  item: number;
  name: string;
  values: (number | string)[];
}

export interface Question {
  items: [number, number];
  details: [Details, Details];
  together: number;
  n_pairs: number;
  distance: number | null;
}

export interface Recipe {
  shell: string;
  python: string;
}

export type Column = Float32Array | string[];
