import { z } from "zod";
import { type FunctionReviewer, FunctionReviewerOption } from "../call/function-reviewer.ts";
import type { Host } from "../host/look/host.ts";
import type { Journal } from "../journal/journal.ts";
import { Mode } from "../policy/action.ts";
import { flag, having, type OptionsOf, text } from "../policy/options.ts";
import { type AbsolutePath, isAbsolutePath } from "../profile/path.ts";
import type { Store } from "../store/store.ts";

const PROFILES = 'a list of names or paths: `["strict"]`';
const FOLDER = "an absolute path without `..` or a slash at its end";

/** Options of a supervisor; everything has a default. */
export interface SupervisorOptions {
  /** A config file to use, instead of the nearest trusted one. */
  readonly config?: string;
  /** Further operator profiles: shipped names or files. They can only tighten. */
  readonly profiles?: readonly string[];
  /** Folder where the search for a config begins, and where calls start by default. */
  readonly cwd?: AbsolutePath;
  /** If `cwd` is outside every root, calls start in the first writable root, or else in the first. Default false. */
  readonly startsInRoot?: boolean;
  /** The approval mode, instead of the configured one. */
  readonly mode?: Mode;
  /** True if a person who typed a command is asked about it like an agent. */
  readonly asksCaller?: boolean;
  /** Gives commands terminals of their own: true if the config leaves it open, false never. Operators can forbid it. */
  readonly terminal?: boolean;
  /** Destination of events, instead of a file in the journal's folder. */
  readonly journal?: Journal;
  /** Store of requests, grants and events, instead of the configured one. */
  readonly store?: Store;
  /** A function that reviews requests, instead of the reviewer of the config. Operators can forbid it. */
  readonly reviewer?: FunctionReviewer;
  /** @internal */
  readonly host?: Host;
}

/** Schema of these options, for callers in JavaScript. */
export const SUPERVISOR_OPTIONS: OptionsOf<SupervisorOptions> = z.strictObject({
  config: text("a path (a string)").optional(),
  profiles: z.array(text(PROFILES), { error: PROFILES }).optional(),
  cwd: text(FOLDER).refine(isAbsolutePath, { error: FOLDER }).optional(),
  startsInRoot: flag().optional(),
  mode: z.enum(Mode.options, { error: `one of ${Mode.options.join(", ")}` }).optional(),
  asksCaller: flag().optional(),
  terminal: flag().optional(),
  journal: having("an object with a method `write` for events", "write").optional(),
  store: having("a store", "add", "resolve", "claim", "eventsAfter").optional(),
  reviewer: FunctionReviewerOption.optional(),
  host: having("a host, as `thisHost` returns it", "now", "id").optional(),
});
