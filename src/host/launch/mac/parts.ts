import type { Launcher } from "../../../backend/facts.ts";
import { CofferdamError } from "../../../errors.ts";
import type { Host } from "../../look/host.ts";
import type { SandboxProbe } from "../doctor.ts";
import { findHelper } from "../launcher.ts";
import { assertEnterable } from "./launcher.ts";
import { listProcesses } from "./processes.ts";

/** Tries each system feature that sandboxed calls need, one at a time. */
export async function tryParts(host: Host, launcher: Launcher): Promise<readonly SandboxProbe[]> {
  return [
    await part("a sandbox without rules", () => assertEnterable(launcher)),
    await part("a list of processes", async () => {
      await listProcesses(findHelper(host, "ps", [], "it is part of macOS: use a macOS that has it"));
    }),
  ];
}

async function part(name: string, attempt: () => Promise<void>): Promise<SandboxProbe> {
  try {
    await attempt();
    return { name, isNeeded: true, result: { kind: "works" } };
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    const failure = { cause: error.message, fix: error.hint ?? "" };
    return { name, isNeeded: true, result: { kind: "fails", failure } };
  }
}
