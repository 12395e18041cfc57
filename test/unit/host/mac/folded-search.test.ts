import { expect, test } from "vitest";
import type { Facts } from "../../../../src/backend/facts.ts";
import { FactsMemory, lookUpFacts } from "../../../../src/host/launch/facts.ts";
import { assumedFacts } from "../../../../src/host/launch/mac/simulated-facts.ts";
import { simulatedMac } from "../../../../src/host/look/mac/simulated.ts";
import { ROOT } from "../../../../src/profile/path.ts";
import { parsePatterns } from "../../../../src/profile/pattern.ts";
import { normalProfile } from "../../../../src/profile/profile.ts";
import { machine } from "../../config/machine.ts";

/** What a search finds of `secrets/*.key` and `.env` anywhere, on a volume that folds case or does not. */
async function found(foldsCase: boolean | null): Promise<readonly string[]> {
  const { host, project, write } = machine();
  write({
    "home/ann/project/secrets/A.KEY": "",
    "home/ann/project/secrets/b.key": "",
    "home/ann/project/a/.Env": "",
    "home/ann/project/a/schlu\u0308ssel": "",
    "home/ann/project/.v\u017fcode/tasks": "",
  });
  const simulated = assumedFacts(simulatedMac(host.user), []);
  const mac: Facts["mac"] =
    foldsCase === null || simulated.mac === null
      ? null
      : { ...simulated.mac, volumes: [{ point: ROOT, foldsCase }] };
  const masks = [`${project}/secrets/*.key`, "**/.env", "**/schl\u00fcssel", "**/.vscode/*"].flatMap((text) =>
    parsePatterns(text).map((pattern) => ({ pattern, atMost: "none", ignoreCase: false }) as const),
  );
  const profile = normalProfile({
    files: [{ path: project, access: "write", suffixes: "any" }],
    masks,
  });
  const { hits } = await lookUpFacts(host, { ...simulated, mac }, [profile], new FactsMemory());
  return hits.map((hit) => hit.slice(project.length + 1));
}

test("where a volume folds case, globs find what is spelled in another: it must not be moved out of their reach", async () => {
  expect(await found(true)).toEqual([
    ".v\u017fcode/tasks",
    "a/.Env",
    "a/schlu\u0308ssel",
    "secrets/A.KEY",
    "secrets/b.key",
  ]);
});

test("where names that differ in case are two, globs find what they say, on a Mac in either normal form", async () => {
  expect([await found(false), await found(null)]).toEqual([
    ["a/schlu\u0308ssel", "secrets/b.key"],
    ["secrets/b.key"],
  ]);
});
