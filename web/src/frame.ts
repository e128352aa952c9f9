/** Where the page stands: alone in a window, or inside another page such as a notebook. */
import { h } from "./dom";
import { isDark } from "./symbols";

export interface Frame {
  /** What holds the page's elements. */
  root: HTMLElement;
  /** What says how the page is, in its `data-` attributes. */
  host: HTMLElement;
  /** Where keys are heard. */
  keys: EventTarget;
  /** Whether there is something around it. */
  inside: boolean;
}

/** The whole window. */
export function alone(): Frame {
  const root = h("div", { class: "page" });
  document.body.replaceChildren(h("div", { class: "similis" }, root));
  const host = document.documentElement;
  dress(host);
  return { root, host, keys: document, inside: false };
}

/** An element of another page, whose styles and ours do not meet. */
export function within(element: HTMLElement, style: string): Frame {
  const shadow = element.attachShadow({ mode: "open" });
  const root = h("div", { class: "page" });
  const host = h("div", { class: "similis widget" }, root);
  const sheet = h("style");
  sheet.textContent = style;
  shadow.replaceChildren(sheet, host);
  // JupyterLab's shortcuts would take single keys.
  element.dataset["lmSuppressShortcuts"] = "true";
  dress(host);
  return { root, host, keys: host, inside: true };
}

function dress(host: HTMLElement): void {
  const own = host.querySelector(".similis") ?? host;
  const set = () => [host, own].forEach((element) => element.classList.toggle("dark", isDark()));
  set();
  onTheme(set);
}

/** Calls whenever light becomes dark or dark light; returns what ends that. */
export function onTheme(change: () => void): () => void {
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", change);
  const around = new MutationObserver(change);
  around.observe(document.body, { attributes: true, attributeFilter: ["class", "data-jp-theme-light", "data-vscode-theme-kind"] });
  return () => {
    media.removeEventListener("change", change);
    around.disconnect();
  };
}
