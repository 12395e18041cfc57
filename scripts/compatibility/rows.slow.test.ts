import { chmodSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { itNeeds, sandboxMustWork, unusable } from "../../test/support/battery/needs.ts";
import { checkoutFor, PEOPLE } from "../../test/support/battery/people.ts";
import { GROUPS } from "./rows/all.ts";
import { HostServers } from "./stage.ts";
import { benchHost, tryRow } from "./try-row.ts";

sandboxMustWork("COMPATIBILITY.md");

const quick = GROUPS.flatMap((group) => group.rows).filter((row) => row.isQuick);

describe.skipIf(unusable !== null).each(PEOPLE)("as $name, what COMPATIBILITY.md says is so of", (person) => {
  const stage = mkdtempSync(join(tmpdir(), "cofferdam-compat-"));
  chmodSync(stage, 0o755);
  const folders = [dirname(checkoutFor(person).node), "/usr/local/bin", "/usr/bin", "/bin"];
  const host = benchHost(join(stage, "state"), { ...process.env, PATH: folders.join(":") });
  const owner = person.runAs.uid === undefined ? null : { uid: person.uid, gid: person.gid };
  let servers: HostServers;
  beforeAll(async () => {
    servers = await HostServers.start(stage);
  });
  afterAll(async () => {
    await servers[Symbol.asyncDispose]();
    rmSync(stage, { recursive: true });
  });

  for (const [index, row] of quick.entries())
    itNeeds(
      row.needs.filter((name) => name !== "node").map((name) => join("/usr/bin", name)),
      row.name,
      async () => {
        const folder = join(stage, String(index));
        const verdict = await tryRow(row, {
          folder,
          host,
          servers,
          owner,
          signal: new AbortController().signal,
        });
        const { setting, fails } = row;
        const kind = setting === undefined ? (fails === undefined ? "works" : "by-design") : "with";
        expect(verdict.kind === "wrong" ? verdict : verdict.kind).toEqual(kind);
        const left = readdirSync(join(folder, "plain/project")).filter((name) =>
          name.startsWith(".cofferdam"),
        );
        expect(left).toEqual([]);
      },
    );
});
