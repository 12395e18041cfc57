import { readFileSync } from "node:fs";
import { renderBubblewrap } from "../../../src/backend/bubblewrap/render.ts";
import type { Facts } from "../../../src/backend/facts.ts";
import type { MountPlan, NotEnforceable, Rendering } from "../../../src/backend/plan.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { lookUpFacts } from "../../../src/host/launch/facts.ts";
import { run } from "../../../src/host/launch/run.ts";
import { type AbsolutePath, knownPath, pathFromBytes } from "../../../src/profile/path.ts";
import type { Profile } from "../../../src/profile/profile.ts";
import type { ProgramStart } from "../../../src/tool/launch.ts";
import { type Probe, wordOf } from "./probe.ts";
import type { Stage } from "./stage.ts";
import type { Tree } from "./tree.ts";
import { runUnproven } from "./unproven.ts";

/** How one act went: `ok`, or the number of the error; what was touched; what was seen, as bytes in hex. */
export interface Answer {
  readonly status: "ok" | number;
  readonly device: string;
  readonly identity: string;
  readonly detail: string;
}

/** A sandbox that was entered, with an answer for each probe, or why there was none. */
export type Entered =
  | {
      readonly kind: "entered";
      readonly plan: MountPlan;
      readonly answers: readonly Answer[];
      readonly mountChanges: readonly string[];
    }
  | { readonly kind: "refused"; readonly refusal: NotEnforceable };

/**
 * What is done to a plan before it runs, for tests of what would happen then. It runs without the proof, which would
 * refuse it, unless the proof is what is asked about. `profile` and `facts` change what is rendered instead.
 */
export interface Tampering {
  readonly profile?: (profile: Profile) => Profile;
  readonly facts?: (facts: Facts) => Facts;
  readonly plan?: (plan: MountPlan) => MountPlan;
  readonly isProven?: boolean;
}

export const PERL = knownPath("/usr/bin/perl");
const PROBER = readFileSync(new URL("prober.pl", import.meta.url), "utf8");
/** renameat2(2): arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h. */
const RENAMEAT2 = { x64: 316, arm64: 276 } as const;
const WALL_MS = 60_000;

/** Runs the probes inside one real sandbox, by the way of the product: facts, plan, placeholders, proof, program. */
export async function enter(
  stage: Stage,
  tree: Tree,
  profile: Profile,
  probes: readonly Probe[],
  tampering: Tampering = {},
): Promise<Entered> {
  try {
    return await enterOrThrow(stage, tree, profile, probes, tampering);
  } catch (cause) {
    const refusal = tampering.plan === undefined ? refusalOf(cause, tree) : null;
    if (refusal === null) throw cause;
    return { kind: "refused", refusal };
  }
}

async function enterOrThrow(
  stage: Stage,
  tree: Tree,
  given: Profile,
  probes: readonly Probe[],
  tampering: Tampering,
): Promise<Entered> {
  const profile = tampering.profile?.(given) ?? given;
  const facts = await lookUpFacts(stage.host, stage.standing, [profile], stage.memory, stage.ledger.held());
  const rendering = render(stage, profile, launchOf(stage, tree, probes), tampering.facts?.(facts) ?? facts);
  if (rendering.kind === "refusal") return { kind: "refused", refusal: rendering.refusal };
  if (rendering.plan.kind === "rules") throw new Error("a plan of bubblewrap has a start program");
  const plan = tampering.plan?.(rendering.plan) ?? rendering.plan;
  await using _held = await stage.ledger.hold(stage.host.id(), plan.placeholders);
  const isUnproven = tampering.plan !== undefined && tampering.isProven !== true;
  const { code, stdout, stderr, mountChanges } = isUnproven
    ? await runUnproven(plan, stage)
    : await runProven(plan, stage);
  const lines = stdout.split("\n");
  if (code !== 0 || lines.at(-2) !== "end" || lines.length !== probes.length + 2)
    throw new Error(`the prober ended with ${code}: ${stderr}`);
  return { kind: "entered", plan: rendering.plan, answers: lines.slice(0, -2).map(readAnswer), mountChanges };
}

function render(stage: Stage, profile: Profile, launch: ProgramStart, facts: Facts): Rendering {
  const whole = renderBubblewrap(profile, launch, facts);
  if (stage.sparedMounts === undefined || whole.kind === "refusal") return whole;
  const max = whole.plan.clauses.length - stage.sparedMounts;
  const spared = renderBubblewrap(profile, launch, facts, max);
  return spared.kind === "refusal" ? whole : spared;
}

/**
 * What a folder hides that its owner closed can't be searched, held or shown: nothing runs then, by whichever step
 * meets it first. Null for every other error.
 */
function refusalOf(cause: unknown, tree: Tree): NotEnforceable | null {
  if (!(cause instanceof CofferdamError)) return null;
  const isClosed = tree.things.some((thing) => thing.kind === "folder" && (thing.mode & 0o700) !== 0o700);
  const isMeant =
    cause.code === "NOT_ENFORCEABLE" ||
    cause.code === "FACTS_UNSTABLE" ||
    cause.code === "SANDBOX_UNAVAILABLE";
  // What git would obey is refused where this user can't read it.
  const isUnread =
    cause.message.startsWith("the git repository ") &&
    tree.things.some((thing) => thing.kind === "file" && (thing.mode & 0o400) === 0);
  return (isClosed && isMeant) || isUnread
    ? { field: cause.code, reason: cause.message, remedy: cause.hint ?? "" }
    : null;
}

function launchOf(stage: Stage, tree: Tree, probes: readonly Probe[]): ProgramStart {
  const words = probes.map((probe) => wordOf(probe, tree));
  return {
    argv: [PERL, "-e", PROBER, "--", String(RENAMEAT2[stage.host.arch]), ...words],
    cwd: knownPath("/tmp"),
    env: {},
  };
}

/** What a run left: its status, what it said, and mounts that changed while it ran. */
export interface Left {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly mountChanges: readonly string[];
}

async function runProven(planned: MountPlan, { runAs, surroundings }: Stage): Promise<Left> {
  const ended = await run(planned, {
    stdin: null,
    wallMs: WALL_MS,
    outputBytes: null,
    sinks: null,
    signal: null,
    runAs,
    surroundings,
    onProven: null,
  });
  return {
    code: ended.code,
    stdout: ended.stdout.bytes.toString("latin1"),
    stderr: ended.stderr.bytes.toString("utf8"),
    mountChanges: ended.mountChanges.map((change) => change.message),
  };
}

function readAnswer(line: string): Answer {
  const [, status = "", device = "0", inode = "0", detail = ""] = line.split(" ");
  return {
    status: status === "ok" ? status : Number(status),
    device,
    identity: `${device} ${inode}`,
    detail,
  };
}

/** The names that a `list` saw. */
export function namesIn(answer: Answer): readonly string[] {
  return answer.detail === ""
    ? []
    : answer.detail.split(",").map((name) => pathFromBytes(Buffer.from(name, "hex")));
}

/** The content that a `read` saw. */
export function contentIn(answer: Answer): string {
  return Buffer.from(answer.detail, "hex").toString("utf8");
}

/** The folder in which the tree of a case grows: each of the stage's in turn. */
export function placeOf(stage: Stage, turn: number): AbsolutePath {
  const [first = knownPath("/tmp")] = stage.places;
  return stage.places[turn % stage.places.length] ?? first;
}
