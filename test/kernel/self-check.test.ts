import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTableId } from "../../src/attacks/at-start.ts";
import { lookAtMachine } from "../../src/host/launch/machine.ts";
import { platformOf } from "../../src/host/launch/platform.ts";
import { failures, selfCheck } from "../../src/host/launch/self-check.ts";
import { makeStateFolder } from "../../src/host/launch/state-folder.ts";
import { type Host, thisHost } from "../../src/host/look/host.ts";
import { findRuntimes } from "../../src/host/look/runtimes.ts";
import { knownPath } from "../../src/profile/path.ts";
import type { Runtime } from "../../src/tool/facts.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";

sandboxMustWork("the self-check");

let folder: string;
let host: Host;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "cofferdam-check-"));
  host = { ...thisHost({ operatorFolders: [] }), stateFolder: knownPath(join(folder, "state")) };
  makeStateFolder(host);
  await platformOf(host).prepare(host, [], []);
});
afterEach(() => rmSync(folder, { recursive: true }));

async function check(widen: (system: Runtime) => Runtime = (system) => system) {
  const runtimes = findRuntimes(host, ["system"], []);
  const [system] = runtimes;
  if (system === undefined) throw new Error("no system");
  return selfCheck(host, await lookAtMachine(host, [], runtimes), widen(system));
}

describe.skipIf(unusable !== null)("the self-check", () => {
  it("finds that every act is refused, and keeps that for the next time", async () => {
    const result = await check();
    expect(failures(result)).toEqual([]);
    expect(await check()).toEqual(result);
  });

  it("proof: runs again where the result was found by another table of attacks", async () => {
    const { key } = await check();
    const id = startTableId(host.platform);
    expect(key).toContain(id);
    const file = join(folder, "state/attestation.json");
    const kept = readFileSync(file, "utf8");
    writeFileSync(file, kept.replace(id, "0123456789abcdef").replace(/"holds":true/g, '"holds":false'));
    const again = await check();
    expect(again.key).toBe(key);
    expect(failures(again)).toEqual([]);
  });

  it("proof: finds a file that a sandbox shows and must not", async () => {
    const open = await check((system) => ({ ...system, read: [...system.read, host.stateFolder] }));
    expect(failures(open).map(({ name, protection }) => ({ name, protection }))).toEqual([
      { name: "read a file that is not granted", protection: "files" },
    ]);
  });
});
