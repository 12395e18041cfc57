import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Fate } from "../../../src/host/launch/appeared.ts";
import { Quarantine } from "../../../src/host/launch/quarantine/quarantine.ts";
import { isHeld } from "../../../src/host/launch/quarantine/record.ts";
import type { Outcome } from "../../../src/index.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { type Given, type TestSession, testSession } from "../approval/test-session.ts";
import type { Place } from "../battery/place.ts";

/** A supervisor whose commands nobody is asked about, and what its config says of what appears. */
export function standingWith(
  appeared: "ask" | "quarantine" | "report" | null,
  given: Given = {},
  prepare: (place: Place) => void = () => undefined,
): Promise<TestSession> {
  const sandbox = appeared === null ? {} : { appeared };
  return testSession(prepare, { settings: { sandbox, shell: { default: { approval: false } } }, ...given });
}

/** Runs a line of shell by a call. */
export function run(at: Pick<TestSession, "session">, line: string, signal?: AbortSignal): Promise<Outcome> {
  return at.session.call("shell", { argv: ["sh", "-c", line] }, signal === undefined ? {} : { signal });
}

/** What became of each thing that a call made, by its path in the writable root. */
export function fatesOf(
  outcome: Outcome,
  { place }: Pick<TestSession, "place">,
): Readonly<Record<string, Fate["kind"]>> {
  if (!("receipt" in outcome) || outcome.receipt === null) throw new Error(JSON.stringify(outcome));
  const { found } = outcome.receipt.appeared;
  return Object.fromEntries(found.map(({ path, fate }) => [path.slice(place.ws.length + 1), fate.kind]));
}

/** Paths in the writable root that are held. */
export function heldIn({ state, ws }: Place): readonly string[] {
  const host = { id: () => "", now: Date.now };
  const records = new Quarantine(knownPath(join(state, "cofferdam")), host).list();
  const held = records.flatMap(({ items }) => items.filter(isHeld));
  return held.map(({ path }) => path.slice(ws.length + 1)).toSorted();
}

/** True where something stands at a path of the writable root, be it a link that leads nowhere. */
export function isThere({ ws }: Place, name: string): boolean {
  return lstatSync(join(ws, name), { throwIfNoEntry: false }) !== undefined;
}

/** Names in a folder of the writable root. */
export function namesIn({ ws }: Place, name = "."): readonly string[] {
  return existsSync(join(ws, name)) ? readdirSync(join(ws, name)).toSorted() : [];
}
