/** Colours and shapes of clusters: those of the pictures (Okabe and Ito, 2008), lighter on dark paper. */
export type Colour = [number, number, number];

const LIGHT: Colour[] = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [213, 94, 0], [204, 121, 167], [86, 180, 233], [70, 70, 70], [240, 228, 66],
];
const DARK: Colour[] = [
  [58, 155, 220], [240, 176, 40], [40, 190, 145], [235, 120, 40], [222, 150, 190], [130, 205, 245], [185, 185, 185], [240, 228, 66],
];
/** Of noise, and of what was left out. */
export const NOISE_SHAPE = 6;
export const N_SHAPES = 8;

/** What the notebook around says, or the system. */
export function isDark(): boolean {
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
  if (jpThemeLight !== undefined) return jpThemeLight === "false";
  if (vscodeThemeKind !== undefined) return !vscodeThemeKind.endsWith("light");
  if (document.body.classList.contains("dark")) return true;
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** The first 64 differ in shape or base colour, and every eight are darker, on dark paper paler. */
export function colourOf(label: number): Colour {
  const dark = isDark();
  if (label < 0) return dark ? [120, 124, 130] : [150, 150, 150];
  const palette = dark ? DARK : LIGHT;
  const base = palette[label % palette.length]!;
  const part = [1, 0.72, 0.5][Math.floor(label / palette.length) % 3]!;
  return base.map((value) => Math.round(dark ? 255 - (255 - value) * part : value * part)) as Colour;
}

export function shapeOf(label: number): number {
  return label < 0 ? NOISE_SHAPE : (label + Math.floor(label / LIGHT.length)) % N_SHAPES;
}

/** Corners around the middle for a radius of 1, y down; the circle has none. */
export const CORNERS: [number, number][][] = [
  [],
  [[0, -1.2], [1.08, 0.75], [-1.08, 0.75]],
  [[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
  [[0, -1.3], [1.05, 0], [0, 1.3], [-1.05, 0]],
  [[0, 1.2], [1.08, -0.75], [-1.08, -0.75]],
  [[-0.38, -1.15], [0.38, -1.15], [0.38, -0.38], [1.15, -0.38], [1.15, 0.38], [0.38, 0.38], [0.38, 1.15], [-0.38, 1.15], [-0.38, 0.38], [-1.15, 0.38], [-1.15, -0.38], [-0.38, -0.38]],
  [[0.54, -1.08], [1.08, -0.54], [0.54, 0], [1.08, 0.54], [0.54, 1.08], [0, 0.54], [-0.54, 1.08], [-1.08, 0.54], [-0.54, 0], [-1.08, -0.54], [-0.54, -1.08], [0, -0.54]],
  [[0, -1.4], [0.35, -0.49], [1.33, -0.43], [0.57, 0.19], [0.82, 1.13], [0, 0.6], [-0.82, 1.13], [-0.57, 0.19], [-1.33, -0.43], [-0.35, -0.49]],
];

/** Viridis (van der Walt and Smith, 2015), nine of its colours. */
const RAMP: Colour[] = [
  [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37],
];

export function ramp(part: number): Colour {
  const at = Math.min(Math.max(part, 0), 1) * (RAMP.length - 1);
  const low = Math.min(Math.floor(at), RAMP.length - 2);
  const [a, b] = [RAMP[low]!, RAMP[low + 1]!];
  return a.map((value, k) => Math.round(value + (b[k]! - value) * (at - low))) as Colour;
}

export function css([r, g, b]: Colour): string {
  return `rgb(${r} ${g} ${b})`;
}

/** A symbol as a small picture. */
export function symbol(label: number, size = 14): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "-1.5 -1.5 3 3");
  svg.setAttribute("width", String(size));
  svg.setAttribute("height", String(size));
  svg.setAttribute("aria-hidden", "true");
  const corners = CORNERS[shapeOf(label)]!;
  const shape = document.createElementNS(svg.namespaceURI, corners.length ? "polygon" : "circle") as SVGElement;
  if (corners.length) shape.setAttribute("points", corners.map((corner) => corner.join(",")).join(" "));
  else shape.setAttribute("r", "1");
  shape.setAttribute("fill", css(colourOf(label)));
  svg.append(shape);
  return svg;
}
