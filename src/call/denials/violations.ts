import type { DeniableQuestion } from "../../decide/denial.ts";
import { describeViolation, suggestionFor } from "../../host/launch/mac/suggest.ts";
import type { Violation } from "../../host/launch/mac/violation.ts";
import type { Denial } from "../../policy/denial.ts";
import type { MacosGroup } from "../../profile/macos.ts";
import { isAbsolutePath } from "../../profile/path.ts";

/**
 * Refusals in the kernel's log, most telling first, each once: by the deciding clause for a path that the profile
 * denies, else by the operation. The log proves nothing about acts that it does not list.
 */
export function violationDenials(
  violations: readonly Violation[],
  ask: (question: DeniableQuestion, certainty: Denial["certainty"]) => Denial | null,
): readonly Denial[] {
  const found = violations
    .map((violation) => ({ violation, rank: rankOf(violation) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ violation }) => denialOf(violation, ask));
  return [...new Map(found.map((denial) => [`${denial.operation} ${denial.target}`, denial])).values()];
}

function denialOf(violation: Violation, ask: Parameters<typeof violationDenials>[1]): Denial {
  const { operation, target } = violation;
  const question = questionOf(violation);
  const decided = question === null ? null : ask(question, "certain");
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

/** The macOS group that would grant it, by operation and target as one text. */
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

/** The question to the profile: a group of macOS, or a complete path, as the kernel resolved it. */
function questionOf({ operation, target }: Violation): DeniableQuestion | null {
  const text = target === null ? operation : `${operation} ${target}`;
  const group = GROUPS.find(([what]) => what.test(text))?.[1];
  if (group !== undefined) return { ask: "macos", group };
  if (target === null || !isAbsolutePath(target) || target.endsWith("…")) return null;
  const facts = { kind: "file", bornInside: false } as const;
  if (/^file-(?:read|test-existence|search|map-executable)/.test(operation))
    return { ask: "read", path: target, facts };
  return /^file-(?:write-(?!setugid)|clone)/.test(operation) ? { ask: "write", path: target, facts } : null;
}

/** Many programs continue after a denied look at names on the way. */
const RANKS: readonly RegExp[] = [/^file-write/, /^file-read-data/, /^network-/, /^process-exec|^forbidden-/];

function rankOf({ operation }: Violation): number {
  const at = RANKS.findIndex((rank) => rank.test(operation));
  if (at !== -1) return at;
  return operation === "file-read-metadata" ? RANKS.length + 1 : RANKS.length;
}
