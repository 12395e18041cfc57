import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { CLAIMS, type ClaimId } from "../../../src/attacks/claims.ts";
import { attacksFor } from "../../../src/attacks/table.ts";
import { drillsFor } from "../../../src/selftest/drills.ts";
import { SOME_TARGET } from "../attack-target.ts";
import { dailyTests } from "../nightly.ts";

/** A test that names the claim that it proves, and where it stands. */
export interface Evidence {
  readonly claim: ClaimId;
  readonly title: string;
  /** A file of `test/`, or `selftest` for what anybody can try on their own machine. */
  readonly where: string;
}

const CHECKOUT = join(import.meta.dirname, "../../..");

/** Every case of the selftest, and every title of a daily test in `test/` that begins with the id of a claim. */
export function evidence(): readonly Evidence[] {
  const cases = (["linux", "darwin"] as const).flatMap((platform) => [
    ...attacksFor(SOME_TARGET, platform),
    ...drillsFor(platform),
  ]);
  return [
    ...distinct(cases).map(({ claim, title }): Evidence => ({ claim, title, where: "selftest" })),
    ...titles().flatMap(({ id, title, where }): Evidence[] =>
      isClaim(id) ? [{ claim: id, title, where }] : [],
    ),
  ];
}

/** What both platforms try is one. */
function distinct<One extends { readonly claim: string; readonly title: string }>(
  cases: readonly One[],
): readonly One[] {
  return [...new Map(cases.map((one) => [`${one.claim}: ${one.title}`, one])).values()];
}

/** Titles that begin like one with an id, of which there is no claim. */
export function strangers(): readonly string[] {
  return titles()
    .filter(({ id }) => !isClaim(id) && id.includes("."))
    .map(({ id, title, where }) => `${where}: ${id}: ${title}`);
}

function isClaim(id: string): id is ClaimId {
  return Object.hasOwn(CLAIMS, id);
}

/** A text behind `it(`, `describe.each(…)(` or `claim:` that begins with a word and a colon. */
const TITLE =
  /(?:\b(?:it|test|describe|itNeeds)\b[^"'`\n]*\(|\bitUnless\(\s*[\w.]+,|\)\s*\()\s*(["'`])([a-z][a-z.-]*): ((?:(?!\1)[^\\\n]|\\.)*)\1/g;

function titles(): readonly { readonly id: string; readonly title: string; readonly where: string }[] {
  return dailyTests()
    .filter((file) => file.startsWith("test/") && !file.startsWith("test/claims"))
    .flatMap((file) =>
      [...readFileSync(join(CHECKOUT, file), "utf8").matchAll(TITLE)].map(([, , id = "", title = ""]) => ({
        id,
        title,
        where: relative("test", file),
      })),
    );
}
