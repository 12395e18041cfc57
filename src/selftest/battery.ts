import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { createServer, type ListenOptions } from "node:net";
import { Readable } from "node:stream";
import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { findHelper, fitHelper } from "../host/launcher.ts";
import { sweepUnfinished } from "../host/lock.ts";
import { printProcess, thisProcess } from "../host/process-id.ts";
import { ask, launchHelper } from "../host/spawn.ts";
import { MemoryJournal } from "../journal/journal.ts";
import { type AbsolutePath, joinPath, knownPath } from "../profile/path.ts";
import type { Receipt } from "../supervisor/receipt.ts";
import type { Session } from "../supervisor/session.ts";
import { createSupervisor } from "../supervisor/supervisor.ts";
import { answersOf, type Case, script, type Target } from "./case.ts";
import { casesFor } from "./cases/all.ts";
import type { ClaimId } from "./claims.ts";
import { DRILLS, type Drill, type Site, sessionUntil } from "./drills.ts";
import { type Ground, prepareGround } from "./ground.ts";

/** What became of one case. */
export interface Tried {
  readonly claim: ClaimId;
  readonly title: string;
  /** Whether the act was refused; null where it could not be tried. */
  readonly holds: boolean | null;
  /** Whether the twin succeeded; null where it could not be tried here. */
  readonly twin: boolean | null;
  /** Why something was not tried, or is open as the receipt says. */
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

/** Pids inside are small: a process of the host that had a small one could not be told from one inside. */
const SMALL_PID = 5_000;

/**
 * Tries every case on this machine, in folders and with a state of its own: real calls of a real supervisor attack, and
 * each twin shows that the act works. Nothing of it is left. Throws `SANDBOX_UNAVAILABLE` when no walls can be had; once the
 * signal is aborted, whatever that led to, when all of it has ended.
 */
export async function runBattery(host: Host, signal: AbortSignal): Promise<Report> {
  signal.throwIfAborted();
  const shell = findHelper(host, "sh");
  const word = randomBytes(12).toString("hex");
  using ground = prepareGround(word, host.user.uid === 0);
  using state = ownState(host);
  await using servers = await listen(ground);
  using sleeper = await startSleeper(shell, word, signal);
  const target: Target = { ...ground, ...servers, pid: sleeper.pid, word };
  const own: Host = {
    ...host,
    stateFolder: state.folder,
    operatorFolders: [],
    env: { ...host.env, SELFTEST_SECRET: word },
  };
  await using supervisor = await createSupervisor({
    config: ground.config,
    profiles: [ground.profile],
    cwd: ground.ws,
    host: own,
    journal: new MemoryJournal(),
  });
  const session = sessionUntil(signal, supervisor);
  const cases = casesFor(target);
  const { answers, receipt } = await tryInside(
    session,
    cases.map(({ attack }) => attack),
  );
  const twins = await tryTwins(host, shell, session, cases, signal);
  const tried = cases.map((one, at) => judged(one, answers[at], twins.get(one), { host, receipt }));
  for (const drill of DRILLS) {
    signal.throwIfAborted();
    tried.push(await tryDrill(drill, { session, ground, host: own, target, signal }));
  }
  const { backend, version, runAs, standings } = receipt;
  return { backend, version, runAs, standings, tried };
}

/** The twin comes first: what it leaves must not be what the drill finds. */
async function tryDrill({ claim, title, holds, twin }: Drill, site: Site): Promise<Tried> {
  const succeeds = await twin(site);
  return { claim, title, holds: await holds(site), twin: succeeds, note: null };
}

interface Circumstances {
  readonly host: Host;
  readonly receipt: Receipt;
}

function judged(
  { claim, title, twinFor, isOpenWithoutDevices }: Case,
  done: boolean | undefined,
  twin: boolean | undefined,
  { host, receipt }: Circumstances,
): Tried {
  const isOpen = isOpenWithoutDevices === true && receipt.standings.files.kind === "partial";
  const isForOthers = twinFor === "root" && host.user.uid !== 0;
  const note =
    done === undefined
      ? "the attacks did not run to their end"
      : isOpen && done
        ? "open here, as the receipt says"
        : isForOthers
          ? "the twin needs root"
          : twin === undefined
            ? "the twin could not be tried"
            : null;
  return {
    claim,
    title,
    holds: done === undefined ? null : isOpen ? null : !done,
    twin: isForOthers ? null : (twin ?? null),
    note,
  };
}

/** What the lines did inside, in one call. Throws `SANDBOX_UNAVAILABLE` where it did not run. */
async function tryInside(session: Session, lines: readonly string[]) {
  const outcome = await session.call(
    "shell",
    { argv: ["sh", "-s"] },
    { stdin: Readable.from([script(lines)]) },
  );
  if (!("receipt" in outcome) || outcome.receipt === null || !("stdout" in outcome))
    throw new CofferdamError(
      "SANDBOX_UNAVAILABLE",
      `the battery was not run: ${"reason" in outcome ? outcome.reason : outcome.kind}`,
    );
  return { answers: answersOf(outcome.stdout.bytes.toString()), receipt: outcome.receipt };
}

async function tryTwins(
  host: Host,
  shell: AbsolutePath,
  session: Session,
  cases: readonly Case[],
  signal: AbortSignal,
): Promise<ReadonlyMap<Case, boolean>> {
  const of = (where: Case["twin"]["where"]): readonly Case[] =>
    cases.filter(({ twin }) => twin.where === where);
  const linesOf = (some: readonly Case[]): readonly string[] => some.map(({ twin }) => twin.line);
  const plainly = async (some: readonly Case[], file: AbsolutePath, words: readonly string[]) => {
    const { stdout } = await ask(file, [...words, script(linesOf(some))], { timeoutMs: OUTSIDE_MS, signal });
    return answersOf(stdout);
  };
  const unshare = fitHelper(host, "unshare");
  const [granted, outside, own] = [of("granted"), of("outside"), of("own")];
  const answers = [
    [granted, (await tryInside(session, linesOf(granted))).answers],
    [outside, await plainly(outside, shell, ["-c"])],
    [own, unshare === null ? [] : await plainly(own, unshare, ["-Urmu", shell, "-c"])],
  ] as const;
  return new Map(
    answers.flatMap(([some, found]) =>
      some.flatMap((one, at): [Case, boolean][] => {
        const answer = found[at];
        return answer === undefined ? [] : [[one, answer]];
      }),
    ),
  );
}

/** A state folder of the battery's own beside the caller's; what a killed one left is removed by the next. */
function ownState(host: Host): Disposable & { readonly folder: AbsolutePath } {
  const place = joinPath(host.stateFolder, "selftest");
  sweepUnfinished(place);
  const folder = knownPath(`${place}.${printProcess(thisProcess())}`);
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Servers of the host: on loopback, by a path in a folder that nobody granted, and by an abstract name. */
async function listen(ground: Ground) {
  const abstract = `cofferdam-selftest-${randomBytes(8).toString("hex")}`;
  const start = async (options: ListenOptions) => {
    const server = createServer((socket) => socket.on("error", () => undefined).end()).listen(options);
    await once(server, "listening");
    return server;
  };
  const tcp = await start({ host: "127.0.0.1", port: 0 });
  const others = [
    await start({ path: joinPath(ground.outside, "socket") }),
    await start({ path: `\0${abstract}` }),
  ];
  const address = tcp.address();
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    abstract,
    [Symbol.asyncDispose]: async () => {
      for (const server of [tcp, ...others]) server.close();
    },
  };
}

/** A process of the same user whose command line holds the word. It ends with this one, however that ends. */
async function startSleeper(
  shell: AbsolutePath,
  word: string,
  signal: AbortSignal,
): Promise<Disposable & { readonly pid: number }> {
  const line = `while [ "$(sh -c 'echo $$')" -lt ${SMALL_PID} ]; do for i in 1 2 3 4 5 6 7 8 9; do (:); done; done`;
  await ask(shell, ["-c", line], { timeoutMs: 60_000, signal });
  signal.throwIfAborted();
  // Its input ends when nobody has the other end any more.
  const child = launchHelper(shell, ["-c", "read -r _", "cofferdam", word], {
    stdio: ["pipe", "ignore", "ignore"],
    runAs: null,
  });
  return { pid: child.pid ?? 0, [Symbol.dispose]: () => child.kill("SIGKILL") };
}
