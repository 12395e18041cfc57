import { readFileSync } from "node:fs";

/** The package's version: `package.json` lies two folders above this file, in `src/` as in `dist/`. */
export function packageVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? "unknown";
}
