import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { Reply } from "../support/battery/job.ts";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { SHELTERLESS } from "../support/battery/stand-ins.ts";

sandboxMustWork("calls that run one after another");

/** Says so when somebody else is in the folder at the same time. */
const ALONE = 'mkdir "$0" || echo overlaps; sleep 0.15; rmdir "$0"';

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  /** How often two calls of two supervisors, some at once in each, were in one folder at the same time. */
  async function overlaps(isolates: boolean, launcher: string | null = null): Promise<number> {
    using place = new Place(person);
    const helpers = join(place.top, "helpers");
    mkdirSync(helpers);
    if (launcher !== null) writeFileSync(join(helpers, "bwrap"), launcher, { mode: 0o755 });
    const helperFolders = launcher === null ? null : [helpers, "/usr/bin", "/bin"];
    const calls = Array.from({ length: 4 }, () => ({
      argv: ["sh", "-c", ALONE, "busy"] satisfies [string, ...string[]],
      afterMs: 0,
    }));
    const said = await Promise.all(
      ["one.json", "other.json"].map(async (name) => {
        const child = place.start(
          { job: { calls, helperFolders }, settings: { sandbox: { isolate_calls: isolates } } },
          name,
        );
        if (child.stdout === null) throw new Error("no output");
        const [out] = await Promise.all([text(child.stdout), once(child, "close")]);
        return out;
      }),
    );
    const replies = said.flatMap((out) =>
      out
        .trim()
        .split("\n")
        .map((line) => Reply.parse(JSON.parse(line))),
    );
    const ran = replies.filter((reply) => reply.kind === "ran");
    expect(ran).toHaveLength(8);
    return ran.filter(({ stdout }) => stdout.includes("overlaps")).length;
  }

  it("with `isolate_calls` calls that share a folder run one after another, of several supervisors too", async () => {
    expect(await overlaps(true)).toBe(0);
  });

  it("without it they run at once", async () => {
    expect(await overlaps(false)).toBeGreaterThan(0);
  });

  itUnless(
    notRoot,
    "fs.dest: where no shelter can be had, those that may write in one folder run one after another all the same",
    async () => {
      expect(await overlaps(false, SHELTERLESS)).toBe(0);
    },
  );
});
