import {
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import type { Need } from "../../attacks/attack.ts";
import { joinPath, knownPath } from "../../profile/path.ts";
import type { Host } from "../look/host.ts";
import { canAccess } from "../look/nodes.ts";
import { coversLinks } from "./covers-links.ts";
import type { MachineFacts } from "./facts.ts";
import { sweepUnfinished } from "./lock.ts";
import type { AttackPlace } from "./platform-parts.ts";
import { printProcess, thisProcess } from "./process-id.ts";
import { hasShelter } from "./shelter.ts";

const CANARY = "secret\n";

/** Works beside a file in the state folder that no sandbox is granted. Controls are looked at, not run: see `Need`. */
export async function inAttackPlace<Value>(
  host: Host,
  machine: MachineFacts,
  _: unknown,
  work: (place: AttackPlace) => Promise<Value>,
): Promise<Value> {
  mkdirSync(host.stateFolder, { recursive: true, mode: 0o700 });
  // A check that is killed here keeps no result: the next one comes here too, and finds what was left.
  sweepUnfinished(joinPath(host.stateFolder, "attest"));
  const own = joinPath(host.stateFolder, `attest.${printProcess(thisProcess())}`);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  const folder = knownPath(mkdtempSync(joinPath(own, "canary-")));
  const canary = joinPath(folder, "canary");
  try {
    writeFileSync(canary, CANARY);
    return await work({
      target: {
        ...{ outside: folder, ws: folder, shell: machine.launcher.shell },
        ...{ pid: process.pid, comm: commOf(), neighbour: 0, port: 0 },
      },
      tryControls: async (attacks) => attacks.map(({ atStart: { needs } }) => needs === null || isMet(needs)),
      tryFeatures: async () => {
        const [isSheltered, isCovering] = await Promise.all([
          hasShelter(machine, folder),
          coversLinks(host, machine, folder),
        ]);
        return { hasShelter: isSheltered, coversLinks: isCovering };
      },
      isTouched: () => readFileSync(canary, "utf8") !== CANARY,
    });
  } finally {
    rmSync(folder, { recursive: true });
    if (readdirSync(own).length === 0) rmdirSync(own);
  }
}

function isMet([kind, what]: Need): boolean {
  switch (kind) {
    case "readable":
      return canAccess(what, constants.R_OK);
    case "writable":
      return canAccess(what, constants.W_OK);
    case "owned":
      return statSync(what).uid === process.getuid?.();
    case "program":
      return existsSync(`/usr/bin/${what}`) || existsSync(`/bin/${what}`);
  }
}

function commOf(): string {
  return readFileSync("/proc/self/comm", "utf8")
    .trim()
    .replace(/[^\w.-]/g, "");
}
