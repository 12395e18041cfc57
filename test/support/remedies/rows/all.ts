import type { Row } from "../row.ts";
import { OF_CALLS } from "./calls.ts";
import { OF_COMMANDS } from "./cli.ts";
import { OF_CONFIGS } from "./config.ts";
import { OF_HTTP } from "./http.ts";
import { OF_PROGRAMS } from "./library.ts";
import { OF_LIMITS } from "./limits.ts";
import { OF_PARTS } from "./parts.ts";
import { OF_PEOPLE } from "./people.ts";
import { OF_PLANS, OF_REPOSITORIES } from "./plans.ts";
import { OF_PROFILES } from "./profiles.ts";
import { OF_FOLDERS } from "./roots.ts";
import { OF_SESSIONS } from "./sessions.ts";
import { OF_WEBHOOK } from "./webhook.ts";

/** Every remedy that is followed: a new one is a row of the table of its kind. */
export const ROWS: readonly Row[] = [
  ...OF_CONFIGS,
  ...OF_PROFILES,
  ...OF_FOLDERS,
  ...OF_COMMANDS,
  ...OF_HTTP,
  ...OF_WEBHOOK,
  ...OF_PROGRAMS,
  ...OF_PARTS,
  ...OF_PLANS,
];

/** The same where it takes a real sandbox. */
export const ROWS_IN_SANDBOX: readonly Row[] = [
  ...OF_CALLS,
  ...OF_LIMITS,
  ...OF_REPOSITORIES,
  ...OF_SESSIONS,
];

/** Remedies whose situation only root can bring about: tools run as root, or a file is given to somebody else. */
const BY_ROOT: ReadonlySet<string> = new Set([
  "start cofferdam as an ordinary user, or change the owner of the writable roots to one",
  "set XDG_STATE_HOME to a folder that you own",
  "move the file to a folder that you own",
  "review it, then make it yours: {}",
]);

/** The rows that whoever runs the tests can follow. */
export function followable(rows: readonly Row[]): readonly Row[] {
  return process.getuid?.() === 0 ? rows : rows.filter(([remedy]) => !BY_ROOT.has(remedy));
}

/** The same as an ordinary user runs it, by the command line itself. */
export const ROWS_OF_PEOPLE: readonly Row[] = [...OF_PEOPLE];
