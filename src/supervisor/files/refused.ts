import { CofferdamError, visible } from "../../errors.ts";
import type { Trail } from "../../journal/trail.ts";
import { isAbsolutePath } from "../../profile/path.ts";
import type { Root } from "../../tool/facts.ts";
import type { AnyFileTool } from "../../tool/files/all.ts";
import { type FileFaultError, faultError } from "../../tool/files/faults.ts";
import { shownPath } from "../../tool/files/written-path.ts";
import type { Denial } from "../denial.ts";
import type { ValueOutcome } from "../outcome.ts";
import type { Standing } from "../standing.ts";
import { denialOf } from "./prepare.ts";

/** A refusal of the worker by the profile, explained; null for any other fault. */
export function denialFor({ fault }: FileFaultError, tool: AnyFileTool, standing: Standing): Denial | null {
  const { path, need } = fault;
  if (fault.fault !== "DENIED") return null;
  const known = isAbsolutePath(path)
    ? denialOf({ path, need: need ?? "read", looked: { kind: "file" } }, tool, standing)
    : null;
  return (
    known ?? {
      operation: need ?? "read",
      target: path,
      certainty: "certain",
      because: fault.why,
      remedy: "list the folder under `sandbox.paths` in the config, if it is meant",
    }
  );
}

/** A fault as the error that the caller gets, its path told by the root that it lies in. */
export function errorFor({ fault }: FileFaultError, roots: readonly Root[]): CofferdamError {
  const { fault: kind } = fault;
  if (kind === "DENIED") return new CofferdamError("DENIED", fault.why);
  return faultError({ ...fault, fault: kind }, told(fault.path, roots));
}

/** A use of a file tool that the walls would refuse. */
export type FileDenied = Extract<ValueOutcome, { readonly kind: "denied" }>;

/** Ends a call that its walls would refuse: the first denial is told, all of them are in the outcome. */
export function denied(trail: Trail, denials: readonly Denial[], roots: readonly Root[]): FileDenied {
  const [first] = denials;
  const path = told(first?.target ?? "", roots);
  const reason = `no tool may ${first?.operation} ${visible(path)}: ${first?.because}`;
  trail.ended("denied", { reason: `DENIED: ${reason}` });
  return { kind: "denied", code: "DENIED", reason, hint: first?.remedy ?? "", denials };
}

function told(path: string, roots: readonly Root[]): string {
  return isAbsolutePath(path) ? shownPath(path, roots) : path;
}
