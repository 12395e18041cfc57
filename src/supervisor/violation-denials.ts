import { describeViolation, suggestionFor } from "../host/mac/suggest.ts";
import type { Violation } from "../host/mac/violation.ts";
import type { MacosGroup } from "../profile/macos.ts";
import { isAbsolutePath } from "../profile/path.ts";
import type { DeniableQuestion, Denial } from "./denial.ts";

/**
 * What the kernel's log says that it refused, most telling first, each once: by the clause of the profile that decided
 * where it is a path that the profile denies, else by the operation. The log is no proof of anything that is not in it.
 */
export function violationDenials(
  violations: readonly Violation[],
  told: (question: DeniableQuestion, certainty: Denial["certainty"]) => Denial | null,
): readonly Denial[] {
  const found = violations
    .map((violation) => ({ violation, rank: rankOf(violation) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ violation }) => denialOf(violation, told));
  return [...new Map(found.map((denial) => [`${denial.operation} ${denial.target}`, denial])).values()];
}

function denialOf(violation: Violation, told: Parameters<typeof violationDenials>[1]): Denial {
  const { operation, target } = violation;
  const question = questionOf(violation);
  const decided = question === null ? null : told(question, "certain");
  if (decided !== null) return decided;
  const { does, remedy } = suggestionFor(violation);
  return {
    operation: does,
    target: target ?? operation,
    certainty: "certain",
    because: describeViolation(violation),
    remedy,
  };
}

/** Which group of macOS would grant it, by operation and target as one text. */
const GROUPS: readonly (readonly [what: RegExp, group: MacosGroup])[] = [
  [/^mach-lookup com\.apple\.(trustd|trustd\.agent|ocspd)$/, "tls"],
  [/^mach-lookup com\.apple\.FSEvents$/, "watch"],
  [/^mach-lookup com\.apple\.cfprefsd\.|^user-preference-read\b/, "prefs"],
  [/^mach-lookup com\.apple\.sysmond$|^sysctl-read kern\.proc\.(all|pid|pgrp)\b/, "processes"],
  [/^ipc-posix-sem/, "python"],
  [/^ipc-posix-shm\S* \/__KMP_REGISTERED_LIB_/, "openmp"],
  [/^pseudo-tty\b|^file-\S+ \/dev\/ptmx$/, "pty"],
  [/^sysctl-write kern\.grade_cputype$/, "java"],
  [/^network-(bind|inbound) (?!\/)/, "listen"],
];

/** What the profile can be asked about it: groups of macOS, and paths that are whole, as the kernel resolved them. */
function questionOf({ operation, target }: Violation): DeniableQuestion | null {
  const text = target === null ? operation : `${operation} ${target}`;
  const group = GROUPS.find(([what]) => what.test(text))?.[1];
  if (group !== undefined) return { ask: "macos", group };
  if (target === null || !isAbsolutePath(target) || target.endsWith("…")) return null;
  const facts = { kind: "file", bornInside: false } as const;
  if (/^file-read-(data|xattr)$/.test(operation)) return { ask: "read", path: target, facts };
  return /^file-write-(create|data|unlink|mode|times|xattr)$/.test(operation)
    ? { ask: "write", path: target, facts }
    : null;
}

/** Looking at names on the way is refused to many programs that go on all the same. */
const RANKS: readonly RegExp[] = [/^file-write/, /^file-read-data/, /^network-/, /^process-exec|^forbidden-/];

function rankOf({ operation }: Violation): number {
  const at = RANKS.findIndex((rank) => rank.test(operation));
  if (at !== -1) return at;
  return operation === "file-read-metadata" ? RANKS.length + 1 : RANKS.length;
}
