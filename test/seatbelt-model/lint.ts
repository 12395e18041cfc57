import { compile } from "./compile.ts";
import { type Failure, orFailure } from "./fault.ts";
import { PROFILE_LINTS } from "./lint-profiles.ts";
import { RULE_LINTS } from "./lint-rules.ts";
import { EXPRESSION_LINTS, type Found, TEXT_LINTS } from "./lint-text.ts";
import type { Reading } from "./query.ts";
import { read } from "./read.ts";
import { LEAST_KNOWN, LIKELY } from "./readings.ts";

/** What a lint found in a text: `unclean-path` on line 3, `/a//b`. */
export interface Finding extends Found {
  readonly lint: string;
}

/**
 * What is wrong with a text although the system may take it: rules that are dead, that grant more than they seem to, or
 * that some release refuses. A text that is no profile has the finding `no-profile`.
 */
export function lint(text: string, params: ReadonlyMap<string, string> = new Map()): readonly Finding[] {
  const forms = orFailure(() => read(text));
  if ("kind" in forms) return [...named(TEXT_LINTS, text), noProfile(forms)];
  const readings = [LIKELY, { ...LIKELY, knows: LEAST_KNOWN }];
  return unlike([
    ...named(TEXT_LINTS, text),
    ...named(EXPRESSION_LINTS, forms),
    ...readings.flatMap((reading) => profileFindings(text, params, reading)),
  ]);
}

function profileFindings(
  text: string,
  params: ReadonlyMap<string, string>,
  reading: Reading,
): readonly Finding[] {
  const profile = compile(text, reading, { params });
  if (profile.kind !== "profile") return [noProfile(profile)];
  return [
    ...profile.rules.flatMap((rule) => named(RULE_LINTS, rule)),
    ...Object.entries(PROFILE_LINTS).flatMap(([name, look]) =>
      look(profile, reading).map((one) => ({ lint: name, ...one })),
    ),
  ];
}

function named<Subject>(
  lints: Readonly<Record<string, (subject: Subject) => readonly Found[]>>,
  subject: Subject,
): readonly Finding[] {
  return Object.entries(lints).flatMap(([name, look]) =>
    look(subject).map((one) => ({ lint: name, ...one })),
  );
}

function noProfile(failure: Failure): Finding {
  const what = failure.kind === "error" ? failure.message : `unsupported: ${failure.what}`;
  return { lint: "no-profile", line: failure.line, what };
}

function unlike(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((one) => [JSON.stringify(one), one])).values()];
}
