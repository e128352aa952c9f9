/** Colours of a column's values, and what they mean. */
import { digits, h } from "./dom";
import { type Colour, colourOf, css, ramp } from "./symbols";
import type { Column } from "./types";

/** Most words that a legend lists. */
const MOST_WORDS = 12;

function words(values: string[]): string[] {
  return [...new Set(values)].sort();
}

function range(values: Float32Array): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return [least, most];
}

/** A colour for each item. */
export function coloursOf(values: Column): Colour[] {
  if (Array.isArray(values)) {
    const own = new Map(words(values).map((word, at) => [word, colourOf(word ? at : -1)]));
    return values.map((value) => own.get(value)!);
  }
  const [least, most] = range(values);
  return Array.from(values, (value) => ramp((value - least) / (most - least || 1)));
}

/** The name of a column, and its words or its range. */
export function legendOf(name: string, values: Column): HTMLElement[] {
  if (Array.isArray(values)) {
    const listed = words(values).slice(0, MOST_WORDS).map((word, at) => {
      const dot = h("i");
      dot.style.background = css(colourOf(word ? at : -1));
      return h("span", {}, dot, word || "not known");
    });
    return [h("b", {}, name), ...listed];
  }
  const [least, most] = range(values);
  const strip = h("i", { class: "strip" });
  strip.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((part) => css(ramp(part))).join(",")})`;
  return [h("b", {}, name), h("span", {}, digits(least)), strip, h("span", {}, digits(most))];
}
