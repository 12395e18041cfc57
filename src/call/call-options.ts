import type { Readable } from "node:stream";
import { z } from "zod";
import type { Appearances } from "../host/launch/appeared.ts";
import type { OutputSink } from "../host/launch/output.ts";
import type { RunningSandbox } from "../host/launch/run-options.ts";
import type { TerminalWindow } from "../host/launch/window.ts";
import { callback, flag, having, type OptionsOf, text } from "../policy/options.ts";
import type { GrantedView } from "../policy/request.ts";
import type { Profile } from "../profile/profile.ts";
import type { CheckOptions, PassOptions } from "./pipeline.ts";

const SINKS = "two functions that take a chunk: `{ stdout, stderr }`";

/** The targets of a program's two streams. */
export interface Sinks {
  readonly stdout: OutputSink;
  readonly stderr: OutputSink;
}

/** How one call is run. */
export interface CallOptions extends PassOptions {
  /**
   * Ends the program early. A slow sink is waited for until then, and for a second after; the rest counts as dropped.
   */
  readonly signal?: AbortSignal;
  /** Maximum run time in milliseconds, if `limits.wall` is not shorter. */
  readonly timeoutMs?: number;
  /** The program's standard input; empty by default. */
  readonly stdin?: Readable;
  /**
   * Targets for output as it arrives. Without them the outcome holds the start of each stream: `limits.output`, by
   * default 64 MiB. The rest is read and counted as dropped.
   */
  readonly sinks?: Sinks;
  /**
   * The window of the program's own terminal, for a person who watches it. Keystrokes come from `stdin`, the screen
   * goes to `sinks`, and `limits.output` does not bound it, as the receipt says. If the profile gives no terminal, the
   * call is denied. Without a window, a terminal has 80 columns and 24 rows and reads `stdin` as it is.
   */
  readonly window?: TerminalWindow;
}

/** The options within this room: a resident program reads input written after its sandbox was reported. */
export interface ProgramRunOptions extends Omit<CallOptions, "stdin"> {
  readonly stdin?: Readable | "held";
  /** Called once the sandbox is proven, right before the program may start. */
  readonly onProven?: (
    sandbox: RunningSandbox,
    granted: {
      readonly profile: Profile;
      readonly view: GrantedView;
      /** Handles the files it made until then. */
      readonly settle: () => Promise<Appearances>;
    },
  ) => void;
}

/** How an approved call is run later. */
export type ResumeOptions = Pick<CallOptions, "signal" | "timeoutMs" | "sinks">;

/** Checks options that come from JavaScript. */
export const CALL_OPTIONS: OptionsOf<CallOptions> = z.strictObject({
  signal: having("an `AbortSignal`", "addEventListener", "throwIfAborted").optional(),
  stdin: having("a stream: `Readable.from([text])`", "pipe", "unpipe", "pause").optional(),
  sinks: z.strictObject({ stdout: callback(SINKS), stderr: callback(SINKS) }, { error: SINKS }).optional(),
  window: having("a window: `{ size: () => ({ columns, rows }) }`", "size").optional(),
  timeoutMs: z
    .number({ error: "a number of milliseconds, more than 0" })
    .positive({ error: "a number of milliseconds, more than 0" })
    .optional(),
  groupId: text("a name for the calls of one turn (a string)").optional(),
  approvalId: text("the id of a request (a string)").optional(),
});

/** Checks options of a call that is not run. */
export const CHECK_OPTIONS: OptionsOf<CheckOptions> = CALL_OPTIONS.pick({
  signal: true,
  groupId: true,
}).extend({
  toolCallId: text("a name for this call (a string)").optional(),
  mayAsk: flag().optional(),
  isUnique: flag().optional(),
});

/** Checks options of a call that is resumed. */
export const RESUME_OPTIONS = CALL_OPTIONS.pick({ signal: true, timeoutMs: true, sinks: true });
