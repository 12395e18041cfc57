import { visible } from "../../errors.ts";
import { type Appeared, lookForAppeared } from "../../host/appeared.ts";
import type { LeftCall, WatchedCall } from "../../host/call-watches.ts";
import { isChangedSince, mayBeBroughtSince } from "../../host/changed-since.ts";
import { lookingOnce } from "../../host/leads.ts";
import { realPathOf, statsOf } from "../../host/nodes.ts";
import { placeOfName } from "../../host/search/watched-names.ts";
import { Trail } from "../../journal/trail.ts";
import { strictestAppeared } from "../../policy/appeared-policy.ts";
import { parseProfile } from "../../profile/canonical.ts";
import { type AbsolutePath, parentOf } from "../../profile/path.ts";
import { writableIn } from "../../profile/profile.ts";
import type { Shared } from "../shared.ts";
import type { AfterCall } from "./after-call.ts";
import { MADE_SINCE, settleAppeared } from "./settle.ts";

/** What the sweep needs of a supervisor. */
export type Sweeping = AfterCall["shared"] &
  Pick<Shared, "watches" | "memory" | "executed" | "executedIn" | "ledger" | "walls" | "recorder">;

/**
 * Sees to what calls made whose supervisors were killed: what hosts execute of that is taken away, and nobody is asked. Returns a line
 * for each call of which something was found.
 */
export async function sweepAppeared(shared: Sweeping): Promise<readonly string[]> {
  await shared.quarantine.sweep();
  const lines: string[] = [];
  for (const left of shared.watches.leftBehind())
    try {
      lines.push(...(await settleLeft(left, shared)));
    } catch (cause) {
      // No call may keep all later ones from starting. It stays written down, and is told at each start.
      const problem = cause instanceof Error ? cause.message : String(cause);
      lines.push(
        `what a call of ${left.call.tool} that was cut off made can't be told, and is left: ${problem}`,
      );
    }
  return lines;
}

async function settleLeft({ call, overBy, forget }: LeftCall, shared: Sweeping): Promise<readonly string[]> {
  const { host, memory, executed, executedIn, ledger, walls } = shared;
  const { sessionId, callId, tool, workspace, beganAt } = call;
  // What the one says to leave, the other may not.
  const appeared = strictestAppeared(shared.appeared, call.appeared);
  const profile = parseProfile(Buffer.from(call.profile).toString());
  const mac = walls.kind === "standing" ? walls.machine.facts.mac : null;
  const before = { ...call.before, mac };
  using trail = new Trail(shared.recorder, { sessionId, callId, tool, agent: null });
  const found = await lookForAppeared(host, profile, before, {
    memory,
    executed,
    executedIn,
    // This process saw nothing before: what changed last before the call is not its.
    sinceMs: Number.NEGATIVE_INFINITY,
    startedAt: beganAt,
    isMade: madeSince(call, writableIn(profile)),
    placeholders: () => ledger.held(),
  });
  const settled = await settleAppeared(found, {
    shared: { ...shared, appeared },
    from: { sessionId, callId, tool, workspace },
    profile,
    before,
    startedAt: beganAt,
    record: (body) => trail.record(body),
    agreed: [],
    isMadeSince: (path) => isBornSince(path, overBy),
    asks: null,
    onTaken: () => undefined,
  });
  if (found.unknown === null) forget?.();
  const taken = named(settled.found.filter(({ fate }) => fate.kind === "quarantined"));
  const left = named(settled.found.filter(({ fate }) => fate === MADE_SINCE));
  const after = `a call of ${tool} that was cut off`;
  return [
    ...(taken === null
      ? []
      : [`${after}, or somebody since, made ${taken}: quarantined (\`cofferdam quarantine list\`)`]),
    ...(left === null ? [] : [`made, or written anew, after ${after}, and left: ${left}`]),
  ];
}

/**
 * True for a path at which the call may have made something, or to which it may have brought something with a folder. What was there
 * before, in the same folder, was not brought.
 */
function madeSince(
  { beganAt, watched }: Pick<WatchedCall, "beganAt" | "watched">,
  roots: readonly AbsolutePath[],
): (path: AbsolutePath) => boolean {
  const wasThere = new Set(watched);
  const look = lookingOnce();
  return (path) => {
    if (isChangedSince(path, beganAt, look)) return true;
    const folder = look(parentOf(path));
    const isNew = folder !== null && !wasThere.has(placeOfName(folder, path));
    return isNew && mayBeBroughtSince(path, beganAt, roots, look);
  };
}

/** The most paths that a line names. */
const MAX_NAMED = 3;

function named(found: readonly Appeared[]): string | null {
  if (found.length === 0) return null;
  const shown = found.slice(0, MAX_NAMED).map(({ path }) => visible(path));
  return `${shown.join(", ")}${found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : ""}`;
}

/**
 * True for what was not there at that moment, in milliseconds since 1970, under any name. No program can set the time at which
 * something was born (statx(2), `stx_btime`); a file system that knows none tells 1970. What a link leads to is what that was.
 */
function isBornSince(path: AbsolutePath, moment: number): boolean {
  const { birthtimeMs = 0 } = statsOf(path) ?? {};
  return birthtimeMs > moment && realPathOf(parentOf(path)) === parentOf(path);
}
