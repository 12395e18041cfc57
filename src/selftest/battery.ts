import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { findHelper } from "../host/launcher.ts";
import { ask, launchHelper } from "../host/spawn.ts";
import { trialAnswers, trialScript } from "../host/trial-script.ts";
import { MemoryJournal } from "../journal/journal.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Receipt } from "../supervisor/receipt.ts";
import type { Session } from "../supervisor/session.ts";
import { createSupervisor } from "../supervisor/supervisor.ts";
import { type Arena, arenaOf } from "./arena.ts";
import type { Case, Target } from "./case.ts";
import { casesFor } from "./cases/all.ts";
import type { ClaimId } from "./claims.ts";
import { type Drill, type Fault, type Site, sessionUntil } from "./drill.ts";
import { drillsFor } from "./drills.ts";
import { prepareGround } from "./ground.ts";

/** What became of one case. */
export interface Tried {
  readonly claim: ClaimId;
  readonly title: string;
  /** Whether the act was refused; null where it could not be tried. */
  readonly holds: boolean | null;
  /** Whether the twin succeeded; null where it could not be tried here. */
  readonly twin: boolean | null;
  /** Why something was not tried, is open as the receipt says, or failed, as far as that is known. */
  readonly note: string | null;
}

/** What the battery found. */
export interface Report {
  readonly runAs: number;
  readonly backend: string;
  readonly version: string;
  /** How the protections stood, by the receipt of the attacks' own call. */
  readonly standings: Receipt["standings"];
  readonly tried: readonly Tried[];
}

/** How long the lines without walls may take in all, in milliseconds. */
const OUTSIDE_MS = 120_000;

/**
 * Tries every case on this machine, in folders and with a state of its own: real calls of a real supervisor attack, and
 * each twin shows that the act works. Nothing of it is left. Throws `SANDBOX_UNAVAILABLE` when no walls can be had; once the
 * signal is aborted, whatever that led to, when all of it has ended.
 */
export async function runBattery(host: Host, signal: AbortSignal): Promise<Report> {
  signal.throwIfAborted();
  const shell = findHelper(host, "sh");
  const word = randomBytes(12).toString("hex");
  const arena = arenaOf(host);
  using ground = prepareGround({ word, asRoot: host.user.uid === 0, platform: host.platform });
  using state = arena.state(host, ground);
  await using servers = await arena.listen(ground);
  using sleeper = await startSleeper(arena, shell, word, signal);
  const target: Target = { ...ground, ...servers, pid: sleeper.pid, word, home: host.user.home };
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
  const cases = casesFor(target, host.platform);
  const { answers, receipt } = await tryInside(
    session,
    cases.map(({ attack }) => attack),
  );
  const widely = async <Value>(work: (more: Session) => Promise<Value>): Promise<Value> => {
    await using more = await supervise(ground.wider);
    return await work(sessionUntil(signal, more));
  };
  const twins = await tryTwins({ host, arena, shell, session, widely, signal }, cases);
  const tried = cases.map((one, at) => judged(one, answers[at], twins.get(one), { host, receipt }));
  for (const drill of drillsFor(host.platform)) {
    signal.throwIfAborted();
    tried.push(await tryDrill(drill, { session, ground, host: own, target, signal, arena }));
  }
  const { backend, version, runAs, standings } = receipt;
  return { backend, version, runAs, standings, tried };
}

/** The twin comes first: what it leaves must not be what the drill finds. */
async function tryDrill({ claim, title, holds, twin, twinMayFail }: Drill, site: Site): Promise<Tried> {
  const ofTwin = await faultOf(twin, site);
  if (ofTwin !== null && twinMayFail !== undefined)
    return { claim, title, holds: null, twin: null, note: twinMayFail };
  const fault = await faultOf(holds, site);
  const note = [fault, ofTwin === null ? null : `the twin: ${ofTwin}`]
    .filter((one) => one !== null)
    .join("; ");
  return { claim, title, holds: fault === null, twin: ofTwin === null, note: note === "" ? null : note };
}

/** What it throws is a fault as well, but for what the end of the battery led to. */
async function faultOf(trial: Drill["holds"], site: Site): Promise<Fault> {
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
  one: Case,
  done: boolean | undefined,
  twin: boolean | undefined,
  circumstances: Circumstances,
): Tried {
  const { claim, title, twinMayFail } = one;
  const isOpen = isOpenHere(one, circumstances);
  const isForOthers = one.twinFor === "root" && circumstances.host.user.uid !== 0;
  // Without its twin a refusal says nothing, and the twin's failure says nothing either.
  const isIdle = twinMayFail !== undefined && twin === false;
  const note =
    done === undefined
      ? "the attacks did not run to their end"
      : isOpen && done
        ? "open here, as the receipt says"
        : isForOthers
          ? "the twin needs root"
          : isIdle
            ? twinMayFail
            : twin === undefined
              ? "the twin could not be tried"
              : null;
  return {
    claim,
    title,
    holds: done === undefined || isOpen || (isIdle && !done) ? null : !done,
    twin: isForOthers || isIdle ? null : (twin ?? null),
    note,
  };
}

function isOpenHere({ isOpenWithoutDevices }: Case, { receipt }: Circumstances): boolean {
  return isOpenWithoutDevices === true && receipt.standings.files.kind === "partial";
}

/** What the lines did inside, in one call. Throws `SANDBOX_UNAVAILABLE` where it did not run. */
async function tryInside(session: Session, lines: readonly string[]) {
  const outcome = await session.call(
    "shell",
    { argv: ["sh", "-s"] },
    { stdin: Readable.from([trialScript(lines)]) },
  );
  if (!("receipt" in outcome) || outcome.receipt === null || !("stdout" in outcome))
    throw new CofferdamError(
      "SANDBOX_UNAVAILABLE",
      `the battery was not run: ${"reason" in outcome ? outcome.reason : outcome.kind}`,
    );
  return { answers: trialAnswers(outcome.stdout.bytes.toString()), receipt: outcome.receipt };
}

/** By what twins are tried. */
interface Twinning {
  readonly host: Host;
  readonly arena: Arena;
  readonly shell: AbsolutePath;
  readonly session: Session;
  /** In a session under the config that grants more. */
  readonly widely: <Value>(work: (more: Session) => Promise<Value>) => Promise<Value>;
  readonly signal: AbortSignal;
}

async function tryTwins(
  { host, arena, shell, session, widely, signal }: Twinning,
  cases: readonly Case[],
): Promise<ReadonlyMap<Case, boolean>> {
  const plainly = async (
    lines: readonly string[],
    [file, ...words]: readonly [AbsolutePath, ...string[]],
  ) => {
    const text = `${arena.outside}${trialScript(lines)}`;
    return trialAnswers((await ask(file, [...words, "-c", text], { timeoutMs: OUTSIDE_MS, signal })).stdout);
  };
  const tryAll: Readonly<
    Record<Case["twin"]["where"], (lines: readonly string[]) => Promise<readonly boolean[]>>
  > = {
    granted: async (lines) => (await tryInside(session, lines)).answers,
    wider: (lines) => widely(async (more) => (await tryInside(more, lines)).answers),
    outside: (lines) => plainly(lines, [shell]),
    own: async (lines) => {
      const words = arena.own(host);
      return words === null ? [] : plainly(lines, [...words, shell]);
    },
  };
  const answers: [Case, boolean][] = [];
  for (const where of ["granted", "wider", "outside", "own"] as const) {
    const some = cases.filter(({ twin }) => twin.where === where);
    if (some.length === 0) continue;
    const found = await tryAll[where](some.map(({ twin }) => twin.line));
    for (const [at, one] of some.entries()) {
      const answer = found[at];
      if (answer !== undefined) answers.push([one, answer]);
    }
  }
  return new Map(answers);
}

/** A process of the same user whose command line holds the word. It ends with this one, however that ends. */
async function startSleeper(
  arena: Arena,
  shell: AbsolutePath,
  word: string,
  signal: AbortSignal,
): Promise<Disposable & { readonly pid: number }> {
  await arena.settle(shell, signal);
  signal.throwIfAborted();
  // Its input ends when nobody has the other end any more.
  const child = launchHelper(shell, ["-c", "read -r _", "cofferdam", word], {
    stdio: ["pipe", "ignore", "ignore"],
    runAs: null,
  });
  return { pid: child.pid ?? 0, [Symbol.dispose]: () => child.kill("SIGKILL") };
}
