import { CLAIMS, type ClaimId } from "../attacks/claims.ts";
import { columns } from "../channel/columns.ts";
import type { Report, Tried } from "../selftest/run-selftest.ts";
import type { Print } from "./print.ts";

/** Failed attacks: the attack succeeded, or its control failed, so that its refusal proves nothing. */
export function problemsIn({ tried }: Report): readonly Tried[] {
  return tried.filter(({ holds, control }) => holds === false || control === false);
}

/** Prints a report: a row for each claim, then everything that did not hold or could not be tried, and a last line. */
export function showReport(report: Report, showsAll: boolean, print: Print): void {
  const { ink } = print;
  const { tried, backend, version, runAs } = report;
  print.result(ink.dim(`${backend} ${version}, tools run as uid ${runAs}`));
  print.result();
  for (const line of columns(claimRows(tried), [ink.bold])) print.result(line);
  const listed = showsAll ? tried : tried.filter((one) => one.holds !== true || one.control !== true);
  if (listed.length > 0) print.result();
  for (const one of listed)
    print.result(`  ${wordFor(one, print)}  ${one.claim}: ${one.title}${noteOf(one)}`);
  print.result();
  const problems = problemsIn(report);
  if (problems.length === 0)
    print.result(
      ink.good(
        `${count(tried, ({ holds }) => holds === true)} attacks were refused, each with a working control`,
      ),
    );
  else
    print.result(
      ink.bad(`${problems.length} of ${tried.length} attacks were not refused, or have no working control`),
    );
}

function claimRows(tried: readonly Tried[]): readonly (readonly string[])[] {
  const ids = [...new Set(tried.map(({ claim }) => claim))];
  return ids.map((id: ClaimId) => {
    const cases = tried.filter(({ claim }) => claim === id);
    const refused = count(cases, ({ holds }) => holds === true);
    const controls = count(cases, ({ control }) => control === true);
    return [id, `${refused}/${cases.length} refused`, `${controls}/${cases.length} controls`, inShort(id)];
  });
}

const MAX_CLAIM_LENGTH = 72;

function inShort(id: ClaimId): string {
  const claim = CLAIMS[id];
  if (claim.length <= MAX_CLAIM_LENGTH) return claim;
  return `${claim.slice(0, claim.lastIndexOf(" ", MAX_CLAIM_LENGTH)).replace(/[,;:]$/, "")} …`;
}

function count(tried: readonly Tried[], isCounted: (one: Tried) => boolean): number {
  return tried.filter(isCounted).length;
}

function wordFor({ holds, control }: Tried, { ink }: Print): string {
  if (holds === false) return ink.bad("NOT REFUSED   ");
  if (control === false) return ink.bad("control failed");
  if (holds === null || control === null) return ink.warn("not all tried ");
  return ink.good("refused       ");
}

function noteOf({ note }: Tried): string {
  return note === null ? "" : ` (${note})`;
}
