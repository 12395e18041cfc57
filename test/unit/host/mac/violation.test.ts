import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { visible } from "../../../../src/errors.ts";
import { type LogEntry, readLogLine, type Violation } from "../../../../src/host/launch/mac/violation.ts";
import { AT_MS, HEADER, kernelLine, report, sandboxdLine } from "./log-lines.ts";

const TAG = "cofferdam-0123456789abcdef";
const OTHER_TAG = "cofferdam-fedcba9876543210";

/** What the kernel told in this test, where nothing else is said. */
const told = (
  some: Pick<Violation, "process" | "pid" | "operation"> & Partial<Violation>,
  count = 1,
): LogEntry => ({
  kind: "violation",
  violation: { target: null, parentPid: null, atMs: AT_MS, tag: null, ...some },
  count,
  teller: "kernel",
  thread: 2_241,
});

describe("a message is read", () => {
  test.each<[claim: string, message: string, entry: LogEntry]>([
    [
      "of a file that was not to be looked at",
      "Sandbox: bash(31281) deny(1) file-read-metadata /System/Library/dyld/aot_shared_cache.1",
      told({
        process: "bash",
        pid: 31_281,
        operation: "file-read-metadata",
        target: "/System/Library/dyld/aot_shared_cache.1",
      }),
    ],
    [
      "of a set-uid program",
      "Sandbox: bash(80139) deny(1) forbidden-exec-sugid",
      told({ process: "bash", pid: 80_139, operation: "forbidden-exec-sugid" }),
    ],
    [
      "of a sandbox in a sandbox",
      "Sandbox: sandbox-exec(27256) deny(1) forbidden-sandbox-reinit",
      told({ process: "sandbox-exec", pid: 27_256, operation: "forbidden-sandbox-reinit" }),
    ],
    [
      "of a service",
      "Sandbox: gh(64174) deny(1) mach-lookup com.apple.trustd.agent",
      told({ process: "gh", pid: 64_174, operation: "mach-lookup", target: "com.apple.trustd.agent" }),
    ],
    [
      "of an operation with a star",
      "Sandbox: sandbox-exec(41398) deny(1) process-exec* /usr/bin/touch",
      told({ process: "sandbox-exec", pid: 41_398, operation: "process-exec*", target: "/usr/bin/touch" }),
    ],
    [
      "of a name with dots and a parenthesis",
      "Sandbox: 2.1.34((501) deny(1) file-write-create /Users/ada/.zshrc",
      told({ process: "2.1.34(", pid: 501, operation: "file-write-create", target: "/Users/ada/.zshrc" }),
    ],
    [
      "of a name with spaces",
      "Sandbox: Gradle Worker(10) deny(1) signal",
      told({ process: "Gradle Worker", pid: 10, operation: "signal" }),
    ],
    [
      "of a path with spaces",
      "Sandbox: cat(7) deny(1) file-read-data /Users/ada/My  files/a ",
      told({ process: "cat", pid: 7, operation: "file-read-data", target: "/Users/ada/My  files/a " }),
    ],
    [
      "with the tag on a line of its own",
      `Sandbox: rm(7) deny(1) file-write-unlink /private/tmp/x\n${TAG}`,
      told({ process: "rm", pid: 7, operation: "file-write-unlink", target: "/private/tmp/x", tag: TAG }),
    ],
    [
      "with a tag and no argument",
      `Sandbox: bash(7) deny(1) signal\n${TAG}\n`,
      told({ process: "bash", pid: 7, operation: "signal", tag: TAG }),
    ],
    [
      "as many as it stands for",
      `5 duplicate reports for Sandbox: sandbox-exec(41398) deny(1) file-read-metadata /var\n${TAG}`,
      told(
        { process: "sandbox-exec", pid: 41_398, operation: "file-read-metadata", target: "/var", tag: TAG },
        5,
      ),
    ],
    [
      "as one that it stands for",
      "1 duplicate report for Sandbox: sh(5) deny(1) file-write-data /dev/tty",
      told({ process: "sh", pid: 5, operation: "file-write-data", target: "/dev/tty" }),
    ],
  ])("%s", (_claim, message, entry) => {
    expect(readLogLine(kernelLine(message))).toEqual(entry);
  });
});

describe("what sandboxd says", () => {
  const HEAD = "mpv(96060) deny(1) mach-lookup com.apple.CARenderServer";
  const DETAILS = {
    operation: "mach-lookup",
    target: "com.apple.CARenderServer",
    pid: 96_060,
    "parent-process-pid": 96_057,
    action: "deny",
  };
  const violation: Violation = {
    operation: "mach-lookup",
    target: "com.apple.CARenderServer",
    process: "mpv",
    pid: 96_060,
    parentPid: 96_057,
    atMs: AT_MS,
    tag: null,
  };
  const read = (line: string): Violation | null => {
    const entry = readLogLine(line);
    return entry?.kind === "violation" ? entry.violation : null;
  };

  it("is read with what its further lines say again as JSON", () => {
    expect(readLogLine(sandboxdLine(report(HEAD, DETAILS)))).toMatchObject({ teller: "sandboxd", violation });
  });

  it("is read without that", () => {
    expect(read(sandboxdLine(report(HEAD, null)))).toEqual({ ...violation, parentPid: null });
  });

  it.each([
    ["an object", DETAILS],
    ["a text", JSON.stringify(DETAILS)],
  ])("is read where that stands beside the message, as %s", (_what, MetaData) => {
    expect(read(sandboxdLine(report(HEAD, null), { MetaData }))).toEqual(violation);
  });

  it("is read with the tag behind its first line", () => {
    expect(read(sandboxdLine(report(HEAD, DETAILS, TAG)))).toEqual({ ...violation, tag: TAG });
  });

  it("is read with the tag in its JSON", () => {
    expect(read(sandboxdLine(report(HEAD, { ...DETAILS, message: TAG })))).toEqual({
      ...violation,
      tag: TAG,
    });
  });

  it("names what was really refused where the first line names something else", () => {
    const head = "nl(7) deny(1) file-read-data /Users/ada/readable.rs";
    const details = { pid: 7, operation: "file-write-create", target: "/Users/ada/Library/Caches/nl/state" };
    expect(read(sandboxdLine(report(head, details)))).toMatchObject({
      operation: "file-write-create",
      target: "/Users/ada/Library/Caches/nl/state",
    });
  });

  it("keeps the first line's target where its JSON has none", () => {
    expect(read(sandboxdLine(report(HEAD, { ...DETAILS, target: 3 })))).toEqual(violation);
  });

  it.each([
    ["another process's", { ...DETAILS, pid: 1, target: "/etc" }],
    ["no object", [1, 2]],
    ["of other types", { pid: "96060", operation: {}, target: [] }],
  ])("ignores JSON that is %s", (_what, details) => {
    const MetaData = JSON.stringify(details);
    expect(read(sandboxdLine(report(HEAD, null), { MetaData }))).toEqual({ ...violation, parentPid: null });
  });
});

describe("lines that are no refusal", () => {
  it("the header says that the log is read", () => {
    expect(readLogLine(HEADER)).toEqual({ kind: "ready" });
  });

  it.each<[what: string, line: string]>([
    [
      "the kernel says that it said too much",
      kernelLine(
        "*** kernel exceeded 500 log message per second limit  -  remaining messages this second discarded ***",
        { senderImagePath: "/kernel" },
      ),
    ],
    ["the log says that it lost some", JSON.stringify({ eventType: "lossEvent", lossCount: 12 })],
    [
      "two places could be the end of the name",
      kernelLine("Sandbox: a(77) deny(1) file-link /(1) deny(1) signal"),
    ],
  ])("others are missing where %s", (_what, line) => {
    expect(readLogLine(line)).toEqual({ kind: "lossy" });
  });

  it("a tag by itself is told with its thread", () => {
    expect(readLogLine(kernelLine(TAG))).toEqual({ kind: "tag", tag: TAG, thread: 2_241 });
  });

  it.each<[what: string, line: string]>([
    ["nothing", ""],
    ["no JSON", "Failed to symbolicate: NULL symbolicator"],
    ["JSON that is cut off", '{"eventMessage":"Sandbox: cat(1) deny(1) signal'],
    ["JSON of many levels", `${'{"a":'.repeat(8_000)}1${"}".repeat(8_000)}`],
    ["JSON that is no object", '["Sandbox: cat(1) deny(1) signal"]'],
    ["the tool's own summary", '{"count":5,"finished":1}'],
    ["another message", kernelLine("something else")],
    ["what was allowed", kernelLine("Sandbox: zsh(3) allow(1) file-write-data /x")],
    [
      "what the system refuses to everybody",
      kernelLine("Sandbox: mds(76) System Policy: deny(1) file-read-data /x"),
    ],
    ["a summary without a pid", kernelLine("Sandbox: 4 duplicate reports for mds deny(1) file-read-data /x")],
    ["a process without a pid", kernelLine("Sandbox: zsh deny(1) file-read-data /x")],
    ["a beginning of a report", sandboxdLine("begin container id: 17384080, type: thread container")],
    ["what a daemon is refused", kernelLine("Sandbox: analyticsd(88) deny(1) file-read-data /private/x")],
    ["what every program tries", kernelLine(`Sandbox: sh(8) deny(1) mach-lookup com.apple.logd\n${TAG}`)],
    ["what dyld tries", kernelLine("Sandbox: sh(8) deny(1) file-read-data /dev/dtracehelper")],
  ])("%s is nothing", (_what, line) => {
    expect(readLogLine(line)).toBeNull();
  });

  it("a process that is named like a daemon is told of where it has a tag", () => {
    const line = kernelLine(`Sandbox: analyticsd(88) deny(1) file-read-data /private/x\n${TAG}`);
    expect(readLogLine(line)).toMatchObject({ violation: { process: "analyticsd", tag: TAG } });
  });

  it("a time that can't be read is none", () => {
    const line = kernelLine("Sandbox: sh(8) deny(1) signal", { timestamp: "yesterday" });
    expect(readLogLine(line)).toMatchObject({ violation: { atMs: null } });
  });
});

describe("who may tell of refusals", () => {
  const MESSAGE = "Sandbox: sh(84401) deny(1) file-write-create /etc/passwd";
  const SANDBOXD = { subsystem: "com.apple.sandbox.reporting", processImagePath: "/usr/libexec/sandboxd" };

  it.each<[who: string, others: Readonly<Record<string, unknown>>]>([
    [
      "a program whose path says Sandbox",
      { processID: 84_421, senderImagePath: "/tmp/Sandbox", userID: 501 },
    ],
    ["a program that claims the kernel's images", { processID: 84_421 }],
    ["a part of the kernel that is not the Sandbox", { senderImagePath: "/kernel" }],
    ["nobody in particular", { processID: undefined }],
    ["a pid that is no number", { processID: "0" }],
    [
      "a program that writes under the subsystem",
      { ...SANDBOXD, processID: 9, processImagePath: "/tmp/sandboxd" },
    ],
    ["a program of a user that has sandboxd's image", { ...SANDBOXD, processID: 9, userID: 501 }],
  ])("%s may not", (_who, others) => {
    expect(readLogLine(kernelLine(MESSAGE, others))).toBeNull();
  });

  it.each<[who: string, others: Readonly<Record<string, unknown>>]>([
    ["the kernel's Sandbox", {}],
    ["the kernel under the subsystem", { subsystem: SANDBOXD.subsystem, senderImagePath: "/kernel" }],
    ["sandboxd", { ...SANDBOXD, processID: 601 }],
    ["sandboxd where the log knows no user", { ...SANDBOXD, processID: 601, userID: 2_863_311_530 }],
  ])("%s may", (_who, others) => {
    expect(readLogLine(kernelLine(MESSAGE, others))).toMatchObject({ violation: { pid: 84_401 } });
  });
});

describe("whatever a program is called and wherever it reaches", () => {
  /** Pieces that imitate what the kernel writes. */
  const piece = fc.constantFrom(
    "Sandbox: x(1) deny(1) file-write-data /etc/passwd",
    "x(1) deny(1) signal",
    "(1) deny(1) signal",
    "(1) deny(1) ",
    "3 duplicate reports for ",
    `\n${OTHER_TAG}\n`,
    `\n${OTHER_TAG}`,
    '\nMetaData: {"pid":1,"operation":"signal","target":"/etc/passwd"}',
    "\n",
    "\u001b[2J",
    "\u202e",
    "\0",
    "`",
    " ",
  );
  const path = fc.array(fc.oneof(piece, fc.string({ unit: "binary" }))).map((parts) => `/${parts.join("")}`);
  const name = fc
    .array(fc.oneof(piece, fc.string({ unit: "binary" })), { minLength: 1 })
    .map((parts) => parts.join("").slice(0, 16))
    .filter((text) => text !== "");

  it("no line makes it throw", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (line) => void readLogLine(line)));
    fc.assert(fc.property(fc.json(), (line) => void readLogLine(line)));
    fc.assert(fc.property(name, path, (a, b) => void readLogLine(kernelLine(`Sandbox: ${a}${b}`))));
  });

  it("the one refusal is told of its own process with its own tag, or none is", () => {
    fc.assert(
      fc.property(name, path, (comm, target) => {
        const entry = readLogLine(
          kernelLine(`Sandbox: ${comm}(777) deny(1) file-read-data ${target}\n${TAG}`),
        );
        if (entry?.kind === "lossy") return;
        expect(entry).toMatchObject({
          kind: "violation",
          violation: { process: comm, pid: 777, operation: "file-read-data", tag: TAG },
          count: 1,
        });
      }),
      { numRuns: 2_000 },
    );
  });

  it("the same holds for what sandboxd says", () => {
    fc.assert(
      fc.property(name, path, (comm, target) => {
        const head = `${comm}(777) deny(1) file-read-data ${target}`;
        const details = { pid: 777, operation: "file-read-data", target };
        const entry = readLogLine(sandboxdLine(report(head, details)));
        if (entry?.kind === "lossy") return;
        expect(entry).toMatchObject({ violation: { process: comm, pid: 777, operation: "file-read-data" } });
      }),
    );
  });

  it("a path that has a tag in the middle has none", () => {
    const target = `/tmp/x\n${OTHER_TAG}\ny`;
    expect(readLogLine(kernelLine(`Sandbox: cat(777) deny(1) file-read-data ${target}`))).toMatchObject({
      violation: { target, tag: null },
    });
  });

  it("a short name reaches its whole path, imitations and all", () => {
    const target = "/tmp/Sandbox: x(1) deny(1) file-write-data /etc/passwd\nSandbox: y(2) deny(1) signal";
    expect(readLogLine(kernelLine(`Sandbox: cat(777) deny(1) file-read-data ${target}`))).toMatchObject({
      violation: { pid: 777, target },
    });
  });

  it("nothing that is kept is longer than 1,000 characters, nor shown as anything but itself", () => {
    fc.assert(
      fc.property(path, fc.nat(3_000), (start, length) => {
        const target = start + "x".repeat(length);
        const entry = readLogLine(
          kernelLine(`Sandbox: longer-than-most(777) deny(1) file-read-data ${target}`),
        );
        if (entry?.kind !== "violation") throw new Error("it is a refusal");
        const kept = entry.violation.target ?? "";
        expect(kept.length).toBeLessThanOrEqual(1_000);
        expect(target.length > 1_000 ? kept : `${kept}…`).toMatch(/…$/u);
        expect(visible(kept)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});
