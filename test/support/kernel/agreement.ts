import { mkdirSync } from "node:fs";
import fc from "fast-check";
import { FactsMemory } from "../../../src/host/launch/facts.ts";
import { MaskSearch } from "../../../src/host/look/search/search.ts";
import { joinPath } from "../../../src/profile/path.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import { answersIn } from "./answers.ts";
import type { TryCase } from "./battery.ts";
import { bindFolder, unbindFolder } from "./bind.ts";
import { describeScene } from "./describe.ts";
import { enter, placeOf, type Tampering } from "./enter.ts";
import { type Judged, judge, type Scene } from "./judge.ts";
import { probesOver } from "./probe.ts";
import { type ProfileSketch, profileOver, profileSketch } from "./profile-sketch.ts";
import type { Stage } from "./stage.ts";
import { fellTree, growTree, inventory, type Tree, type TreeSketch, treeSketch } from "./tree.ts";

/** One random case: a tree, a profile about it, where it grows, and what is tried. */
export interface Case {
  readonly tree: TreeSketch;
  readonly profile: ProfileSketch;
  readonly turn: number;
  readonly seed: number;
  /** So many names of a root are searched, and what holds more is read-only; null: as many as usual. */
  readonly maxEntries: number | null;
  /** So many mounts fewer may be made, for which folders are closed as a whole; null: none. */
  readonly sparedMounts: number | null;
  /** Whether links can be held by a mount on each. */
  readonly coversLinks: boolean;
}

export const agreementCase: fc.Arbitrary<Case> = fc.record({
  tree: treeSketch,
  profile: profileSketch,
  turn: fc.nat(1),
  seed: fc.nat(2 ** 31),
  maxEntries: fc.oneof(
    { weight: 15, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) },
  ),
  sparedMounts: fc.oneof(
    { weight: 5, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 }) },
  ),
  coversLinks: fc.nat(2).map((number) => number > 0),
});

/** What random cases come to rarely. */
export const RARE_CASES: readonly Case[] = [
  {
    // More files than are shown of a folder with a suffix list, and each has a mask, which shows it.
    tree: { holds: [], hasCrowd: true, bind: null },
    profile: {
      roots: ["write", "write"],
      suffixes: "any",
      entries: [],
      masks: [
        {
          pattern: { kind: "glob", spot: { number: 0, below: [] }, text: "**/*.md" },
          atMost: "read",
          ignoreCase: false,
        },
      ],
    },
    turn: 0,
    seed: 0,
    maxEntries: null,
    sparedMounts: null,
    coversLinks: false,
  },
  {
    // A path with a suffix list that does not exist, and a file that could be moved there.
    tree: { holds: [{ kind: "file", name: "two words", mode: 0o644 }], hasCrowd: false, bind: null },
    profile: {
      roots: ["write", "write"],
      suffixes: "any",
      entries: [{ spot: { number: 0, below: ["x.md"] }, access: "write", suffixes: [".md"] }],
      masks: [],
    },
    turn: 0,
    seed: 371_200_000,
    maxEntries: null,
    sparedMounts: null,
    coversLinks: true,
  },
  {
    // A link that a mask hides by a glob, and its other name by a mount of the host.
    tree: {
      holds: [
        { kind: "link", name: "a", leads: { to: "thing", number: 1, isAbsolute: false } },
        { kind: "file", name: "two words", mode: 0o644 },
      ],
      hasCrowd: false,
      bind: { from: 0, at: 32 },
    },
    profile: {
      roots: ["write", "write"],
      suffixes: "any",
      entries: [],
      masks: [
        {
          pattern: { kind: "glob", spot: { number: 11, below: ["a", "a"] }, text: "*/**" },
          atMost: "none",
          ignoreCase: false,
        },
      ],
    },
    turn: 0,
    seed: 0,
    maxEntries: null,
    sparedMounts: null,
    coversLinks: false,
  },
];

/** Answers that know less of a plan: they must be found out. */
const BLIND = { limits: { limits: [] }, "what stays": { fixed: [] } } as const;

/** Tries a case: nothing may be allowed that the model denies, and every refusal beyond it has its declared reason. */
export function tryAgreement(stage: Stage): TryCase<Case> {
  return async (one, tally) => {
    const outcome = await tryCase(stage, one);
    if (outcome.kind === "refused") return outcome;
    const { scene, judged, mountChanges } = outcome;
    for (const { kernel, verdict, probe } of judged) {
      tally.add(`kernel: ${kernel}`);
      tally.add(`verdict: ${verdict}`);
      tally.add(`act: ${probe.op}, ${kernel === "allowed" ? "allowed" : "refused"}`);
    }
    const answers = answersIn(scene, judged);
    for (const { ask, allowed } of answers) tally.add(`explained: ${ask}, ${allowed ? "yes" : "no"}`);
    const wrong = answers.filter(({ isAgreed }) => !isAgreed);
    if (wrong.length > 0) {
      const said = wrong.map(({ ask, allowed }) => `explain ${ask} says ${allowed ? "yes" : "no"}`);
      throw new Error(
        `${said.join("; ")}\n${describeScene(
          scene,
          wrong.map((one) => one.judged),
        )}`,
      );
    }
    for (const [what, blind] of Object.entries(BLIND)) {
      const missed = answersIn(scene, judged, { ...scene.plan, ...blind }).filter(
        ({ isAgreed }) => !isAgreed,
      );
      tally.add(`blind to ${what}`, missed.length);
    }
    const broken = judged.filter(({ verdict }) => verdict === "upward" || verdict === "unexplained");
    if (broken.length > 0) throw new Error(describeScene(scene, broken));
    if (mountChanges.length > 0 && scene.tree.bound === null)
      throw new Error(`mounts changed while it ran: ${mountChanges.join("; ")}\n${describeScene(scene, [])}`);
    return { kind: "tried", probes: judged.length };
  };
}

/** What came of a case. */
export type Outcome =
  | { readonly kind: "refused"; readonly field: string; readonly reason: string }
  | {
      readonly kind: "judged";
      readonly scene: Scene;
      readonly judged: readonly Judged[];
      readonly mountChanges: readonly string[];
    };

/** Grows the tree, enters a sandbox, judges every answer, and fells the tree. Throws when the host's files changed. */
export async function tryCase(stage: Stage, one: Case, tampering: Tampering = {}): Promise<Outcome> {
  return withTree(stage, one.tree, one.turn, async (tree) => {
    const profile = profileOver(tree, one.profile, stage.system.read);
    return judgeIn(bounded(stage, one), tree, profile, one.seed, tampering);
  });
}

function bounded(given: Stage, { maxEntries, sparedMounts, coversLinks }: Case): Stage {
  const standing = { ...given.standing, coversLinks: coversLinks && given.standing.coversLinks };
  const stage = { ...given, standing, ...(sparedMounts === null ? {} : { sparedMounts }) };
  if (maxEntries === null) return stage;
  const search = new MaskSearch({ entries: maxEntries, timeMs: 60_000, over: "read-only" });
  return { ...stage, memory: new FactsMemory(search) };
}

async function judgeIn(
  stage: Stage,
  tree: Tree,
  profile: Profile,
  seed: number,
  tampering: Tampering,
): Promise<Outcome> {
  const probes = probesOver(tree, profile, seed);
  const before = inventory(tree.place);
  const entered = await enter(stage, tree, profile, probes, tampering);
  if (entered.kind === "refused")
    return { kind: "refused", field: entered.refusal.field, reason: entered.refusal.reason };
  const after = inventory(tree.place);
  const changed = [
    ...before.filter((line) => !after.includes(line)),
    ...after.filter((line) => !before.includes(line)),
  ];
  if (changed.length > 0) throw new Error(`the host's files are not as before: ${changed.join("; ")}`);
  const scene = { tree, profile, plan: entered.plan };
  return {
    kind: "judged",
    scene,
    judged: judge(scene, probes, entered.answers),
    mountChanges: entered.mountChanges,
  };
}

let grown = 0;

/** Calls with a tree that is on disk meanwhile. */
export async function withTree<Result>(
  stage: Stage,
  sketch: TreeSketch,
  turn: number,
  use: (tree: Tree) => Promise<Result>,
): Promise<Result> {
  grown += 1;
  const place = joinPath(placeOf(stage, turn), `tree-${grown}`);
  mkdirSync(place, { mode: 0o755 });
  let tree: Tree | null = null;
  try {
    tree = growTree(place, sketch, stage.owner);
    if (sketch.bind !== null && stage.canMount) tree = bindFolder(tree, sketch.bind);
    return await use(tree);
  } finally {
    if (tree !== null) unbindFolder(tree);
    fellTree(place);
  }
}
