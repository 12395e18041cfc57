import type { Facts, PathNode } from "../../../src/backend/facts.ts";
import type { NotEnforceable, Rendering, RulePlan } from "../../../src/backend/plan.ts";
import { type AbsolutePath, knownPath, upwards } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import type { FileEntry, Mask, ProfileParts } from "../../../src/profile/profile.ts";
import { macFacts } from "./mac-case.ts";

/** What a profile gives of one path. */
export function entry(path: string, access: FileEntry["access"], suffixes?: readonly string[]): FileEntry {
  return { path: knownPath(path), access, suffixes: suffixes ?? "any" };
}

/** A profile that lets one path be written. */
export function write(path: string, suffixes?: readonly string[]): ProfileParts {
  return { files: [entry(path, "write", suffixes)] };
}

export function masks(text: string, atMost: Mask["atMost"], ignoreCase = false): readonly Mask[] {
  return parsePatterns(text).map((pattern) => ({ pattern, atMost, ignoreCase }));
}

export function link(target: string): PathNode {
  return { kind: "link", id: target, target: knownPath(target) };
}

/** A Mac on which these nodes stand, with the folders above them. */
export function machine(
  nodes: Readonly<Record<string, PathNode | "folder" | "file">> = {},
  found: Partial<Facts> = {},
): Facts {
  const all = new Map<AbsolutePath, PathNode>();
  for (const [text, node] of Object.entries(nodes)) {
    for (const at of upwards(knownPath(text))) if (!all.has(at)) all.set(at, { kind: "folder", id: at });
    all.set(knownPath(text), typeof node === "string" ? { kind: node, id: text } : node);
  }
  return macFacts({ nodes: all, ...found });
}

/** The plan of rules that must have been made. */
export function planOf(rendering: Rendering): RulePlan {
  if (rendering.kind === "plan" && rendering.plan.kind === "rules") return rendering.plan;
  throw new Error(rendering.kind === "refusal" ? rendering.refusal.reason : "a plan of mounts");
}

/** The refusal that must have come. */
export function refusalOf(rendering: Rendering): NotEnforceable {
  if (rendering.kind === "refusal") return rendering.refusal;
  throw new Error("was not refused");
}
