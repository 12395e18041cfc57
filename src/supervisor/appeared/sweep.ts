import { visible } from "../../errors.ts";
import { lookForAppeared } from "../../host/appeared.ts";
import type { LeftCall } from "../../host/call-watches.ts";
import { statsOf } from "../../host/nodes.ts";
import { Trail } from "../../journal/trail.ts";
import { parseProfile } from "../../profile/canonical.ts";
import type { Shared } from "../shared.ts";
import type { AfterCall } from "./after-call.ts";
import { settleAppeared } from "./settle.ts";

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
  for (const left of shared.watches.leftBehind()) lines.push(...(await settleLeft(left, shared)));
  return lines;
}

async function settleLeft({ call, forget }: LeftCall, shared: Sweeping): Promise<readonly string[]> {
  const { host, memory, executed, executedIn, ledger, walls } = shared;
  const { sessionId, callId, tool, workspace, beganAt } = call;
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
    isMade: (path) => (statsOf(path)?.ctimeMs ?? 0) >= beganAt,
    placeholders: () => ledger.held(),
  });
  const settled = await settleAppeared(found, {
    shared,
    from: { sessionId, callId, tool, workspace },
    profile,
    before,
    startedAt: beganAt,
    record: (body) => trail.record(body),
    agreed: [],
    asks: null,
    onTaken: () => undefined,
  });
  if (found.unknown === null) forget?.();
  const paths = settled.found.flatMap(({ path, fate }) =>
    fate.kind === "quarantined" ? [visible(path)] : [],
  );
  if (paths.length === 0) return [];
  const shown = paths.slice(0, 3).join(", ");
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : "";
  return [
    `a call of ${tool} that was cut off had made ${shown}${more}: quarantined (\`cofferdam quarantine list\`)`,
  ];
}
