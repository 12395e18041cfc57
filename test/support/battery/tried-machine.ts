import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import { checkoutFor, compileCacheFor, PEOPLE, type Person } from "./people.ts";

/** The files of a state folder that do not depend on the config. A supervisor uses one only for the machine that it names. */
const FILES: readonly string[] = ["launcher.json", "attestation.json"];

/** Copies the result of an earlier self-check into a person's state folder (XDG_STATE_HOME): the next start makes none. */
export function putTried(state: string, { uid }: Pick<Person, "uid">): void {
  const person = PEOPLE.find((one) => one.uid === uid);
  if (person === undefined) return;
  const kept = triedBy(person);
  const names = readdirSync(kept);
  if (names.length === 0) return;
  const folder = join(state, "cofferdam");
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, person.uid, person.gid);
  }
  for (const name of names) {
    copyFileSync(join(kept, name), join(folder, name));
    chownSync(join(folder, name), person.uid, person.gid);
  }
}

/**
 * The folder with the result of the person's self-check in this run of the tests. The first test that needs it makes it. It
 * is empty where no sandbox works.
 */
function triedBy(person: Person): string {
  const kept = join(inject("runFolder"), `tried-${person.uid}`);
  if (existsSync(kept)) return kept;
  const top = mkdtempSync(join(tmpdir(), "cofferdam-tried-"));
  chmodSync(top, 0o755);
  try {
    const [project, state] = [join(top, "project"), join(top, "state")];
    for (const folder of [project, state]) {
      mkdirSync(folder, { mode: 0o700 });
      chownSync(folder, person.uid, person.gid);
    }
    const config = join(project, "cofferdam.yaml");
    writeFileSync(config, CONFIG);
    chownSync(config, person.uid, person.gid);
    const { node, folder } = checkoutFor(person);
    const words = ["run", "--quiet", "--config", config, "--", "true"];
    spawnSync(node, [join(folder, "dist/cli/main.js"), ...words], {
      ...person.runAs,
      cwd: project,
      env: {
        PATH: "/usr/local/bin:/usr/bin:/bin",
        XDG_STATE_HOME: state,
        NODE_COMPILE_CACHE: compileCacheFor(person),
      },
      stdio: "ignore",
    });
    const fresh = `${kept}-${randomUUID()}`;
    mkdirSync(fresh);
    for (const name of FILES) {
      const found = join(state, "cofferdam", name);
      if (existsSync(found)) copyFileSync(found, join(fresh, name));
    }
    renameSync(fresh, kept);
  } catch (error) {
    // Another test may have made it first. What this one made goes with the run's folder.
    if (!existsSync(kept)) throw error;
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
  return kept;
}

const CONFIG = `version: 1
sandbox:
  paths: { workspace: { root: ., mode: rw, write_approval: false } }
  runtimes: [system]
shell: { default: { approval: false } }
`;
