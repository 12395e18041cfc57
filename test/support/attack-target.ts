import type { AttackTarget } from "../../src/attacks/attack.ts";
import { absolutePath } from "../../src/profile/path.ts";

const at = (name: string) => absolutePath(`/top/${name}`);

/** What attacks speak of where nobody runs them: their titles are the same wherever the folders are. */
export const SOME_TARGET: AttackTarget = {
  ...{ ws: at("ws"), docs: at("docs"), notes: at("notes"), outside: at("outside"), home: at("home") },
  ...{ pid: 1, comm: "sh", neighbour: 1, port: 1, abstract: "a", word: "w" },
  ...{ shell: "/bin/sh", arch: "x64" },
};
