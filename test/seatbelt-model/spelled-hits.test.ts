import { describe, expect, it } from "vitest";
import { coveredIndex } from "../../src/backend/seatbelt/covered-index.ts";
import { foldedMasks } from "../../src/backend/seatbelt/file-rules.ts";
import { type AbsolutePath, knownPath, upwards } from "../../src/profile/path.ts";
import { normalProfile } from "../../src/profile/profile.ts";
import { CALL_PARAMETERS, macFacts } from "../support/mac/mac-case.ts";
import { entry, masks } from "../support/mac/machine.ts";
import { LIKELY } from "./readings.ts";
import { evaluator, planOf } from "./support/differential.ts";
import { STRICT } from "./world/kernel.ts";
import { macWith } from "./world/mac.ts";
import { runSequence } from "./world/run-sequence.ts";

const W = "/Users/me/work";
const TMP = CALL_PARAMETERS.get("TMP") ?? "/none";

/** What is seen of a file that a mask hides, when the folder above it was moved to where no mask speaks of it. */
function seen(glob: string, disk: string, foldsCase: boolean, isSearched: boolean): readonly unknown[] {
  const profile = normalProfile({ files: [entry(W, "write")], masks: masks(glob, "none") });
  const file = knownPath(`${W}/${disk}`);
  const bare = macFacts();
  if (bare.mac === null) throw new Error("a Mac has facts of its own");
  const mac = { ...bare.mac, volumes: [{ point: knownPath("/"), foldsCase }] };
  const find = coveredIndex(foldedMasks(profile.masks, { mac }));
  const hits = [...upwards(file)].filter((path): path is AbsolutePath => find(path) !== null);
  const plan = planOf({
    profile,
    facts: macFacts({ mac, hits: isSearched ? hits : [] }),
    hasGiven: false,
  });
  if (plan === null) throw new Error("it was refused");
  const ask = evaluator(plan.rules);
  const world = macWith([
    { path: TMP, kind: "folder", owner: 501 },
    { path: file, kind: "file", bytes: "TOP", owner: 501 },
  ]);
  const [folder = "", ...rest] = disk.split("/");
  const run = runSequence(
    world,
    [
      { call: "open", path: file, access: "read" },
      { call: "rename", from: `${W}/${folder}`, to: `${TMP}/d` },
      { call: "rename", from: `${W}/${folder}`, to: `${W}/zzz` },
      { call: "open", path: `${TMP}/d/${rest.join("/")}`, access: "read" },
      { call: "read", descriptor: "newest" },
      { call: "open", path: `${W}/zzz/${rest.join("/")}`, access: "read" },
      { call: "read", descriptor: "newest" },
    ],
    (query) => ask(query, LIKELY).allowed,
    { kernel: STRICT, watch: { secrets: ["TOP"] } },
  );
  return run.audit.seen;
}

describe("what a mask hides by a name that the disk takes for its own stays hidden when folders are moved", () => {
  it.each([
    ["**/schl\u00fcssel.key", "sub/schlu\u0308ssel.key", true],
    ["**/schl\u00fcssel.key", "sub/schlu\u0308ssel.key", false],
    ["**/schlu\u0308ssel.key", "sub/schl\u00fcssel.key", true],
    ["**/\u00c4rzte.key", "sub/\u00e4rzte.key", true],
    ["**/caf\u00e9/*.key", "cafe\u0301/a.key", true],
    ["**/caf\u00e9/*.key", "cafe\u0301/a.key", false],
    ["**/.config/*.key", ".con\ufb01g/a.key", true],
    ["**/.config/*.key", "sub/.con\ufb01g/a.key", true],
    ["**/.vscode/*.key", ".v\u017fcode/a.key", true],
    ["**/stra\u00dfe", "sub/STRASSE", true],
  ])("%s, %s, on a volume that folds case: %s", (glob, disk, foldsCase) => {
    expect(seen(glob, disk, foldsCase, true)).toEqual([]);
    // What the search does not find can be moved away.
    expect(seen(glob, disk, foldsCase, false)).not.toEqual([]);
  });
});
