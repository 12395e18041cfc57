import { randomUUID } from "node:crypto";
import { FactsMemory, type MachineFacts } from "../../../src/host/launch/facts.ts";
import { Ledger } from "../../../src/host/launch/ledger.ts";
import { inspectMachine } from "../../../src/host/launch/machine.ts";
import { lookAtSurroundings, type Surroundings } from "../../../src/host/launch/surroundings.ts";
import type { Host } from "../../../src/host/look/host.ts";
import { OUTSIDE } from "../../../src/host/look/outside.ts";
import { siteOutside } from "../../../src/host/look/runtimes/site.ts";
import { systemRuntime } from "../../../src/host/look/runtimes/system.ts";
import { type AbsolutePath, joinPath, knownPath } from "../../../src/profile/path.ts";
import type { Runtime } from "../../../src/tool/facts.ts";
import { NOT_INSTALLED } from "../not-installed.ts";

/** Everything that stays the same while one process tries many sandboxes. */
export interface Stage extends Disposable {
  readonly host: Host;
  readonly standing: MachineFacts;
  readonly runAs: { readonly uid: number; readonly gid: number } | null;
  /** To whom trees belong: whom sandboxes run as. */
  readonly owner: { readonly uid: number; readonly gid: number };
  readonly system: Runtime;
  readonly surroundings: Surroundings;
  readonly memory: FactsMemory;
  readonly ledger: Ledger;
  /** Folders in which trees grow, in turn. */
  readonly places: readonly AbsolutePath[];
  /** So many mounts fewer than it would have a plan may have, where folders can be closed for that; left out: none. */
  readonly sparedMounts?: number;
  /** True in a mount namespace of its own, where nobody else sees what is mounted. */
  readonly canMount: boolean;
}

/**
 * Makes this process a supervisor. Sandboxes run as the owner of the places. The user needs no account: nothing here
 * asks the user database.
 */
export async function setStage(
  places: readonly AbsolutePath[],
  stateFolder: AbsolutePath,
  canMount: boolean,
): Promise<Stage> {
  const host = hostWith(stateFolder);
  const system = systemRuntime(siteOutside(host, places));
  const roots = places.map(
    (path) =>
      ({
        name: "place",
        path,
        mode: "rw",
        suffixes: "any",
        writeApproval: false,
        readApproval: false,
        at: null,
      }) as const,
  );
  const { facts, runAs } = await inspectMachine(host, roots, [system]);
  const surroundings = await lookAtSurroundings(facts.launcher.shell);
  return {
    host,
    standing: facts,
    runAs,
    owner: facts.user,
    system,
    surroundings,
    memory: new FactsMemory(),
    ledger: new Ledger(joinPath(stateFolder, "cofferdam")),
    places,
    canMount,
    [Symbol.dispose]: () => surroundings[Symbol.dispose](),
  };
}

function hostWith(stateFolder: AbsolutePath): Host {
  const { arch, getuid, getgid } = process;
  if ((arch !== "x64" && arch !== "arm64") || getuid === undefined || getgid === undefined)
    throw new Error(`there is no sandbox on ${arch}`);
  return {
    platform: "linux",
    arch,
    user: { uid: getuid(), gid: getgid(), name: "tester", home: stateFolder },
    env: {},
    cwd: stateFolder,
    stateFolder: joinPath(stateFolder, "cofferdam"),
    operatorFolders: [],
    helperFolders: ["/usr/bin", "/bin"].map(knownPath),
    simulated: null,
    outside: OUTSIDE,
    nameFiles: () => ({ hosts: null, resolver: null }),
    installation: () => NOT_INSTALLED,
    now: Date.now,
    id: randomUUID,
  };
}
