/** The card that asks whether two items share a cluster. */
import { digits, h } from "./dom";
import type { Page } from "./page";
import type { Question } from "./types";

export class Asker {
  readonly card = h("section", { class: "card ask" });
  question: Question | null = null;
  private asking = false;

  constructor(private page: Page) {}

  /** There is another answer: the next question is about that. */
  renew(): void {
    this.question = null;
    this.draw();
    if (this.asking) void this.ask();
  }

  /** Asks the engine for the pair that is worth most. */
  private async ask(): Promise<void> {
    this.asking = true;
    this.show(await this.page.from.question().catch(() => null));
  }

  reply(same: boolean): void {
    if (!this.question) return;
    this.page.send("correct", { kind: same ? "together" : "apart", items: this.question.items });
    this.show(null);
  }

  private show(question: Question | null): void {
    this.question = question;
    this.draw();
    this.page.drawMarks();
  }

  private draw(): void {
    const { question } = this;
    const start = h("button", { class: "primary", click: () => void this.ask() }, "Ask me");
    const done = h("button", { click: () => {
      this.asking = false;
      this.show(null);
    } }, "Enough");
    if (!question) {
      const words = this.asking ? "Thinking of the next pair, or nothing is left to ask." : "Answer yes or no about single pairs: the engine picks those that settle most.";
      this.card.replaceChildren(h("h2", {}, "Let it ask"), h("p", { class: "small" }, words), this.asking ? done : start);
      return;
    }
    const [a, b] = question.details;
    const rows = this.page.meta.columns.slice(0, 8).map((column, at) => h("tr", {}, h("th", {}, column), ...[a, b].map(({ values }) => h("td", {}, typeof values[at] === "number" ? digits(values[at]) : String(values[at] ?? "")))));
    this.card.replaceChildren(h("h2", {}, "Do A and B share a cluster?"),
      h("table", { class: "pair" }, h("tr", {}, h("th"), h("th", {}, `A: ${a.name}`), h("th", {}, `B: ${b.name}`)), ...rows),
      h("p", { class: "row" }, h("button", { class: "primary", click: () => this.reply(true) }, "Yes (Y)"), h("button", { class: "primary", click: () => this.reply(false) }, "No (N)"), done),
      h("p", { class: "small" }, `Together with probability ${question.together.toFixed(2)}; ${question.n_pairs.toLocaleString("en")} pairs hang on it${question.distance === null ? "" : `; distance ${digits(question.distance)}`}.`));
  }
}
