import { visible } from "../../errors.ts";
import { type Appeared, lookForAppeared } from "../../host/launch/appeared.ts";
import type { LeftCall, WatchedCall } from "../../host/launch/call-watches.ts";
import { isChangedSince, mayBeBroughtSince } from "../../host/look/changed-since.ts";
import { lookingOnce } from "../../host/look/leads.ts";
import { realPathOf, statsOf } from "../../host/look/nodes.ts";
import { placeOfName } from "../../host/look/search/watched-names.ts";
import { CallLog } from "../../journal/call-log.ts";
import { strictestAppeared } from "../../policy/appeared-policy.ts";
import { parseProfile } from "../../profile/canonical.ts";
import { type AbsolutePath, parentOf } from "../../profile/path.ts";
import { writableIn } from "../../profile/profile.ts";
import type { SupervisorContext } from "../supervisor-context.ts";
import type { AfterCall } from "./after-call.ts";
import { MADE_SINCE, settleAppeared } from "./settle.ts";

/** The parts of a supervisor that the sweep needs. */
export type SweepParts = AfterCall["shared"] &
  Pick<
    SupervisorContext,
    "watches" | "memory" | "executed" | "executedIn" | "ledger" | "sandbox" | "recorder"
  >;

/** Takes away files that hosts execute of calls of killed supervisors, without a question. Returns lines to report. */
export async function sweepAppeared(shared: SweepParts): Promise<readonly string[]> {
  await shared.quarantine.sweep();
  const lines: string[] = [];
  for (const left of shared.watches.leftBehind())
    try {
      lines.push(...(await settleLeft(left, shared)));
    } catch (cause) {
      // No call may keep all later ones from starting. It stays recorded and is reported at each start.
      const problem = cause instanceof Error ? cause.message : String(cause);
      lines.push(
        `the new files of an interrupted call of ${left.call.tool} are unknown and stay in place: ${problem}`,
      );
    }
  return lines;
}

async function settleLeft(
  { call, overBy, forget }: LeftCall,
  shared: SweepParts,
): Promise<readonly string[]> {
  const { host, memory, executed, executedIn, ledger, sandbox } = shared;
  const { sessionId, callId, tool, workspace, beganAt } = call;
  // The stricter policy applies: one may leave files that the other does not.
  const appeared = strictestAppeared(shared.appeared, call.appeared);
  const profile = parseProfile(Buffer.from(call.profile).toString());
  const mac = sandbox.kind === "available" ? sandbox.machine.facts.mac : null;
  const before = { ...call.before, mac };
  using log = new CallLog(shared.recorder, { sessionId, callId, tool, agent: null });
  const found = await lookForAppeared(host, profile, before, {
    memory,
    executed,
    executedIn,
    // This process has no earlier state: changes before the call are not the call's.
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
    record: (body) => log.record(body),
    agreed: [],
    isMadeSince: (path) => isBornSince(path, overBy),
    asks: null,
    onTaken: () => undefined,
  });
  if (found.unknown === null) forget?.();
  const taken = named(settled.found.filter(({ fate }) => fate.kind === "quarantined"));
  const left = named(settled.found.filter(({ fate }) => fate === MADE_SINCE));
  const after = `an interrupted call of ${tool}`;
  return [
    ...(taken === null
      ? []
      : [`quarantined, created during or after ${after}: ${taken} (\`cofferdam quarantine list\`)`]),
    ...(left === null ? [] : [`created or rewritten after ${after}, left in place: ${left}`]),
  ];
}

/** True for a path where the call may have made something, or brought it with a folder that lacked the name before. */
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

const MAX_NAMED = 3;

function named(found: readonly Appeared[]): string | null {
  if (found.length === 0) return null;
  const shown = found.slice(0, MAX_NAMED).map(({ path }) => visible(path));
  return `${shown.join(", ")}${found.length > MAX_NAMED ? ` and ${found.length - MAX_NAMED} more` : ""}`;
}

/**
 * True if the file did not exist under any name at that moment, in milliseconds since 1970. No program can set a birth
 * time (statx(2), `stx_btime`); a file system without birth times reports 1970. For a link, its target counts.
 */
function isBornSince(path: AbsolutePath, moment: number): boolean {
  const { birthtimeMs = 0 } = statsOf(path) ?? {};
  return birthtimeMs > moment && realPathOf(parentOf(path)) === parentOf(path);
}
