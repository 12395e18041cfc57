import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import type { Attack, AttackTarget, Control } from "../attacks/attack.ts";
import type { ClaimId } from "../attacks/claims.ts";
import { attacksFor } from "../attacks/table.ts";
import type { Receipt } from "../decide/receipt.ts";
import { CofferdamError, visible } from "../errors.ts";
import { findHelper } from "../host/launch/launcher.ts";
import { ask, launchHelper } from "../host/launch/spawn.ts";
import { trialAnswers, trialScript } from "../host/launch/trial-script.ts";
import type { Host } from "../host/look/host.ts";
import { MemoryJournal } from "../journal/journal.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { nameOf } from "../profile/path.ts";
import type { Session } from "../session/session.ts";
import { createSupervisor } from "../session/supervisor.ts";

import { type Arena, arenaOf } from "./arena.ts";
import { type Drill, type DrillFault, type DrillSite, sessionUntil } from "./drill.ts";
import { drillsFor } from "./drills.ts";
import { prepareGround } from "./ground.ts";

/** The result of one attack or drill. */
export interface Tried {
  readonly claim: ClaimId;
  readonly title: string;
  /** True if the act was refused; null if it could not be tried. */
  readonly holds: boolean | null;
  /** True if the control succeeded; null if it could not be tried here. */
  readonly control: boolean | null;
  /** The reason why it was not tried, is open as the receipt says, or failed, as far as it is known. */
  readonly note: string | null;
}

/** The result of the selftest. */
export interface Report {
  readonly runAs: number;
  readonly backend: string;
  readonly version: string;
  /** The enforcement of each protection, by the receipt of the attacks' own call. */
  readonly enforcement: Receipt["enforcement"];
  readonly tried: readonly Tried[];
}

/** The maximum time of the lines outside together, in milliseconds. */
const OUTSIDE_MS = 120_000;

/**
 * Tries every attack by real calls, each with its control. Nothing is left of it. Throws `SANDBOX_UNAVAILABLE` without
 * a sandbox, and the abort once the signal is aborted and everything has ended.
 */
export async function runSelftest(host: Host, signal: AbortSignal): Promise<Report> {
  signal.throwIfAborted();
  const shell = findHelper(host, "sh");
  const word = randomBytes(12).toString("hex");
  const arena = arenaOf(host);
  using ground = prepareGround({ word, asRoot: host.user.uid === 0, platform: host.platform });
  using state = arena.state(host, ground);
  await using servers = await arena.listen(ground);
  using sleeper = await startSleeper(arena, shell, word, signal);
  const own: Host = {
    ...host,
    stateFolder: state.folder,
    operatorFolders: [],
    env: { ...host.env, SELFTEST_SECRET: word, DYLD_SELFTEST: word },
  };
  const supervise = (config: AbsolutePath) =>
    createSupervisor({
      config,
      profiles: [ground.profile],
      cwd: ground.ws,
      host: own,
      journal: new MemoryJournal(),
    });
  await using supervisor = await supervise(ground.config);
  const session = sessionUntil(signal, supervisor);
  const widely = async <Value>(work: (more: Session) => Promise<Value>): Promise<Value> => {
    await using more = await supervise(ground.wider);
    return await work(sessionUntil(signal, more));
  };
  const beside = { ...ground, ...servers, pid: sleeper.pid, comm: nameOf(shell), shell, word };
  const target = { ...beside, home: host.user.home, arch: host.arch };
  const { tried, receipt } = await tryAttacks({ host, arena, shell, session, widely, signal }, target);
  for (const drill of drillsFor(host.platform)) {
    signal.throwIfAborted();
    tried.push(await tryDrill(drill, { session, ground, host: own, target, signal, arena }));
  }
  const { backend, version, runAs, enforcement } = receipt;
  return { backend, version, runAs, enforcement, tried };
}

/** Tries every attack in one call, beside another sandbox, and then the controls. */
async function tryAttacks(means: Means, target: Omit<AttackTarget, "neighbour">) {
  const { host, session, arena } = means;
  await using neighbour = await arena.neighbour(session);
  const attacks = attacksFor({ ...target, neighbour: neighbour.pid }, host.platform);
  const { answers, receipt } = await tryInside(
    session,
    attacks.map(({ line }) => line),
  );
  const controls = await tryControls(means, attacks);
  const tried = attacks.map((one, at) => judged(one, answers[at], controls.get(one), { host, receipt }));
  return { tried, receipt };
}

/** The control comes first: the drill must not find its remains. */
async function tryDrill(
  { claim, title, holds, control, controlMayFail }: Drill,
  site: DrillSite,
): Promise<Tried> {
  const ofControl = await faultOf(control, site);
  if (ofControl !== null && controlMayFail !== undefined)
    return { claim, title, holds: null, control: null, note: controlMayFail };
  const fault = await faultOf(holds, site);
  const note = [fault, ofControl === null ? null : `the control: ${ofControl}`]
    .filter((one) => one !== null)
    .join("; ");
  return { claim, title, holds: fault === null, control: ofControl === null, note: note || null };
}

/** An error that it throws is a fault as well, except those from the end of the selftest. */
async function faultOf(trial: Drill["holds"], site: DrillSite): Promise<DrillFault> {
  try {
    return await trial(site);
  } catch (error) {
    if (site.signal.aborted) throw error;
    return visible(error instanceof Error ? error.message : String(error));
  }
}

interface Circumstances {
  readonly host: Host;
  readonly receipt: Receipt;
}

function judged(
  one: Attack,
  done: boolean | undefined,
  control: boolean | undefined,
  circumstances: Circumstances,
): Tried {
  const { claim, title, controlMayFail } = one;
  const { files } = circumstances.receipt.enforcement;
  const isOpen = one.isOpenWithoutDevices === true && files.kind === "partial";
  const isForOthers = one.controlFor === "root" && circumstances.host.user.uid !== 0;
  // Without its control a refusal says nothing, and the control's failure says nothing either.
  const isIdle = controlMayFail !== undefined && control === false;
  const note =
    done === undefined
      ? "the attacks did not finish"
      : isOpen && done
        ? "open here, as the receipt says"
        : isForOthers
          ? "the control needs root"
          : isIdle
            ? controlMayFail
            : control === undefined
              ? "the control could not be tried"
              : null;
  return {
    claim,
    title,
    holds: done === undefined || isOpen || (isIdle && !done) ? null : !done,
    control: isForOthers || isIdle ? null : (control ?? null),
    note,
  };
}

/** Runs the lines inside, in one call, and returns their results. Throws `SANDBOX_UNAVAILABLE` if it did not run. */
async function tryInside(session: Session, lines: readonly string[]) {
  const outcome = await session.call(
    "shell",
    { argv: ["sh", "-s"] },
    { stdin: Readable.from([trialScript(lines)]) },
  );
  if (!("receipt" in outcome) || outcome.receipt === null || !("stdout" in outcome))
    throw new CofferdamError(
      "SANDBOX_UNAVAILABLE",
      `the selftest could not run: ${"reason" in outcome ? outcome.reason : outcome.kind}`,
    );
  return { answers: trialAnswers(outcome.stdout.bytes.toString()), receipt: outcome.receipt };
}

interface Means {
  readonly host: Host;
  readonly arena: Arena;
  readonly shell: AbsolutePath;
  readonly session: Session;
  /** Runs in a session under the config that grants more. */
  readonly widely: <Value>(work: (more: Session) => Promise<Value>) => Promise<Value>;
  readonly signal: AbortSignal;
}

async function tryControls(
  { host, arena, shell, session, widely, signal }: Means,
  attacks: readonly Attack[],
): Promise<ReadonlyMap<Attack, boolean>> {
  const plainly = async (
    lines: readonly string[],
    [file, ...words]: readonly [AbsolutePath, ...string[]],
  ) => {
    const text = `${arena.outside}${trialScript(lines)}`;
    return trialAnswers((await ask(file, [...words, "-c", text], { timeoutMs: OUTSIDE_MS, signal })).stdout);
  };
  const tryAll: Readonly<
    Record<Control["where"], (lines: readonly string[]) => Promise<readonly boolean[]>>
  > = {
    granted: async (lines) => (await tryInside(session, lines)).answers,
    wider: (lines) => widely(async (more) => (await tryInside(more, lines)).answers),
    outside: (lines) => plainly(lines, [shell]),
    own: async (lines) => {
      const words = arena.own(host);
      return words === null ? [] : plainly(lines, [...words, shell]);
    },
  };
  const answers: [Attack, boolean][] = [];
  for (const where of ["granted", "wider", "outside", "own"] as const) {
    const some = attacks.filter(({ control }) => control.where === where);
    if (some.length === 0) continue;
    const found = await tryAll[where](some.map(({ control }) => control.line));
    for (const [at, one] of some.entries()) {
      const answer = found[at];
      if (answer !== undefined) answers.push([one, answer]);
    }
  }
  return new Map(answers);
}

/** A process of the same user whose command line contains the word. It ends with this one, in any case. */
async function startSleeper(
  arena: Arena,
  shell: AbsolutePath,
  word: string,
  signal: AbortSignal,
): Promise<Disposable & { readonly pid: number }> {
  await arena.settle(shell, signal);
  signal.throwIfAborted();
  // Its input ends when the other end is closed.
  const child = launchHelper(shell, ["-c", "read -r _", "cofferdam", word], {
    stdio: ["pipe", "ignore", "ignore"],
    runAs: null,
  });
  return { pid: child.pid ?? 0, [Symbol.dispose]: () => child.kill("SIGKILL") };
}
