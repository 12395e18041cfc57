import type { Launcher } from "../../backend/facts.ts";
import { CofferdamError } from "../../errors.ts";
import type { Probe } from "../doctor.ts";
import type { Host } from "../host.ts";
import { findHelper } from "../launcher.ts";
import { assertEnterable } from "./launcher.ts";
import { listProcesses } from "./processes.ts";

/** Tries what calls behind rules take of the system, each by itself. */
export async function tryParts(host: Host, launcher: Launcher): Promise<readonly Probe[]> {
  return [
    await part("a sandbox, with no rules in it", () => assertEnterable(launcher)),
    await part("a list of processes", async () => {
      await listProcesses(findHelper(host, "ps", [], "it is part of macOS: use one that has it"));
    }),
  ];
}

async function part(name: string, attempt: () => Promise<void>): Promise<Probe> {
  try {
    await attempt();
    return { name, isNeeded: true, result: { kind: "works" } };
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    const failure = { cause: error.message, fix: error.hint ?? "" };
    return { name, isNeeded: true, result: { kind: "fails", failure } };
  }
}
