import { visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { MemoryJournal } from "../journal/journal.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import type { ProgramOutcome } from "../supervisor/outcome.ts";
import type { Session } from "../supervisor/session.ts";
import { createSupervisor, type Supervisor } from "../supervisor/supervisor.ts";
import type { Arena } from "./arena.ts";
import type { On, Target } from "./case.ts";
import type { ClaimId } from "./claims.ts";
import type { Ground } from "./ground.ts";

/** What a drill is done with. */
export interface Site {
  readonly arena: Arena;
  readonly session: Session;
  readonly ground: Ground;
  readonly host: Host;
  readonly target: Target;
  /** Aborted when the battery is to end. */
  readonly signal: AbortSignal;
}

/** Why something did not come as it must, in a few words; null where it did. */
export type Fault = string | null;

/** Something that no line of shell can try by itself, with its twin: what is seen from outside, before and after calls. */
export interface Drill {
  readonly on: On;
  readonly claim: ClaimId;
  readonly title: string;
  readonly holds: (site: Site) => Promise<Fault>;
  readonly twin: (site: Site) => Promise<Fault>;
  /** Why the twin may fail on a machine that is in order; then the drill was not done. */
  readonly twinMayFail?: string;
}

/** What a line of shell came to. */
export function callLine(session: Session, line: string): Promise<ProgramOutcome> {
  return session.call("shell", { argv: ["sh", "-c", line] });
}

/** Null where a call came to this; else what it came to, with the end of what it said. */
export function otherThan(kind: ProgramOutcome["kind"], outcome: ProgramOutcome): Fault {
  if (outcome.kind === kind) return null;
  if ("reason" in outcome) return `${outcome.kind}: ${outcome.reason}`;
  const { code, durationMs, stderr } = outcome;
  const said = stderr.bytes.toString().trim().slice(-MOST_SAID);
  return `${outcome.kind} with ${code} after ${Math.round(durationMs)} ms${said === "" ? "" : `: ${visible(said)}`}`;
}

/** The most characters of a program's output that are told. */
const MOST_SAID = 200;

/** Why the line did not end with status 0. */
export async function undone(session: Session, line: string): Promise<Fault> {
  return otherThan("done", await callLine(session, line));
}

/** Null where all of this is so; else the first that is not, by its name. */
export function unless(found: Readonly<Record<string, boolean>>): Fault {
  return Object.entries(found).find(([, isSo]) => !isSo)?.[0] ?? null;
}

/** Does something under another config or other profiles. */
export async function withSupervisor<Value>(
  { ground, host, signal }: Site,
  choice: { readonly config?: AbsolutePath; readonly profiles?: readonly AbsolutePath[] },
  work: (session: Session) => Promise<Value>,
): Promise<Value> {
  await using supervisor = await createSupervisor({
    config: ground.config,
    cwd: ground.ws,
    host,
    journal: new MemoryJournal(),
    ...choice,
  });
  return await work(sessionUntil(signal, supervisor));
}

/** A session that ends when the signal is aborted, and with it what it still does. */
export function sessionUntil(signal: AbortSignal, supervisor: Supervisor): Session {
  signal.throwIfAborted();
  const session = supervisor.session({ caller: "person" });
  signal.addEventListener("abort", () => void session[Symbol.asyncDispose](), { once: true });
  return session;
}

/** The twin of what looks for processes: the one that is attacked is found. */
export async function isSleeping({ target, arena, host }: Site): Promise<Fault> {
  return unless({ "no process was found": await arena.isRunningWith(host, target.word) });
}

/** A line that succeeds where the file outside can be read. */
export function canary({ ground }: Pick<Site, "ground">): string {
  return `grep -q secret ${joinPath(ground.outside, "canary")}`;
}
