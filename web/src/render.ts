/** What a renderer draws, and the three of them: WebGL2, Canvas 2-d, a picture. */
import { CORNERS, css, isDark } from "./symbols";

/** What lies where, and how it looks. */
export interface Scene {
  /** x and y of each item in turn, from -1 to 1, y up. */
  places: Float32Array;
  /** Red, green, blue and shape of each item. */
  styles: Uint8Array;
  /** Bits of each item: see below. */
  flags: Uint8Array;
  /** Pairs of items that are joined. */
  links: Uint32Array;
  /** Which of them are drawn how dark. */
  bands: Band[];
  showLinks: boolean;
}

/** Some of the links, by their places in the list of ends, and how dark they are: from 0 to 1. */
export interface Band {
  from: number;
  to: number;
  ink: number;
}

export const SELECTED = 1;
export const DIMMED = 2;
export const UNSURE = 4;

export interface Camera {
  x: number;
  y: number;
  /** Pixels per unit. */
  scale: number;
}

export interface Size {
  width: number;
  height: number;
  ratio: number;
}

export interface Renderer {
  name: string;
  /** What is not shown, in words; nothing where all is. */
  limit: string;
  /** The scene has changed: what, so that only that is sent. */
  update(what: "places" | "styles" | "flags" | "links"): void;
  draw(camera: Camera, size: Size, radius: number): void;
  /** Waits until all is drawn. */
  finish(): void;
}

const VERTEX = `#version 300 es
layout(location = 0) in vec2 place;
layout(location = 1) in vec4 style;
layout(location = 2) in uint flags;
uniform vec4 view;
uniform float size;
uniform int pass_;
out vec3 colour;
flat out int shape;
flat out uint bits;
out float grown;
void main() {
  gl_Position = vec4(place * view.xy + view.zw, 0.0, 1.0);
  bool marked = (flags & 5u) != 0u;
  // The second pass draws what is marked, over the rest.
  if (pass_ == 1 && !marked) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  grown = marked ? 2.0 : 1.0;
  gl_PointSize = size * 1.45 * grown;
  colour = style.rgb;
  shape = int(style.a * 255.0 + 0.5);
  bits = flags;
}`;

/** Symbols of a few pixels are squares: there is no room for a shape, and a million of them are drawn fast. */
const SMALL_FRAGMENT = `#version 300 es
precision mediump float;
in vec3 colour;
flat in uint bits;
in float grown;
uniform vec3 ink;
out vec4 result;
void main() {
  bool marked = (bits & 5u) != 0u;
  float alpha = (bits & 2u) != 0u ? 0.12 : 0.85;
  result = vec4((marked ? ink : colour) * alpha, alpha);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 colour;
flat in int shape;
flat in uint bits;
in float grown;
uniform float size;
uniform vec3 ink;
out vec4 result;
float star(vec2 p) {
  const vec2 k1 = vec2(0.809016994375, -0.587785252292);
  const vec2 k2 = vec2(-k1.x, k1.y);
  p.x = abs(p.x);
  p -= 2.0 * max(dot(k1, p), 0.0) * k1;
  p -= 2.0 * max(dot(k2, p), 0.0) * k2;
  p.x = abs(p.x);
  p.y -= 1.4;
  vec2 ba = 0.43 * vec2(-k1.y, k1.x) * 1.4 - vec2(0.0, 1.4) * 0.43;
  float t = clamp(dot(p, ba) / dot(ba, ba), 0.0, 1.4);
  return length(p - ba * t) * sign(p.y * ba.x - p.x * ba.y);
}
float away(vec2 p) {
  vec2 a = abs(p);
  if (shape == 1) return max(p.y - 0.75, 0.875 * a.x - 0.4845 * p.y - 0.5814);
  if (shape == 2) return max(a.x, a.y) - 0.88;
  if (shape == 3) return (a.x / 1.05 + a.y / 1.3 - 1.0) * 0.82;
  if (shape == 4) return max(-p.y - 0.75, 0.875 * a.x + 0.4845 * p.y - 0.5814);
  if (shape == 6) { p = vec2(p.x + p.y, p.y - p.x) * 0.7071; a = abs(p); }
  if (shape == 5 || shape == 6) return min(max(a.x - 0.38, a.y - 1.15), max(a.x - 1.15, a.y - 0.38));
  if (shape == 7) return star(vec2(p.x, -p.y));
  return length(p) - 1.0;
}
void main() {
  // In radii of the symbol.
  vec2 p = (gl_PointCoord * 2.0 - 1.0) * 1.45 * grown;
  float pixel = 2.0 / size;
  float d = size < 5.0 ? length(p) - 1.0 : away(p);
  float inside = clamp(0.5 - d / pixel, 0.0, 1.0);
  vec3 paint = size < 7.0 ? colour : mix(colour * 0.6, colour, clamp(-d / pixel - 0.6, 0.0, 1.0));
  float alpha = inside * ((bits & 2u) != 0u ? 0.12 : 0.9);
  vec4 own = vec4(paint * alpha, alpha);
  if ((bits & 5u) != 0u) {
    bool selected = (bits & 1u) != 0u;
    float ring = abs(length(p) - 1.95) - (selected ? 0.2 : 0.1);
    float line = clamp(0.5 - ring / pixel, 0.0, 1.0) * ((bits & 2u) != 0u ? 0.2 : 1.0);
    own = own * (1.0 - line) + vec4(ink * line, line);
  }
  if (own.a < 0.004) discard;
  result = own;
}`;

const LINE_VERTEX = `#version 300 es
layout(location = 0) in vec2 place;
uniform vec4 view;
uniform vec2 pixels;
flat out vec2 from;
out vec2 here;
void main() {
  gl_Position = vec4(place * view.xy + view.zw, 0.0, 1.0);
  here = gl_Position.xy * pixels;
  from = here;
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
flat in vec2 from;
in vec2 here;
uniform vec4 ink;
uniform float dot_;
out vec4 result;
void main() {
  if (fract(distance(from, here) / dot_) > 0.5) discard;
  result = ink;
}`;

function program(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram | null {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
    const shader = gl.createShader(kind);
    if (!shader) return null;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  return gl.getProgramParameter(made, gl.LINK_STATUS) ? made : null;
}

class WebGL implements Renderer {
  name = "WebGL2";
  limit = "";
  private buffers: Record<"places" | "styles" | "flags" | "links", WebGLBuffer>;
  private array: WebGLVertexArrayObject;

  constructor(
    private scene: Scene,
    private canvas: HTMLCanvasElement,
    private gl: WebGL2RenderingContext,
    private points: WebGLProgram,
    private lines: WebGLProgram,
    private small: WebGLProgram,
  ) {
    this.buffers = { places: gl.createBuffer(), styles: gl.createBuffer(), flags: gl.createBuffer(), links: gl.createBuffer() };
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.places);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.styles);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers.flags);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_BYTE, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.buffers.links);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    for (const what of ["places", "styles", "flags", "links"] as const) this.update(what);
  }

  update(what: "places" | "styles" | "flags" | "links"): void {
    const { gl } = this;
    gl.bindVertexArray(this.array);
    const target = what === "links" ? gl.ELEMENT_ARRAY_BUFFER : gl.ARRAY_BUFFER;
    gl.bindBuffer(target, this.buffers[what]);
    gl.bufferData(target, this.scene[what], gl.DYNAMIC_DRAW);
  }

  draw(camera: Camera, size: Size, radius: number): void {
    const { gl, scene, canvas } = this;
    const [width, height] = [Math.round(size.width * size.ratio), Math.round(size.height * size.ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    const [sx, sy] = [(2 * camera.scale) / size.width, (2 * camera.scale) / size.height];
    const view: [number, number, number, number] = [sx, sy, -camera.x * sx, -camera.y * sy];
    const dark = isDark();
    const set = (own: WebGLProgram, name: string) => gl.getUniformLocation(own, name);
    if (scene.showLinks && scene.links.length) {
      const thin = scene.links.length > 40_000 ? 0.25 : 0.6;
      gl.useProgram(this.lines);
      gl.uniform4f(set(this.lines, "view"), ...view);
      gl.uniform2f(set(this.lines, "pixels"), width / 2, height / 2);
      gl.uniform1f(set(this.lines, "dot_"), 4 * size.ratio);
      for (const band of scene.bands) {
        const alpha = thin * band.ink;
        const ink = (dark ? 0.75 : 0.3) * alpha;
        gl.uniform4f(set(this.lines, "ink"), ink, ink, ink, alpha);
        gl.drawElements(gl.LINES, band.to - band.from, gl.UNSIGNED_INT, 4 * band.from);
      }
    }
    const pixels = 2 * radius * size.ratio;
    const points = pixels < 4 ? this.small : this.points;
    gl.useProgram(points);
    gl.uniform4f(set(points, "view"), ...view);
    gl.uniform1f(set(points, "size"), pixels < 4 ? pixels / 1.45 : pixels);
    gl.uniform3f(set(points, "ink"), ...((dark ? [0.95, 0.95, 0.95] : [0.1, 0.1, 0.1]) as [number, number, number]));
    const marked = scene.flags.some((bits) => (bits & (SELECTED | UNSURE)) !== 0);
    for (const pass of marked ? [0, 1] : [0]) {
      gl.uniform1i(set(points, "pass_"), pass);
      gl.drawArrays(gl.POINTS, 0, scene.places.length / 2);
    }
  }

  finish(): void {
    this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4));
  }
}

/** Most items that Canvas 2-d draws in a frame: of more an even selection. */
const MOST_ON_CANVAS = 20_000;

class Canvas implements Renderer {
  name = "Canvas 2-d";
  limit = "";
  private step: number;

  constructor(
    private scene: Scene,
    private canvas: HTMLCanvasElement,
    private context: CanvasRenderingContext2D,
  ) {
    const n = scene.places.length / 2;
    this.step = Math.max(1, Math.ceil(n / MOST_ON_CANVAS));
    if (this.step > 1) this.limit = `one item in ${this.step} is drawn`;
  }

  update(): void {}
  finish(): void {
    this.context.getImageData(0, 0, 1, 1);
  }

  draw(camera: Camera, size: Size, radius: number): void {
    const { context, scene, canvas } = this;
    const [width, height] = [Math.round(size.width * size.ratio), Math.round(size.height * size.ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    const x = (i: number) => size.width / 2 + (scene.places[2 * i]! - camera.x) * camera.scale;
    const y = (i: number) => size.height / 2 - (scene.places[2 * i + 1]! - camera.y) * camera.scale;
    if (scene.showLinks) this.lines(x, y);
    const ink = isDark() ? "#f2f2f2" : "#1a1a1a";
    for (let i = 0; i < scene.places.length / 2; i += this.step) {
      const [px, py, bits] = [x(i), y(i), scene.flags[i]!];
      if (px < -20 || py < -20 || px > size.width + 20 || py > size.height + 20) continue;
      context.globalAlpha = bits & DIMMED ? 0.12 : 0.9;
      const style = scene.styles.subarray(4 * i, 4 * i + 4);
      context.fillStyle = css([style[0]!, style[1]!, style[2]!]);
      this.shape(px, py, radius, style[3]!);
      context.fill();
      if (bits & (SELECTED | UNSURE)) {
        context.globalAlpha = 1;
        context.strokeStyle = ink;
        context.lineWidth = bits & SELECTED ? 2 : 1;
        context.beginPath();
        context.arc(px, py, radius * 1.95, 0, 7);
        context.stroke();
      }
    }
    context.globalAlpha = 1;
  }

  private lines(x: (i: number) => number, y: (i: number) => number): void {
    const { context, scene } = this;
    context.strokeStyle = isDark() ? "#c0c0c0" : "#4c4c4c";
    context.lineWidth = 1;
    context.setLineDash([2, 2]);
    for (const { from, to, ink } of scene.bands) {
      context.globalAlpha = 0.6 * ink;
      context.beginPath();
      for (let k = from; k < Math.min(to, 2 * MOST_ON_CANVAS); k += 2) {
        context.moveTo(x(scene.links[k]!), y(scene.links[k]!));
        context.lineTo(x(scene.links[k + 1]!), y(scene.links[k + 1]!));
      }
      context.stroke();
    }
    context.setLineDash([]);
  }

  private shape(x: number, y: number, radius: number, shape: number): void {
    const { context } = this;
    context.beginPath();
    const corners = radius < 2.5 ? [] : CORNERS[shape]!;
    if (!corners.length) context.arc(x, y, radius, 0, 7);
    else corners.forEach(([a, b], k) => (k ? context.lineTo(x + a * radius, y + b * radius) : context.moveTo(x + a * radius, y + b * radius)));
    context.closePath();
  }
}

/** Nothing can be drawn on: the engine's own picture stands in the page. */
class Picture implements Renderer {
  name = "picture";
  limit = "this browser draws nothing by itself: the map is a picture, which cannot be zoomed or selected in";
  update(): void {}
  draw(): void {}
  finish(): void {}
}

/** The best renderer that this browser has. */
export function renderer(scene: Scene, canvas: HTMLCanvasElement): Renderer {
  const gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true, preserveDrawingBuffer: true });
  if (gl) {
    const [points, lines, small] = [program(gl, VERTEX, FRAGMENT), program(gl, LINE_VERTEX, LINE_FRAGMENT), program(gl, VERTEX, SMALL_FRAGMENT)];
    if (points && lines && small) return new WebGL(scene, canvas, gl, points, lines, small);
  }
  // A canvas that has tried one kind of drawing has no other.
  const fresh = gl ? (canvas.cloneNode() as HTMLCanvasElement) : canvas;
  if (gl) canvas.replaceWith(fresh);
  const context = fresh.getContext("2d");
  return context ? new Canvas(scene, fresh, context) : new Picture();
}
