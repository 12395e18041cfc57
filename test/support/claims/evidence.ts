import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { absolutePath } from "../../../src/profile/path.ts";
import { casesFor } from "../../../src/selftest/cases/all.ts";
import { CLAIMS, type ClaimId } from "../../../src/selftest/claims.ts";
import { drillsFor } from "../../../src/selftest/drills.ts";

/** A test that names the claim that it proves, and where it stands. */
export interface Evidence {
  readonly claim: ClaimId;
  readonly title: string;
  /** A file of `test/`, or `selftest` for what anybody can try on their own machine. */
  readonly where: string;
}

const TESTS = join(import.meta.dirname, "../..");
const at = (name: string) => absolutePath(`/top/${name}`);

/** Every case of the selftest, and every title in `test/` that begins with the id of a claim. */
export function evidence(): readonly Evidence[] {
  const folders = { ws: at("ws"), docs: at("docs"), notes: at("notes"), outside: at("outside") };
  const target = { ...folders, pid: 1, word: "w", port: 1, abstract: "a", home: at("home") };
  const cases = (["linux", "darwin"] as const).flatMap((platform) => [
    ...casesFor(target, platform),
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
  return readdirSync(TESTS, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts") && !name.startsWith("claims"))
    .sort()
    .flatMap((where) =>
      [...readFileSync(join(TESTS, where), "utf8").matchAll(TITLE)].map(([, , id = "", title = ""]) => ({
        id,
        title,
        where,
      })),
    );
}
