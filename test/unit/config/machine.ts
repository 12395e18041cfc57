import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { CofferdamError, ERRORS, printPosition } from "../../../src/errors.ts";
import { type Host, thisHost } from "../../../src/host/look/host.ts";
import { type AbsolutePath, absolutePath } from "../../../src/profile/path.ts";
import { NOT_INSTALLED } from "../../support/not-installed.ts";

/** A small machine in a folder of its own, gone after the test: a home, a project in it, two operators' folders. */
export interface Machine {
  readonly host: Host;
  readonly folder: string;
  readonly home: AbsolutePath;
  readonly project: AbsolutePath;
  readonly machineProfiles: AbsolutePath;
  readonly userProfiles: AbsolutePath;
  /** Writes files, named from the machine's folder; folders are made, private to their owner. */
  write(files: Readonly<Record<string, string>>): void;
  at(path: string): AbsolutePath;
  /** Every path below the folder, with size and time of change: what a load must leave as it is. */
  inventory(): readonly string[];
}

/** A config that needs nothing of the machine that runs the tests. */
export const PLAIN = "version: 1\nsandbox:\n  runtimes: []\n";

export function machine(files: Readonly<Record<string, string>> = {}): Machine {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-config-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const at = (path: string): AbsolutePath => absolutePath(join(folder, path));
  const [home, project] = [at("home/ann"), at("home/ann/project")];
  const [machineProfiles, userProfiles] = [at("etc/profiles.d"), at("home/ann/.config/cofferdam/profiles.d")];
  const { user } = thisHost();
  const host = thisHost({
    user: { ...user, home },
    env: { PATH: "/usr/bin:/bin" },
    cwd: project,
    stateFolder: at("home/ann/.local/state/cofferdam"),
    operatorFolders: [machineProfiles, userProfiles],
    installation: () => NOT_INSTALLED,
  });
  const write = (given: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(given)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o755 });
      writeFileSync(join(folder, path), text, { mode: 0o644 });
    }
  };
  mkdirSync(project, { recursive: true, mode: 0o755 });
  write(files);
  const inventory = (): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .toSorted()
      .map((path) => {
        const { size, mtimeMs, mode } = statSync(join(folder, path), { throwIfNoEntry: false }) ?? {};
        return `${path} ${size} ${mtimeMs} ${mode}`;
      });
  return { host, folder, home, project, machineProfiles, userProfiles, write, at, inventory };
}

/** An error as a user meets it: exit status, code, what, what to do, and where, the machine's folder left out. */
export interface Refusal {
  readonly exit: number;
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly at: string | undefined;
}

/** The refusal that running it ends with; fails when it ends well or breaks in another way. */
export function refusalOf(run: () => unknown, folder = "/nowhere"): Refusal {
  try {
    run();
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    const told = (text: string): string => text.replaceAll(folder, "~");
    return {
      exit: ERRORS[error.code].exit,
      code: error.code,
      message: told(error.message),
      hint: error.hint === undefined ? undefined : told(error.hint),
      at: error.at === undefined ? undefined : told(printPosition(error.at)),
    };
  }
  throw new Error("nothing was refused");
}
