import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect } from "vitest";
import { CofferdamError } from "../../../src/errors.ts";
import { type Machine, machine } from "../../unit/config/machine.ts";
import { CALLER } from "../battery/people.ts";
import { putTried } from "../battery/tried-machine.ts";

/**
 * What somebody does on a small machine of its own. It throws what it is refused with, or answers with what is told to do: a
 * list of remedies, empty where all is well. `told` is the remedy as it was printed.
 */
export type Situation = (at: Machine, told: string) => unknown;

/**
 * A remedy as it stands in `src/` (`{}` for what is put in), a situation that prints it, and the same situation after somebody
 * did what it says. Both are on one machine.
 */
export type Row = readonly [remedy: string, before: Situation, after: Situation];

/** Follows a remedy: the first situation has to print it, the second one must pass, without another remedy. */
export async function follow(
  [remedy, before, after]: Row,
  prepare: (at: Machine) => void = () => undefined,
): Promise<void> {
  const at = machine();
  prepare(at);
  const printed = await remediesOf(() => before(at, ""));
  const told = printed.find((one) => isPrintedAs(remedy, one));
  expect(told, `not printed: ${remedy}\nprinted: ${JSON.stringify(printed)}`).toBeDefined();
  expect([told, await remediesOf(() => after(at, told ?? ""))]).toEqual([told, []]);
}

/** Follows a remedy that needs a sandbox. The state folder has the result of an earlier self-check. */
export async function followInSandbox(row: Row): Promise<void> {
  await follow(row, ({ host: { stateFolder } }) => {
    mkdirSync(dirname(stateFolder), { recursive: true });
    putTried(dirname(stateFolder), CALLER);
  });
}

/** What was told to do there. */
async function remediesOf(act: () => unknown): Promise<readonly unknown[]> {
  try {
    const told = await act();
    return Array.isArray(told) ? told : [];
  } catch (error) {
    if (!(error instanceof CofferdamError) || error.code === "INTERNAL") throw error;
    return [error.hint ?? error.message];
  }
}

/** True where a text is that remedy, or holds it. */
function isPrintedAs(remedy: string, printed: unknown): printed is string {
  const parts = remedy.split("{}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return typeof printed === "string" && new RegExp(parts.join("[^]*")).test(printed);
}

/** What stands in backticks in a remedy, or behind its colon where nothing does. */
export function quoted(told: string, which = 0): string {
  return [...told.matchAll(/`([^`]+)`/g)][which]?.[1] ?? told.replace(/^[^:]*: /, "");
}

/** The situation once the command that the remedy prints was run. */
export function run(then: Situation, which = 0): Situation {
  return (at, told) => {
    const line = ["-c", quoted(told, which)];
    const { status, stderr } = spawnSync("/bin/sh", line, { cwd: at.project, encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
    return then(at, told);
  };
}
