import { globSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type OutputOptions, type Plugin, type RolldownOptions } from "rolldown";

/** What every Node can parse: it looks whether the rest may be loaded. */
const FIRST = /\/src\/(cli\/main|host\/node-version)\.ts$/;

/** What every command line needs, `--help` too. */
const ALWAYS =
  /\/src\/(cli\/(start|signals|dispatch|help|print)|host\/(package-folder|look\/version)|channel\/ink)\.ts$/;

/** What only a question needs that is put to a person. */
const PROMPT =
  /\/src\/channel\/(?!at-terminal|columns|ink|screen|tty|yes-or-no)|\/src\/approval\/(present|diff-text|head|shown|structured-text|language|media-type)\.ts$|\/node_modules\/diff\//;

/** What only pages that are fetched and commands that reach hosts need: node's own HTTP and TLS are loaded with it. */
const NETWORK = /\/src\/(network\/|call\/way-out\.ts$)/;

/** The licences of all packages that a bundle holds, beside it. */
const licences: Plugin = {
  name: "licences",
  generateBundle(_, bundle) {
    const files = Object.values(bundle).flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
    const folders = files.flatMap((file) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
    const texts = [...new Set(folders)].sort().map(licence);
    this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: texts.join("\n\n") });
  },
};

/** The oldest Node of `engines` does not know `using`. */
const transform = { target: "es2024" } as const;

/** The worker is one file: that is all of the product that has to be seen within the walls. */
export const worker: RolldownOptions & { readonly output: OutputOptions } = {
  input: "src/worker/main.ts",
  platform: "node",
  transform,
  output: { dir: "dist/worker", format: "esm", entryFileNames: "[name].js", codeSplitting: false },
  plugins: [licences],
};

/** What the inbox looks like: of rules that are as good as each other the later one counts. */
const STYLES = ["colours", "base", "top", "lists", "request", "content", "answer", "aside", "narrow"];

/** The files of the inbox that are no code go where its code goes. */
const pageFiles: Plugin = {
  name: "page-files",
  generateBundle() {
    const read = (name: string): string => readFileSync(join(import.meta.dirname, "src/inbox", name), "utf8");
    for (const fileName of ["index.html", "icon.svg", "manifest.webmanifest"])
      this.emitFile({ type: "asset", fileName, source: read(fileName) });
    for (const fileName of ["icon-192.png", "icon-512.png", "icon-mask.png"]) {
      const source = readFileSync(join(import.meta.dirname, "src/inbox", fileName));
      this.emitFile({ type: "asset", fileName, source });
    }
    const style = STYLES.map((name) => read(`style/${name}.css`)).join("\n");
    this.emitFile({ type: "asset", fileName: "inbox.css", source: style });
  },
};

/** The inbox is a page: its code runs in browsers, and is one file. */
export const inbox: RolldownOptions & { readonly output: OutputOptions } = {
  input: { inbox: "src/inbox/main.ts" },
  platform: "browser",
  tsconfig: "src/inbox/tsconfig.json",
  transform: { target: "es2022" },
  output: { dir: "dist/inbox", format: "esm", entryFileNames: "[name].js", codeSplitting: false },
  plugins: [pageFiles],
};

/** The service worker of the page is a script of its own. */
export const notificationWorker: RolldownOptions & { readonly output: OutputOptions } = {
  ...inbox,
  input: { "notification-worker": "src/inbox/notification-worker.ts" },
  plugins: [],
};

/** What the tests start as processes of their own, as far from `package.json` as all else that is built. */
export const battery: RolldownOptions = {
  input: globSync(["test/support/{battery,mac,screen}/*driver.ts", "test/support/mac/compile-profile.ts"], {
    cwd: import.meta.dirname,
  }),
  platform: "node",
  transform,
  output: { dir: "dist/battery", format: "esm" },
};

/**
 * The command line in few files: to read some 300 takes longer than all else that a short command does. The library is
 * left as the compiler makes it.
 */
export default defineConfig([
  {
    input: "src/cli/main.ts",
    preserveEntrySignatures: "allow-extension",
    platform: "node",
    transform,
    // Only probes need the one, and they are remembered; another, only prompts that show a file; the rest is for those who
    // install it.
    external: [
      "execa",
      /^sugar-high\//,
      "pg",
      "grammy",
      /^hono($|\/)/,
      /^@hono\/node-server($|\/)/,
      /^@modelcontextprotocol\//,
    ],
    output: {
      dir: "dist/cli",
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name].js",
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [
          { name: "words", test: ALWAYS, priority: 1 },
          { name: "prompt", test: PROMPT, priority: 2 },
          { name: "network", test: NETWORK, priority: 3 },
          // It draws as the prompt does.
          { name: "answers", test: /\/src\/cli\/(commands\/approvals|approvals-\w+)\.ts$/, priority: 4 },
          // What needs packages that not every user has is loaded by those who ask for it.
          { name: "http", test: /\/src\/http\//, priority: 4 },
          { name: "mcp", test: /\/src\/(mcp\/|channel\/elicitation)/, priority: 4 },
          // It relays, and needs no package for that.
          { name: "wrap", test: /\/src\/(mcp\/(wrap\/|message-heads)|channel\/elicitation)/, priority: 5 },
          { name: "telegram", test: /\/src\/channel\/telegram[/.]/, priority: 4 },
          { name: "webhook", test: /\/src\/channel\/webhook[/.]/, priority: 4 },
          { name: "postgres", test: /\/src\/store\/postgres[/.]/, priority: 4 },
          { name: "commands", test: (file) => !ALWAYS.test(file) && !FIRST.test(file) },
        ],
      },
    },
    plugins: [licences],
  },
  inbox,
  notificationWorker,
  worker,
]);

/** The licence of a package, which goes where its code goes. */
function licence(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no licence file`);
  const name = folder.replace(/^.*\/node_modules\//, "");
  return `${name}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
