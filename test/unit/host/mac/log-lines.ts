import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type AbsolutePath, knownPath } from "../../../../src/profile/path.ts";

/** The first line that `log stream` says. */
export const HEADER =
  'Filtering the log data using "processID == 0 AND senderImagePath CONTAINS \\"/Sandbox\\""';

/** Fields of a record that the kernel's Sandbox sends, as `log` prints them. */
const KERNEL = {
  timezoneName: "",
  messageType: "Error",
  eventType: "logEvent",
  source: null,
  formatString: "%s",
  userID: 0,
  activityIdentifier: 0,
  subsystem: "",
  category: "",
  threadID: 2_241,
  backtrace: { frames: [{ imageOffset: 1_764, imageUUID: "7EFAFB8B-6CA6-3090-957F-C68A6230BC38" }] },
  processImagePath: "/kernel",
  senderImagePath: "/System/Library/Extensions/Sandbox.kext/Contents/MacOS/Sandbox",
  timestamp: "2026-08-10 20:05:29.963171+0200",
  processID: 0,
} as const;

/** When that was. */
export const AT_MS = Date.UTC(2026, 7, 10, 18, 5, 29, 963);

/** A line that the kernel's Sandbox said. */
export function kernelLine(eventMessage: string, others: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ ...KERNEL, eventMessage, ...others });
}

/** A line that `sandboxd` said. */
export function sandboxdLine(eventMessage: string, others: Readonly<Record<string, unknown>> = {}): string {
  const sandboxd = {
    subsystem: "com.apple.sandbox.reporting",
    category: "violation",
    processImagePath: "/usr/libexec/sandboxd",
    senderImagePath: "/usr/libexec/sandboxd",
    processID: 601,
  };
  return kernelLine(eventMessage, { ...sandboxd, ...others });
}

/** The time now, as `log` prints it. */
export function now(): string {
  return new Date().toISOString().replace("T", " ").replace("Z", "000+0000");
}

/** What `sandboxd` says of one refusal (macOS 26.2), with what is said again as JSON. */
export function report(head: string, details: Readonly<Record<string, unknown>> | null, tag = ""): string {
  return [
    `Sandbox: ${head}`,
    ...(tag === "" ? [] : [tag]),
    "Process:         mpv [96060]",
    "Path:            /opt/mpv.app/Contents/MacOS/mpv",
    "Load Address:    0",
    "Parent Process:  bash [96057]",
    "Responsible:     /Applications/Alacritty.app/Contents/MacOS/alacritty",
    "User ID:         501",
    "",
    "Date/Time:       2025-12-21 10:01:59.712 MST",
    "OS Version:      macOS 26.2 (25C56)",
    "",
    ...(details === null ? [] : [`MetaData: ${JSON.stringify(details)}`]),
    "",
  ].join("\n");
}

/** A folder with a program `log`, a script of these lines for `sh`, and what it says in a file `said`; they go with the test. */
export function standIn(script: string, said: readonly string[] = []): { log: AbsolutePath; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "cofferdam-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "said"), said.map((line) => `${line}\n`).join(""));
  const log = join(folder, "log");
  writeFileSync(log, `#!/bin/sh\ncd '${folder}'\necho $$ >>pids\n${script}\n`);
  chmodSync(log, 0o755);
  return { log: knownPath(log), folder };
}
