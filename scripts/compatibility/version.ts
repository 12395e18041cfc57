import { spawnSync } from "node:child_process";
import type { Row } from "./row.ts";

/** How programs are asked that do not know `--version`. */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  go: ["go", "version"],
  openssl: ["openssl", "version"],
  "ssh-keygen": ["ssh", "-V"],
  tmux: ["tmux", "-V"],
  ping: ["ping", "-V"],
  ar: ["ar", "V"],
};

/** The version of the row's tool; empty where it tells none. */
export function versionOf({ needs: [program], packages: [first] = [] }: Row, path: string): string {
  if (first !== undefined) return first.slice(first.lastIndexOf("@") + 1);
  const [name = program, ...words] = ASKED[program] ?? [program, "--version"];
  // Java would leave a folder of figures in `/tmp`, and says which options it has.
  const env = { PATH: path, JAVA_TOOL_OPTIONS: "-XX:-UsePerfData" };
  const { stdout, stderr } = spawnSync(name, words, { env, encoding: "utf8", timeout: 20_000 });
  return /\d+(\.\d+)+[\w.]*|\d{8}/.exec(`${stdout}${stderr.replace(/^Picked up .*/m, "")}`)?.[0] ?? "";
}
