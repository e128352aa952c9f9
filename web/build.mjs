// Builds the page into the files that the command embeds; with --check only compares them with what the sources give.
import { build } from "esbuild";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "../crates/similis-cli/assets/web");
const settings = {
  outdir: target,
  bundle: true,
  minify: true,
  target: ["es2022"],
  charset: "utf8",
  legalComments: "none",
  write: false,
  logLevel: "warning",
};
const page = await build({ ...settings, entryPoints: [join(here, "src/main.ts"), join(here, "src/app.css")], entryNames: "app", format: "iife" });
// The style is a text inside the notebook's module, without the line breaks that only people need.
const plain = { name: "style", setup: ({ onLoad }) => onLoad({ filter: /\.css$/ }, ({ path }) => ({ contents: readFileSync(path, "utf8").replaceAll(/\n\s*/g, " "), loader: "text" })) };
const widget = await build({ ...settings, entryPoints: [join(here, "src/widget.ts")], entryNames: "widget", format: "esm", plugins: [plain] });
const built = { outputFiles: [...page.outputFiles, ...widget.outputFiles] };
// A closing tag inside the script would end it where the page is one file.
const files = built.outputFiles.map(({ path, text }) => [path, text.replaceAll("</script", "<\\/script")]);
files.push([join(target, "index.html"), readFileSync(join(here, "index.html"), "utf8")]);
let wrong = 0;
let size = 0;
for (const [path, text] of files) {
  size += gzipSync(text).length;
  if (!process.argv.includes("--check")) writeFileSync(path, text);
  else if (readFileSync(path, "utf8") !== text) {
    console.error(`${path} is not what web/ gives: run make web`);
    wrong += 1;
  }
}
console.log(`${files.length} files, ${size} bytes gzipped`);
process.exit(wrong ? 1 : 0);
