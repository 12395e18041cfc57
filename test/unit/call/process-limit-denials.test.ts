import { expect, test } from "vitest";
import { processLimitDenials } from "../../../src/call/denials/process-limit.ts";
import type { Limits } from "../../../src/profile/limits.ts";

const BOTH: Limits = { fileBytes: 10 * 1024 ** 2, openFiles: 64 };

/** The settings that are told to be raised. */
function raised(code: number, said: string, limits: Limits = BOTH): readonly (string | undefined)[] {
  return processLimitDenials({ code, said, limits }).map(({ remedy }) => /`(\w+)`/.exec(remedy)?.[1]);
}

test("a file that was too large is told with its limit; under no such limit nothing is told", () => {
  expect(processLimitDenials({ code: 153, said: "", limits: BOTH })).toEqual([
    {
      operation: "use",
      target: "a file of more than 10MiB",
      certainty: "likely",
      because: "its status shows that a file reached the limit of file size",
      remedy: "raise `file_size` under `sandbox.limits`, or the lower limit of a profile",
    },
  ]);
  expect(raised(153, "", { openFiles: 64 })).toEqual([]);
  expect(raised(154, "")).toEqual([]);
});

test.each([
  ["bash", "bash: 12 File size limit exceeded head -c 20000000 /dev/zero > f"],
  ["Python", "OSError: [Errno 27] File too large"],
  ["Node", "Error: EFBIG: file too large, write"],
  ["Rust", 'Os { code: 27, kind: FileTooLarge, message: "File too large" }'],
  ["Go", "write f: file too large"],
])("what %s says of a file that is too large is understood", (_, said) => {
  expect(raised(1, said)).toEqual(["file_size"]);
  expect(raised(1, said, {})).toEqual([]);
});

test("too many open files are told with their limit; under no such limit nothing is told", () => {
  const said = "OSError: [Errno 24] Too many open files: 'f'";
  expect(processLimitDenials({ code: 1, said, limits: BOTH })).toEqual([
    {
      operation: "use",
      target: "more than 64 open files in one process",
      certainty: "likely",
      because: "its output shows that a process reached the limit of open files",
      remedy: "raise `open_files` under `sandbox.limits`, or the lower limit of a profile",
    },
  ]);
  expect(raised(1, said, { fileBytes: 1 })).toEqual([]);
});

test.each([
  ["Node", "Error: EMFILE: too many open files, open '/p/f'"],
  ["Rust", "Error: Too many open files (os error 24)"],
  ["Go", "open f: too many open files"],
  ["Java", "java.io.FileNotFoundException: f (Too many open files)"],
])("what %s says of too many open files is understood", (_, said) => {
  expect(raised(1, said)).toEqual(["open_files"]);
});

test.each([
  ["a bound of the whole machine", "open f: too many open files in system"],
  ["a bound on what watches files", "Error: EMFILE: too many open files, watch '/p'"],
  ["a bound on what watches files, by its name", "inotify_init: Too many open files"],
  ["another error", "OSError: [Errno 2] No such file or directory: '27'"],
])("%s is not told as one of the call", (_, said) => {
  expect(raised(1, said)).toEqual([]);
  expect(raised(1, `${said}\nopen g: too many open files`)).toEqual(["open_files"]);
});
