import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "rolldown";

/** What every command line needs, `--help` too. */
const ALWAYS = /\/src\/(cli\/(main|dispatch|help|print)|host\/version|channel\/ink)\.ts$/;

/** What only a question needs that is put to a person. */
const PROMPT =
  /\/src\/channel\/(?!ink|columns|screen|tty|yes-or-no)|\/src\/approval\/(present|diff-text|head|shown|structured-text|language|media-type)\.ts$|\/node_modules\/diff\//;

/**
 * The command line in few files: to read some 300 takes longer than all else that a short command does. The library is
 * left as the compiler makes it.
 */
export default defineConfig({
  input: "src/cli/main.ts",
  platform: "node",
  // Only probes need the one, and they are remembered; the other, only prompts that show a file.
  external: ["execa", /^sugar-high\//],
  output: {
    dir: "dist/cli",
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name].js",
    codeSplitting: {
      groups: [
        { name: "words", test: /\/src\/(cli\/print|channel\/ink)\.ts$/, priority: 1 },
        { name: "prompt", test: PROMPT, priority: 2 },
        { name: "commands", test: (file) => !ALWAYS.test(file) },
      ],
    },
  },
  plugins: [
    {
      name: "licences",
      generateBundle(_, bundle) {
        const files = Object.values(bundle).flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
        const folders = files.flatMap((file) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
        const texts = [...new Set(folders)].sort().map(licence);
        this.emitFile({ type: "asset", fileName: "LICENSES.txt", source: texts.join("\n\n") });
      },
    },
  ],
});

/** The licence of a package, which goes where its code goes. */
function licence(folder: string): string {
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${folder} has no licence file`);
  const name = folder.replace(/^.*\/node_modules\//, "");
  return `${name}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
