/** The page of the server, and the page that is a file. */
import { alone } from "./frame";
import { h } from "./dom";
import { Page } from "./page";
import { Live, post, Refused, source } from "./source";

/** Swaps the token of the link for a cookie, and takes it out of the address. */
async function enter(): Promise<void> {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (!token) return;
  history.replaceState(null, "", location.pathname);
  await post("session", { token }).catch((error: unknown) => {
    // A page that is open already has its cookie.
    if (!(error instanceof Refused)) throw error;
  });
}

async function main(): Promise<void> {
  const from = source();
  const frame = alone();
  try {
    if (from instanceof Live) await enter();
    const [meta, places] = await Promise.all([from.meta(), from.places()]);
    document.title = `${meta.name} \u2013 similis`;
    const page = new Page(from, meta, places, frame);
    Object.assign(window, { similis: page });
    document.documentElement.dataset["ready"] = String(Math.round(performance.now()));
    await page.follow();
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    frame.root.replaceChildren(h("main", { class: "locked" }, h("h1", {}, "similis"), h("p", {}, words)));
  }
}

void main();
