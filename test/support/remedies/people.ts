import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "../../unit/config/machine.ts";
import { checkoutFor, compileCacheFor, ORDINARY } from "../battery/people.ts";
import type { Situation } from "./row.ts";

/** How the command is started: as an ordinary user in their project, with nothing but these variables beside HOME and PATH. */
interface Started {
  readonly cwd?: string;
  readonly env?: (at: Machine) => Readonly<Record<string, string>>;
  /** What the machine's files are like, beside that all of them are the user's. */
  readonly prepare?: (at: Machine) => void;
}

/** A command of `cofferdam` as somebody runs it who is not root: what it tells to do, or its last words where it fails without. */
export const asSomebody =
  (words: readonly string[], { cwd = "home/ann/project", env, prepare }: Started = {}): Situation =>
  (at) => {
    prepare?.(at);
    give(at.folder);
    const { node, folder } = checkoutFor(ORDINARY);
    const { status, stdout, stderr } = spawnSync(node, [join(folder, "dist/cli/main.js"), ...words], {
      cwd: at.at(cwd),
      encoding: "utf8",
      env: {
        PATH: "/usr/bin:/bin",
        HOME: at.home,
        NODE_COMPILE_CACHE: compileCacheFor(ORDINARY),
        ...env?.(at),
      },
      ...ORDINARY.runAs,
    });
    const said = `${stdout}${stderr}`;
    const remedies = [...said.matchAll(/^ {2}do: (.*)$/gm)].map(([, remedy = ""]) => remedy);
    return status !== 0 && remedies.length === 0 ? [`ended with ${status}: ${said.slice(-500)}`] : remedies;
  };

/** Makes all of a folder the user's. */
function give(folder: string): void {
  const { uid, gid } = ORDINARY.runAs;
  if (uid === undefined || gid === undefined) return;
  for (const name of ["", ...readdirSync(folder, { recursive: true, encoding: "utf8" })]) {
    const path = join(folder, name);
    if (name === "") chmodSync(path, 0o755);
    if (!lstatSync(path).isSymbolicLink()) chownSync(path, uid, gid);
  }
}
