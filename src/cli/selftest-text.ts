import { columns } from "../channel/columns.ts";
import type { Report, Tried } from "../selftest/battery.ts";
import { CLAIMS, type ClaimId } from "../selftest/claims.ts";
import type { Print } from "./print.ts";

/** What is wrong with a case: the act was done, or its twin failed, so that the refusal proves nothing. */
export function problemsIn({ tried }: Report): readonly Tried[] {
  return tried.filter(({ holds, twin }) => holds === false || twin === false);
}

/** Prints a report: a row for each claim, then whatever did not hold or could not be tried, and one line to end with. */
export function showReport(report: Report, showsAll: boolean, print: Print): void {
  const { ink } = print;
  const { tried, backend, version, runAs } = report;
  print.result(ink.dim(`${backend} ${version}, tools run as uid ${runAs}`));
  print.result();
  for (const line of columns(claimRows(tried), [ink.bold])) print.result(line);
  const listed = showsAll ? tried : tried.filter((one) => one.holds !== true || one.twin !== true);
  if (listed.length > 0) print.result();
  for (const one of listed)
    print.result(`  ${wordFor(one, print)}  ${one.claim}: ${one.title}${noteOf(one)}`);
  print.result();
  const problems = problemsIn(report);
  if (problems.length === 0)
    print.result(
      ink.good(`${count(tried, ({ holds }) => holds === true)} acts were refused, each tried beside a twin`),
    );
  else print.result(ink.bad(`${problems.length} of ${tried.length} acts were not refused, or prove nothing`));
}

function claimRows(tried: readonly Tried[]): readonly (readonly string[])[] {
  const ids = [...new Set(tried.map(({ claim }) => claim))];
  return ids.map((id: ClaimId) => {
    const cases = tried.filter(({ claim }) => claim === id);
    const refused = count(cases, ({ holds }) => holds === true);
    const twins = count(cases, ({ twin }) => twin === true);
    return [id, `${refused}/${cases.length} refused`, `${twins}/${cases.length} twins`, inShort(id)];
  });
}

/** As many of a claim's words as a row has room for. */
const MOST_OF_A_CLAIM = 72;

function inShort(id: ClaimId): string {
  const claim = CLAIMS[id];
  if (claim.length <= MOST_OF_A_CLAIM) return claim;
  return `${claim.slice(0, claim.lastIndexOf(" ", MOST_OF_A_CLAIM)).replace(/[,;:]$/, "")} …`;
}

function count(tried: readonly Tried[], isCounted: (one: Tried) => boolean): number {
  return tried.filter(isCounted).length;
}

function wordFor({ holds, twin }: Tried, { ink }: Print): string {
  if (holds === false) return ink.bad("was done     ");
  if (twin === false) return ink.bad("twin failed  ");
  if (holds === null || twin === null) return ink.warn("not all tried");
  return ink.good("refused      ");
}

function noteOf({ note }: Tried): string {
  return note === null ? "" : ` (${note})`;
}
