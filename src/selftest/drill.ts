import type { Host } from "../host/host.ts";
import { MemoryJournal } from "../journal/journal.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
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

/** Something that no line of shell can try by itself, with its twin: what is seen from outside, before and after calls. */
export interface Drill {
  readonly on: On;
  readonly claim: ClaimId;
  readonly title: string;
  readonly holds: (site: Site) => Promise<boolean>;
  readonly twin: (site: Site) => Promise<boolean>;
  /** Why the twin may fail on a machine that is in order; then the drill was not done. */
  readonly twinMayFail?: string;
}

/** True where the line ends with status 0. */
export async function isDone(session: Session, line: string): Promise<boolean> {
  return (await session.call("shell", { argv: ["sh", "-c", line] })).kind === "done";
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

/** A line that succeeds where the file outside can be read. */
export function canary({ ground }: Pick<Site, "ground">): string {
  return `grep -q secret ${joinPath(ground.outside, "canary")}`;
}
