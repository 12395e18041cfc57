import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { Reply } from "../support/battery/job.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { Dice } from "../support/kernel/dice.ts";

sandboxMustWork("many sandboxes on one tree");

const THERE = ["one", "two", "deep/three", "deep/er/four"] as const;
const MISSING = ["five", "deep/six", "deep/er/seven"] as const;
/** So many supervisors, with so many calls at once each. */
const [SUPERVISORS, CALLS] = [8, 5];

/** Tells of each file whether it can be read and written, and of each missing one that is held, whether it can be made. */
const LOOK = `look() {
  for f in ${THERE.join(" ")}; do
    r=-; w=-; cat $f >/dev/null 2>&1 && r=r; (: >> $f) 2>/dev/null && w=w; printf '%s:%s%s ' $f $r $w
  done
  for m in "$@"; do mkdir $m 2>/dev/null && printf 'made:%s ' $m; (: > $m/x) 2>/dev/null && printf 'within:%s ' $m; done
  echo
}
look "$@"; sleep 0.$(( $$ % 5 )); look "$@"`;

/** What one supervisor's profile says of each path, and so what its calls must tell. */
interface Drawn {
  readonly masks: readonly { readonly pattern: string; readonly at_most: "none" | "read" }[];
  readonly held: readonly string[];
  readonly told: string;
}

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  it("fs.residue: each of many calls at once, under different profiles on one tree, has its own and leaves nothing", async () => {
    using place = new Place(person);
    place.folder("ws/deep");
    place.folder("ws/deep/er");
    for (const name of THERE) place.file(join("ws", name), "x");
    const before = readdirSync(place.ws, { recursive: true }).toSorted();
    const dice = new Dice(2_026);
    const drawn = Array.from({ length: SUPERVISORS }, () => draw(place.ws, dice));
    const said = await Promise.all(
      drawn.map(async ({ masks, held }, at) => {
        const expect = masks.map(({ pattern }) => ({ deny: "write", path: pattern }));
        const profile = place.file(`${at}.yaml`, JSON.stringify({ profile: `drawn-${at}`, masks, expect }));
        const argv: [string, ...string[]] = ["sh", "-c", LOOK, "sh", ...held];
        const calls = Array.from({ length: CALLS }, () => ({ argv, afterMs: 0 }));
        const child = place.start({ job: { profiles: [profile], calls } }, `${at}.json`);
        if (child.stdout === null) throw new Error("no output");
        const [out] = await Promise.all([text(child.stdout), once(child, "close")]);
        return out
          .trim()
          .split("\n")
          .map((line) => Reply.parse(JSON.parse(line)));
      }),
    );
    for (const [at, replies] of said.entries()) {
      const told = `${drawn[at]?.told ?? ""}\n`.repeat(2);
      const ran = { kind: "ran", code: 0, stdout: told, stderr: "" };
      expect(replies).toMatchObject([{ kind: "made" }, ...Array.from({ length: CALLS }, () => ran)]);
      for (const reply of replies) expect(reply).not.toHaveProperty("mounts");
    }
    expect(readdirSync(place.ws, { recursive: true }).toSorted()).toEqual(before);
    for (const kept of ["ledger", "live"]) expect(leftIn(join(place.state, "cofferdam", kept))).toEqual([]);
  });
});

function draw(ws: string, dice: Dice): Drawn {
  const masks: Drawn["masks"][number][] = [];
  const told: string[] = [];
  for (const name of THERE) {
    const how = (["none", "read", null] as const)[dice.below(3)] ?? null;
    if (how !== null) masks.push({ pattern: join(ws, name), at_most: how });
    told.push(`${name}:${how === "none" ? "--" : how === "read" ? "r-" : "rw"} `);
  }
  const held = MISSING.filter(() => dice.below(2) === 0);
  for (const name of held)
    masks.push({ pattern: join(ws, name), at_most: dice.below(2) === 0 ? "none" : "read" });
  return { masks, held, told: told.join("") };
}

function leftIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
