import { describe, expect, it } from "vitest";
import { knownPath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { AT_START, configOf, may, ROOTS } from "../support/live/changes.ts";
import { LiveProject } from "../support/live/project.ts";
import { seeded } from "../support/live/random.ts";
import { type MakeProbe, PROBE, streamOfCalls } from "../support/live/stream.ts";

sandboxMustWork("a stream of calls while the config changes");

/** A project whose config allows everything at first. */
function begun(): LiveProject {
  const project = new LiveProject();
  for (const name of ["base", ...ROOTS]) project.folder(name);
  project.apply(configOf({ roots: ROOTS, runs: true }));
  return project;
}

async function probeOf(project: LiveProject): Promise<{ probe: MakeProbe; close: () => Promise<void> }> {
  const supervisor = await project.supervisor();
  const session = supervisor.session();
  const cwd = knownPath(`${project.place.ws}/base`);
  const probe: MakeProbe = async () => {
    try {
      const outcome = await session.call("shell", { argv: ["sh", "-c", PROBE], cwd });
      return "stdout" in outcome && outcome.kind === "done" ? outcome.stdout.bytes.toString() : null;
    } catch {
      return null;
    }
  };
  return { probe, close: () => supervisor.close() };
}

describe.skipIf(unusable !== null)(
  "config.live: a stream of calls while config, profile and trust change",
  () => {
    it("no call runs under something wider than what was in force, at 60 changes", {
      timeout: 900_000,
    }, async () => {
      using project = begun();
      const { probe, close } = await probeOf(project);
      const result = await streamOfCalls({ project, probe, changes: 60, random: seeded(1) });
      await close();
      expect(result.tooWide).toEqual([]);
      // The control: calls do run, and write.
      expect(result.calls).toBeGreaterThan(5);
      expect(result.wrote).toBeGreaterThan(0);
    });

    it("a server that looks at its config only once is found out", { timeout: 600_000 }, async () => {
      using project = begun();
      const { probe: real, close } = await probeOf(project);
      // As if the first look had been the last: the program runs and writes everything.
      const stale: MakeProbe = async () => {
        await real();
        return `${BigInt(Date.now()) * 1_000_000n}\n${ROOTS.join("\n")}\n`;
      };
      const result = await streamOfCalls({ project, probe: stale, changes: 30, random: seeded(2) });
      await close();
      expect(may(AT_START)).toEqual([...ROOTS]);
      expect(result.tooWide).not.toEqual([]);
    });
  },
);
