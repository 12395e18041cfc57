import { z } from "zod";
import { isTag, parsed, readMessage, type Teller, TWO_READINGS } from "./message.ts";

/**
 * A refusal by a sandbox, as macOS reports it. A program chooses its process name and target, up to 1,000 characters
 * each (more end with `…`): show them by `visible`.
 */
export interface Violation {
  /** `file-write-create`, `mach-lookup`, `forbidden-exec-sugid` and so on. */
  readonly operation: string;
  /** A path, `1.1.1.1:443`, `remote:*:443`, the name of a service; null if unknown. */
  readonly target: string | null;
  /** The name of the process, at most 32 characters. */
  readonly process: string;
  readonly pid: number;
  readonly parentPid: number | null;
  /** Time in milliseconds of the wall clock; null if it can't be read. */
  readonly atMs: number | null;
  /** The tag of the profile whose rule refused it; null without one. */
  readonly tag: string | null;
}

/** A refusal in the log. */
export interface LoggedRefusal {
  readonly kind: "violation";
  readonly violation: Violation;
  /** Minimum count. */
  readonly count: number;
  readonly teller: Teller;
  readonly thread: number | null;
}

/** The meaning of one line of the log; `lossy`: others are missing. */
export type LogEntry =
  | { readonly kind: "ready" }
  | { readonly kind: "lossy" }
  | LoggedRefusal
  /** A tag by itself: it belongs to the refusal that the same thread reported right before. */
  | { readonly kind: "tag"; readonly tag: string; readonly thread: number | null };

/**
 * Parses one line of `log stream --style ndjson`: a header that is not JSON, then one JSON object a line. Null for
 * everything but refusals, and for operations that every program tries and does without. Never throws. Any process may
 * write into the log, under any subsystem, and from a program whose path says `Sandbox`. Only messages of the kernel
 * itself count (pid 0, which the log takes from the sender, not from the message), and those of `sandboxd`.
 */
export function readLogLine(line: string): LogEntry | null {
  if (line.startsWith(HEADER)) return { kind: "ready" };
  const record = line.startsWith("{") ? Line.safeParse(parsed(line)).data : undefined;
  if (record === undefined) return null;
  const text = record.eventMessage ?? "";
  // Losses of the log, and of the kernel (`*** kernel exceeded 500 log message per second limit`).
  if (record.eventType === "lossEvent") return LOSSY;
  if (record.processID === 0 && LIMITED.test(text)) return LOSSY;
  const teller = tellerOf(record);
  return teller === null ? null : entryOf(record, text, teller);
}

const HEADER = "Filtering the log data using";
const LIMITED = /^\W*kernel exceeded \d+ log messages? per second/;
const LOSSY: LogEntry = { kind: "lossy" };

const Text = z.string().nullable().catch(null);
const Int = z.int().nullable().catch(null);

/** The used fields of a record. A missing field, or one of another type, is null: versions differ. */
const Line = z.object({
  eventType: Text,
  eventMessage: Text,
  subsystem: Text,
  processImagePath: Text,
  senderImagePath: Text,
  timestamp: Text,
  processID: Int,
  threadID: Int,
  userID: Int,
  MetaData: z.unknown().optional(),
});
type Line = z.infer<typeof Line>;

/** The real sender, or null for any other process. */
function tellerOf(record: Line): Teller | null {
  const isReport = record.subsystem === "com.apple.sandbox.reporting";
  if (record.processID === 0) return isReport || isOfSandbox(record) ? "kernel" : null;
  const isSandboxd = record.processImagePath === "/usr/libexec/sandboxd" && !isOfUser(record.userID);
  return isReport && isSandboxd ? "sandboxd" : null;
}

/** `/System/Library/Extensions/Sandbox.kext/Contents/MacOS/Sandbox` in known versions. */
function isOfSandbox({ senderImagePath }: Line): boolean {
  return senderImagePath?.endsWith("/Sandbox") === true;
}

/** People's accounts begin at 501. For an unknown user the log has 2863311530 (0xaaaaaaaa). */
function isOfUser(uid: number | null): boolean {
  return uid !== null && uid >= 500 && uid < 0x8000_0000;
}

function entryOf(record: Line, text: string, teller: Teller): LogEntry | null {
  const thread = record.threadID;
  if (isTag(text.trim())) return { kind: "tag", tag: text.trim(), thread };
  const message = readMessage(text, teller, record.MetaData);
  if (message === TWO_READINGS) return LOSSY;
  if (message === null) return null;
  const { count, ...seen } = message;
  const violation = { ...seen, atMs: timeOf(record.timestamp ?? "") };
  return isNoise(violation) ? null : { kind: "violation", violation, count, teller, thread };
}

/** `2026-08-20 11:30:59.619174+0800` */
function timeOf(timestamp: string): number | null {
  const [, day, time, hours, minutes] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d{1,9})?)([+-]\d\d):?(\d\d)$/.exec(timestamp) ?? [];
  const atMs = Date.parse(`${day}T${time?.slice(0, 12)}${hours}:${minutes}`);
  return Number.isNaN(atMs) ? null : atMs;
}

/** System daemons that are refused all the time; with a call's tag, such a refusal is reported. */
const DAEMONS = ["mDNSResponder", "diagnosticd", "analyticsd"];

/** Operations that the C library tries in every program, for logging and tracing, and does without. */
const TRIED_BY_ALL = [
  /^mach-lookup com\.apple\.(?:analyticsd|diagnosticd|logd|system\.logger)$/,
  /^file-[a-z-]+\*? \/dev\/dtracehelper$/,
  /^sysctl-read kern\.bootargs$/,
];

function isNoise({ operation, target, process, tag }: Violation): boolean {
  if (tag === null && DAEMONS.includes(process)) return true;
  return TRIED_BY_ALL.some((tried) => tried.test(`${operation} ${target ?? ""}`));
}
