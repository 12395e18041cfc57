import { type Standings, weaker } from "../../backend/plan.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { Machine } from "../../host/machine.ts";
import { hiddenFrom, type OwnProgram } from "../../host/own-program.ts";

/** Walls that could not be built because tools run as somebody who does not get to Node: said so, by the folder. */
export function explained(cause: unknown, own: OwnProgram, { runAs }: Machine): unknown {
  const isUnavailable = cause instanceof CofferdamError && cause.code === "SANDBOX_UNAVAILABLE";
  const hidden = isUnavailable && runAs !== null ? hiddenFrom(own, runAs) : null;
  if (hidden === null) return cause;
  const [program, closed] = [visible(own.node), visible(hidden)];
  const message = `files are worked on by ${program}, which the owner of the roots can't reach: ${closed} is closed`;
  return new CofferdamError("SANDBOX_UNAVAILABLE", message, {
    hint: `install Node where every user gets to it, or let all pass: chmod o+x ${closed}`,
    cause,
  });
}

/** Where its mounts are not its own, what arrives on the host during a call is seen by that call. */
export function seesLateMounts(standings: Standings): Standings {
  const reason = "a mount that arrives in a root during a call is seen: no private mounts can be had here";
  return { ...standings, files: weaker(standings.files, { kind: "partial", reason }) };
}
