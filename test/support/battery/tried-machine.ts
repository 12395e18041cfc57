import { randomUUID } from "node:crypto";
import { chownSync, copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { PEOPLE, type Person } from "./people.ts";
import { Place } from "./place.ts";

/** What a state folder holds of the machine and the user alone, whatever the config: each file names what it holds for. */
const FILES = ["launcher.json", "attestation.json"];

/** Puts into the state folder of a person's place what the self-check found, as if it was not the first place there. */
export async function triedIn(state: string, uid: number): Promise<void> {
  const person = PEOPLE.find((one) => one.uid === uid);
  if (person === undefined) return;
  const folder = join(state, "cofferdam");
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, person.uid, person.gid);
  }
  copy(await triedBy(person), folder, person);
}

/** What the first place found that the person has in this run of the tests: whichever file of tests needs it first makes it. */
async function triedBy(person: Person): Promise<string> {
  const kept = join(inject("runFolder"), `tried-${person.uid}`);
  if (existsSync(kept)) return kept;
  using place = new Place(person);
  await place.run({ job: { calls: [] } });
  const folder = `${kept}-${randomUUID()}`;
  mkdirSync(folder);
  copy(join(place.state, "cofferdam"), folder, person);
  try {
    renameSync(folder, kept);
  } catch {
    // Another file's was there first; this one goes with the run's folder.
  }
  return kept;
}

function copy(from: string, to: string, { uid, gid }: Person): void {
  for (const name of FILES.filter((one) => existsSync(join(from, one)))) {
    copyFileSync(join(from, name), join(to, name));
    chownSync(join(to, name), uid, gid);
  }
}
