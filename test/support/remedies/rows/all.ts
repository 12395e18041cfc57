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

/** Every remedy that is followed: a new one is a row of the table of its kind. */
export const ROWS: readonly Row[] = [
  ...OF_CONFIGS,
  ...OF_PROFILES,
  ...OF_FOLDERS,
  ...OF_COMMANDS,
  ...OF_HTTP,
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

/** Of those, what only root is told: the tools of an ordinary user never run as root. */
export const TOLD_TO_ROOT: ReadonlySet<string> = new Set([
  "start cofferdam as an ordinary user, or give the writable roots to one",
]);

/** The same as an ordinary user runs it, by the command line itself. */
export const ROWS_OF_PEOPLE: readonly Row[] = [...OF_PEOPLE];
