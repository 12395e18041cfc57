import type { Readable } from "node:stream";
import { z } from "zod";
import type { Appearances } from "../host/appeared.ts";
import type { OutputSink } from "../host/output.ts";
import type { Walls } from "../host/run-options.ts";
import type { TerminalWindow } from "../host/window.ts";
import type { GrantedView } from "../policy/request.ts";
import type { Profile } from "../profile/profile.ts";
import { callback, having, type OptionsOf, text } from "./options.ts";

const SINKS = "two functions that take a chunk: `{ stdout, stderr }`";

/** Where a program's two streams go. */
export interface Sinks {
  readonly stdout: OutputSink;
  readonly stderr: OutputSink;
}

/** How one call is run. */
export interface CallOptions {
  /** Calls of one turn share it: they can be answered in one act. */
  readonly groupId?: string;
  /** The id of a request that was left pending and has been answered since. Never anything that a model said. */
  readonly approvalId?: string;
  /**
   * Ends the program early. A slow sink is waited for until then, and for a second after it; what it did not take is
   * counted as dropped.
   */
  readonly signal?: AbortSignal;
  /** Ends a program that runs for longer, in milliseconds, where `limits.wall` is not shorter. */
  readonly timeoutMs?: number;
  /** What the program reads on its standard input; without it, nothing. */
  readonly stdin?: Readable;
  /**
   * Where output goes as it comes. Without it the outcome holds the start of each stream: as much as `limits.output`
   * says, or 64 MiB where that says nothing. What comes after that is read and counted as dropped.
   */
  readonly sinks?: Sinks;
  /**
   * The window of the program's own terminal, for a person who looks at it: what is typed there is `stdin`, what is shown
   * there goes to `sinks`, and `limits.output` does not bound it, which the receipt says. Where the profile gives no
   * terminal the call is denied. Without a window, what has a terminal has one of 80 columns and 24 rows, in which nobody
   * types: it reads `stdin` as it is.
   */
  readonly window?: TerminalWindow;
}

/** How a call is asked about without being made. */
export interface ClearanceOptions extends Pick<CallOptions, "signal" | "groupId"> {
  /**
   * What a framework calls this call. Asked again under it, in whatever process, the same question is found, as long as
   * nothing of the call has changed and its answer was not used.
   */
  readonly toolCallId?: string;
  /** False: what was asked before is found, and nothing is asked anew. */
  readonly mayAsk?: boolean;
  /** True where no other call ever has this name, in whatever conversation: then a no to it stays one. */
  readonly isUnique?: boolean;
}

/** The same within this room: a program that is held reads what whoever is told of its walls writes to it. */
export interface RunOptions extends Omit<CallOptions, "stdin"> {
  readonly stdin?: Readable | "held";
  /** Called once the walls are proven, right before the program may start, with what stands behind them. */
  readonly onProven?: (
    walls: Walls,
    granted: {
      readonly profile: Profile;
      readonly view: GrantedView;
      /** Sees to what it made until then. */
      readonly settle: () => Promise<Appearances>;
    },
  ) => void;
}

/** How an approved call is run later. */
export type ResumeOptions = Pick<CallOptions, "signal" | "timeoutMs" | "sinks">;

/** How the same is checked when it comes from JavaScript. */
export const CALL_OPTIONS: OptionsOf<CallOptions> = z.strictObject({
  signal: having("an `AbortSignal`", "addEventListener", "throwIfAborted").optional(),
  stdin: having("a stream: `Readable.from([text])`", "pipe", "unpipe", "pause").optional(),
  sinks: z.strictObject({ stdout: callback(SINKS), stderr: callback(SINKS) }, { error: SINKS }).optional(),
  window: having("a window: `{ size: () => ({ columns, rows }) }`", "size").optional(),
  timeoutMs: z.number({ error: "milliseconds" }).positive({ error: "milliseconds, more than 0" }).optional(),
  groupId: text("a name that the calls of one turn share").optional(),
  approvalId: text("the id of a request").optional(),
});

/** How options of a call that is only asked about are checked. */
export const CLEARANCE_OPTIONS: OptionsOf<ClearanceOptions> = CALL_OPTIONS.pick({
  signal: true,
  groupId: true,
}).extend({
  toolCallId: text("a name of this call").optional(),
  mayAsk: z.boolean({ error: "`true` or `false`" }).optional(),
  isUnique: z.boolean({ error: "`true` or `false`" }).optional(),
});

/** How options of a call that is resumed are checked. */
export const RESUME_OPTIONS = CALL_OPTIONS.pick({ signal: true, timeoutMs: true, sinks: true });
