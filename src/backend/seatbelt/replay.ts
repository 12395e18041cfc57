import { CofferdamError, visible } from "../../errors.ts";
import { type Access, isAtMost } from "../../profile/access.ts";
import { type Kind, pathRuler } from "../../profile/access-to.ts";
import { type AbsolutePath, joinPath, parentOf } from "../../profile/path.ts";
import type { Profile } from "../../profile/profile.ts";
import { areaTest } from "./area.ts";
import {
  everyRule,
  type FileFacts,
  type FileRule,
  type FileRules,
  foldedMasks,
  type Right,
} from "./file-rules.ts";
import { spelledLike } from "./volumes.ts";

/** The result of all rules together: nothing, allow, deny, or both, which in disjoint normal form never happens. */
export type RuleAnswer = "default" | "allow" | "deny" | "both";

export type Replay = (right: (typeof ASKED)[number], path: AbsolutePath, kind: Kind) => RuleAnswer;

/** Reads rules without regard to their order, from their meaning, not from their printed text. */
export function replay(rules: readonly FileRule[]): Replay {
  const tests = rules.map((rule) => ({ action: rule.action, right: rule.right, holds: areaTest(rule.area) }));
  const about = Object.groupBy(
    ASKED.flatMap((asked) =>
      tests.filter((rule) => isAbout(rule.right, asked)).map((rule) => ({ ...rule, asked })),
    ),
    (rule) => rule.asked,
  );
  return (right, path, kind) => {
    const speaking = (about[right] ?? []).filter((rule) => rule.holds(path, kind));
    const [first, ...others] = speaking.map((rule) => rule.action);
    if (first === undefined) return "default";
    return others.every((action) => action === first) ? first : "both";
  };
}

const ASKED = ["read", "pass", "change", "names"] as const;

/** Reading includes stat; writing is changing and naming. */
function isAbout(has: Right, asked: Right): boolean {
  if (has === "read") return asked === "read" || asked === "pass";
  if (has === "write") return asked === "change" || asked === "names";
  return has === asked;
}

/** The access that the rules give, or their contradiction. */
export function accessUnder(ask: Replay, path: AbsolutePath, kind: Kind): Access | "contradiction" {
  const [read, change] = [ask("read", path, kind), ask("change", path, kind)];
  if (read === "both" || change === "both" || (change === "allow" && read !== "allow"))
    return "contradiction";
  return change === "allow" ? "write" : read === "allow" ? "read" : "none";
}

/**
 * Replays the rules against the model (law 7). A file has exactly the profile's access; a folder, or a path of another
 * case, no more. A name is changed only if path and folder are writable. Throws `INTERNAL` if they disagree.
 */
export function assertAgrees(profile: Profile, facts: FileFacts, files: FileRules): void {
  const ask = replay(everyRule(files));
  const ruler = pathRuler({ ...profile, masks: foldedMasks(profile.masks, facts) });
  const allowed = (path: AbsolutePath, kind: Kind): Access => ruler(path, { kind, bornInside: false }).access;
  const entries = profile.files.map((entry) => entry.path);
  const literals = profile.masks.flatMap((mask) => mask.pattern.literal ?? []);
  const points = new Set(
    [...entries, ...literals, ...facts.hits, ...files.pins].flatMap((path) => [path, joinPath(path, "x")]),
  );
  const isSpelledAlike = spelledLike(profile.files);
  for (const path of points) {
    for (const kind of ["file", "folder"] as const) {
      const [given, wanted] = [accessUnder(ask, path, kind), allowed(path, kind)];
      const isAgreed =
        kind === "file" && isSpelledAlike(path)
          ? given === wanted
          : given !== "contradiction" && isAtMost(given, wanted);
      if (!isAgreed) throw disagreement(path, `${given} to a ${kind}`, wanted);
      const canName = wanted === "write" && allowed(parentOf(path), "folder") === "write";
      const naming = ask("names", path, kind);
      if (naming === "both" || (naming === "allow" && !canName))
        throw disagreement(path, `its name to a ${kind}`, wanted);
    }
  }
}

function disagreement(path: AbsolutePath, given: string, wanted: Access): CofferdamError {
  return new CofferdamError(
    "INTERNAL",
    `the rules grant ${given} at ${visible(path)}, but the profile grants ${wanted}`,
  );
}
