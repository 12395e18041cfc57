import { randomUUID } from "node:crypto";
import { chownSync, copyFileSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import type { Person } from "./people.ts";

/** What a state folder holds of the machine and the user alone, whatever the config: each file names what it holds for. */
const FILES = ["launcher.json", "attestation.json"];

type User = Pick<Person, "uid" | "gid">;

/** Gives a state folder what another one of the user's holds of this machine. False where there is none yet. */
export function giveTried(stateFolder: string, user: User): boolean {
  const kept = keptFor(user);
  if (!existsSync(kept)) return false;
  if (!existsSync(stateFolder)) {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    chownSync(stateFolder, user.uid, user.gid);
  }
  copy(kept, stateFolder, user);
  return true;
}

/** Keeps what a state folder holds of this machine, for those that come later in this run of the tests. */
export function keepTried(stateFolder: string, user: User): void {
  const kept = keptFor(user);
  if (existsSync(kept) || !FILES.every((name) => existsSync(join(stateFolder, name)))) return;
  const folder = `${kept}-${randomUUID()}`;
  mkdirSync(folder);
  copy(stateFolder, folder, user);
  try {
    renameSync(folder, kept);
  } catch {
    // Another file of tests was first; this one goes with the run's folder.
  }
}

function copy(from: string, to: string, { uid, gid }: User): void {
  for (const name of FILES) {
    copyFileSync(join(from, name), join(to, name));
    chownSync(join(to, name), uid, gid);
  }
}

function keptFor({ uid }: User): string {
  return join(inject("runFolder"), `tried-${uid}`);
}
