import type { CallPolicy } from "../../decide/call-policy.ts";
import { denialOf } from "../../decide/prepare-file.ts";
import { CofferdamError, visible } from "../../errors.ts";
import type { Denial } from "../../policy/denial.ts";
import type { NotRun } from "../../policy/not-run.ts";
import { isAbsolutePath } from "../../profile/path.ts";
import type { Root } from "../../tool/facts.ts";
import type { AnyFileTool } from "../../tool/files/all.ts";
import { type FileFaultError, faultError } from "../../tool/files/faults.ts";
import { shownPath } from "../../tool/files/written-path.ts";

/** A refusal of the worker by the profile, explained; null for any other fault. */
export function denialFor({ fault }: FileFaultError, tool: AnyFileTool, policy: CallPolicy): Denial | null {
  const { path, need } = fault;
  if (fault.fault !== "DENIED") return null;
  const known = isAbsolutePath(path)
    ? denialOf({ path, need: need ?? "read", looked: { kind: "file" } }, tool, policy)
    : null;
  return (
    known ?? {
      operation: need ?? "read",
      target: path,
      certainty: "certain",
      because: fault.why,
      remedy: "list the folder under `sandbox.paths` in the config, if intended",
    }
  );
}

/** The error that the caller gets for a fault; it names the path by its root. */
export function errorFor({ fault }: FileFaultError, roots: readonly Root[]): CofferdamError {
  const { fault: kind } = fault;
  if (kind === "DENIED") return new CofferdamError("DENIED", fault.why);
  return faultError({ ...fault, fault: kind }, shownIfAbsolute(fault.path, roots));
}

/** The end of a use that the profile denies: the reason is the first denial, the outcome holds all. */
export function refusedUse(
  denials: readonly Denial[],
  roots: readonly Root[],
): Extract<NotRun, { readonly kind: "denied" }> {
  const [first] = denials;
  const path = shownIfAbsolute(first?.target ?? "", roots);
  const reason = `no tool may ${first?.operation} ${visible(path)}: ${first?.because}`;
  return { kind: "denied", code: "DENIED", reason, hint: first?.remedy ?? "", denials };
}

function shownIfAbsolute(path: string, roots: readonly Root[]): string {
  return isAbsolutePath(path) ? shownPath(path, roots) : path;
}
