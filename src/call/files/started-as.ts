import { type EnforcementReport, weakest } from "../../backend/plan.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { Machine } from "../../host/launch/machine.ts";
import { hiddenFrom, type OwnProgram } from "../../host/launch/own-program.ts";

/** Explains a sandbox that failed because its user can't reach Node: names the closed folder. */
export function explained(cause: unknown, own: OwnProgram, { runAs }: Machine): unknown {
  const isUnavailable = cause instanceof CofferdamError && cause.code === "SANDBOX_UNAVAILABLE";
  const hidden = isUnavailable && runAs !== null ? hiddenFrom(own, runAs) : null;
  if (hidden === null) return cause;
  const [program, closed] = [visible(own.node), visible(hidden)];
  const message = `file tools run ${program}, which the owner of the roots can't reach: ${closed} is closed`;
  return new CofferdamError("SANDBOX_UNAVAILABLE", message, {
    hint: `install Node in a folder that all users can enter, or open this one: chmod o+x ${closed}`,
    cause,
  });
}

/** Without private mounts, a call sees mounts that arrive on the host during it. */
export function seesLateMounts(report: EnforcementReport): EnforcementReport {
  const reason =
    "a call sees mounts that are made in a root while it runs: this machine allows no private mounts";
  return { ...report, files: weakest(report.files, { kind: "partial", reason }) };
}
