import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { intersect } from "../../src/profile/intersect.ts";
import { type AbsolutePath, joinPath, knownPath } from "../../src/profile/path.ts";
import { literalPattern, parsePatterns } from "../../src/profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, type Profile } from "../../src/profile/profile.ts";
import { withTree } from "../support/kernel/agreement.ts";
import { enter } from "../support/kernel/enter.ts";
import type { Probe } from "../support/kernel/probe.ts";
import { type Stage, setStage } from "../support/kernel/stage.ts";
import type { Plant, Tree } from "../support/kernel/tree.ts";
import { requireSandbox, UNUSABLE } from "../support/kernel/usable.ts";

requireSandbox("links in hidden folders");

/** `w/a/.env` leads to `w/c/dd/link`, and that to `outside/secret`; `w/b/config` is a folder. */
const HOLDS: readonly Plant[] = [
  {
    kind: "folder",
    name: "a",
    mode: 0o755,
    holds: [{ kind: "link", name: ".env", leads: { to: "thing", number: 7, isAbsolute: false } }],
  },
  {
    kind: "folder",
    name: "b",
    mode: 0o755,
    holds: [{ kind: "folder", name: "config", mode: 0o755, holds: [] }],
  },
  {
    kind: "folder",
    name: "c",
    mode: 0o755,
    holds: [
      {
        kind: "folder",
        name: "dd",
        mode: 0o755,
        holds: [{ kind: "link", name: "link", leads: { to: "thing", number: 9, isAbsolute: false } }],
      },
    ],
  },
];

/** Clauses by paths below the tree; a pattern with a wildcard is a glob. */
interface Clauses {
  readonly entries?: Readonly<Record<string, FileEntry["access"]>>;
  readonly masks?: Readonly<Record<string, Mask["atMost"]>>;
}

const CASES: readonly (readonly [name: string, one: Clauses, other: Clauses])[] = [
  ["a name, and its folder is hidden", { masks: { "w/a/.env": "read" } }, { masks: { "w/a": "none" } }],
  [
    "a name, and its folder has an entry without access",
    { masks: { "w/a/.env": "read" } },
    { entries: { "w/a": "none" } },
  ],
  [
    "a name, and its folder has an entry for reading",
    { masks: { "w/a/.env": "read" } },
    { entries: { "w/a": "read" } },
  ],
  ["a glob, and another glob hides", { masks: { "w/**/.env": "read" } }, { masks: { "w/?": "none" } }],
  ["a glob in a folder without access", { masks: { "w/a/*": "read" } }, { entries: { "w/a": "none" } }],
];

describe.skipIf(UNUSABLE !== undefined)("never-weaker: what a mask does beyond its own path stays", () => {
  let [stage, top]: [Stage | null, string] = [null, ""];
  beforeAll(async () => {
    top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-hidden-")));
    for (const name of ["place", "state"]) mkdirSync(join(top, name));
    stage = await setStage([knownPath(join(top, "place"))], knownPath(join(top, "state")), false);
  });
  afterAll(() => {
    stage?.[Symbol.dispose]();
    rmSync(top, { recursive: true, force: true });
  });

  it.each(CASES)("what a link leads to stays read-only: %s", async (_, one, other) => {
    const tried = await statuses(stage, one, other, ({ at }) => [
      { op: "read", path: at("outside/secret"), via: null },
      { op: "write", path: at("outside/secret"), via: null },
    ]);
    expect(tried).toEqual({ one: ["ok", 30], other: ["ok", "ok"], both: ["ok", 30] });
  });

  it("what a link leads to stays hidden when the folder of the link is", async () => {
    const [one, other] = [{ masks: { "w/**/.env": "none" } }, { masks: { "w/?": "none" } }] as const;
    const tried = await statuses(stage, one, other, ({ at }) => [
      { op: "read", path: at("outside/secret"), via: null },
    ]);
    expect(tried).toEqual({ one: [13], other: ["ok"], both: [13] });
  });

  it("one mask that hides a folder does not hide what links in it lead to", async () => {
    const one = { masks: { "w/**": "none" } } as const;
    const tried = await statuses(stage, one, {}, ({ at }) => [
      { op: "read", path: at("outside/secret"), via: null },
      { op: "list", path: at("w/a"), via: null },
    ]);
    expect(tried).toEqual({ one: ["ok", 13], other: ["ok", "ok"], both: ["ok", 13] });
  });

  it("a second link on the way stays in place when a glob hides its folder", async () => {
    const [one, other] = [{ masks: { "w/a/.env": "read" } }, { masks: { "w/**/dd": "none" } }] as const;
    const tried = await statuses(stage, one, other, ({ at }) => [
      { op: "rename", path: at("w/c"), to: at("w/moved"), via: null },
      { op: "write", path: at("outside/secret"), via: null },
    ]);
    expect(tried).toEqual({ one: [16, 30], other: ["ok", "ok"], both: [16, 30] });
  });

  it("folders above what a glob protects stay in place when the same glob hides", async () => {
    const [one, other] = [
      { masks: { "w/**/config": "read" } },
      { masks: { "w/**/config": "none" } },
    ] as const;
    const tried = await statuses(stage, one, other, ({ at }) => [
      { op: "rename", path: at("w/b"), to: at("w/moved"), via: null },
      { op: "list", path: at("w/b/config"), via: null },
    ]);
    expect(tried).toEqual({ one: [16, "ok"], other: ["ok", 13], both: [16, 13] });
  });
});

interface Names {
  readonly at: (name: string) => AbsolutePath;
}

type Statuses = readonly ("ok" | number)[];

/** The status of each act under each profile and under both. */
async function statuses(
  stage: Stage | null,
  one: Clauses,
  other: Clauses,
  probesIn: (names: Names) => readonly Probe[],
): Promise<Readonly<Record<"one" | "other" | "both", Statuses>>> {
  if (stage === null) throw new Error("there is no stage");
  return withTree(stage, { holds: HOLDS, hasCrowd: false, bind: null }, 0, async (tree) => {
    const at = (name: string): AbsolutePath => joinPath(tree.place, name);
    const [a, b] = [profileOf(tree, stage, one), profileOf(tree, stage, other)];
    const under = async (profile: Profile): Promise<Statuses> => {
      const entered = await enter(stage, tree, profile, probesIn({ at }));
      if (entered.kind === "refused") throw new Error(entered.refusal.reason);
      return entered.answers.map(({ status }) => status);
    };
    return { one: await under(a), other: await under(b), both: await under(intersect(a, b)) };
  });
}

function profileOf(
  { place, roots }: Tree,
  { system }: Stage,
  { entries = {}, masks = {} }: Clauses,
): Profile {
  const entry = (path: AbsolutePath, access: FileEntry["access"]): FileEntry => ({
    path,
    access,
    suffixes: "any",
  });
  return normalProfile({
    files: [
      ...system.read.map((path) => entry(path, "read")),
      ...roots.map((path) => entry(path, "write")),
      ...Object.entries(entries).map(([name, access]) => entry(joinPath(place, name), access)),
    ],
    masks: Object.entries(masks).flatMap(([name, atMost]): readonly Mask[] => {
      const isGlob = /[*?]/.test(name);
      const patterns = isGlob
        ? parsePatterns(`\${place}/${name}`, { place })
        : [literalPattern(joinPath(place, name))];
      return patterns.map((pattern) => ({ pattern, atMost, ignoreCase: false }));
    }),
  });
}
