import { writeFileSync } from "node:fs";
import type { AttackTarget, On } from "../attacks/attack.ts";
import type { ClaimId } from "../attacks/claims.ts";
import { type ProgramOutcome, whyNotRun } from "../decide/outcome.ts";
import { visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { MemoryJournal } from "../journal/journal.ts";
import { type AbsolutePath, joinPath, parentOf } from "../profile/path.ts";
import type { Session } from "../session/session.ts";
import { createSupervisor, type Supervisor } from "../session/supervisor.ts";
import type { Arena } from "./arena.ts";
import type { SelftestFolders } from "./ground.ts";

/** The environment of a drill. */
export interface DrillSite {
  readonly arena: Arena;
  readonly session: Session;
  readonly ground: SelftestFolders;
  readonly host: Host;
  readonly target: Omit<AttackTarget, "neighbour">;
  readonly signal: AbortSignal;
}

/** The reason why something went wrong, in a few words; null if nothing did. */
export type DrillFault = string | null;

/** A check that no line of shell can do by itself, with its control: observed from outside, before and after calls. */
export interface Drill {
  readonly on: On;
  readonly claim: ClaimId;
  readonly title: string;
  readonly holds: (site: DrillSite) => Promise<DrillFault>;
  readonly control: (site: DrillSite) => Promise<DrillFault>;
  /** The reason why the control may fail on a healthy machine; then the drill was not done. */
  readonly controlMayFail?: string;
}

/** Runs a line of shell and returns its outcome. */
export function callLine(session: Session, line: string): Promise<ProgramOutcome> {
  return session.call("shell", { argv: ["sh", "-c", line] });
}

/** Null if a call had this outcome; else its outcome, with the end of its output. */
export function otherThan(kind: ProgramOutcome["kind"], outcome: ProgramOutcome): DrillFault {
  if (outcome.kind === kind) return null;
  if (!("receipt" in outcome)) return `${outcome.kind}: ${whyNotRun(outcome).reason}`;
  const { code, durationMs, stderr } = outcome;
  const said = stderr.bytes.toString().trim().slice(-MAX_SAID);
  return `${outcome.kind} with ${code} after ${Math.round(durationMs)} ms${said === "" ? "" : `: ${visible(said)}`}`;
}

const MAX_SAID = 200;

/** The reason why the line did not end with status 0. */
export async function undone(session: Session, line: string): Promise<DrillFault> {
  return otherThan("done", await callLine(session, line));
}

/** Null if all conditions hold; else the name of the first that does not. */
export function unless(found: Readonly<Record<string, boolean>>): DrillFault {
  return Object.entries(found).find(([, isSo]) => !isSo)?.[0] ?? null;
}

/** Runs an act under another config or other profiles. */
export async function withSupervisor<Value>(
  { ground, host, signal }: DrillSite,
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

/** Writes a config or profile beside the workspace. */
export function writeBeside({ ground }: DrillSite, name: string, content: unknown): AbsolutePath {
  const path = joinPath(parentOf(ground.ws), name);
  writeFileSync(path, JSON.stringify(content), { mode: 0o600 });
  return path;
}

/** A session that ends, with its calls, when the signal is aborted. */
export function sessionUntil(signal: AbortSignal, supervisor: Supervisor): Session {
  signal.throwIfAborted();
  const session = supervisor.session({ caller: "person" });
  signal.addEventListener("abort", () => void session[Symbol.asyncDispose](), { once: true });
  return session;
}

/** The control of drills that look for processes: the attacked one is found. */
export async function isSleeping({ target, arena, host }: DrillSite): Promise<DrillFault> {
  return unless({ "no process was found": await arena.isRunningWith(host, target.word) });
}

/** A line that succeeds if the file outside can be read. */
export function canary({ ground }: Pick<DrillSite, "ground">): string {
  return `grep -q secret ${joinPath(ground.outside, "canary")}`;
}
