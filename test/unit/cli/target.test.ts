import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ExplainQuestion, targetOf } from "../../../src/cli/target.ts";
import type { Host } from "../../../src/host/look/host.ts";
import { printQuestion } from "../../../src/profile/examples.ts";
import { machine, refusalOf } from "../config/machine.ts";

/** A project with a file, a folder, and links to what lies beside it. */
function project() {
  const made = machine({ "home/ann/project/sub/file": "x", "home/ann/beside/secret": "x" });
  symlinkSync("../beside", made.at("home/ann/project/link"));
  symlinkSync("nowhere", made.at("home/ann/project/dangling"));
  symlinkSync("loop", made.at("home/ann/project/loop"));
  const host: Host = { ...made.host, platform: "linux" };
  return { ...made, host };
}

function asked(ask: ExplainQuestion, text: string) {
  const { host, folder } = project();
  const { questions, notes } = targetOf(host, ask, text);
  const told = (one: string): string => one.replaceAll(`${folder}/home/ann/`, "~");
  const kinds = questions.map((question) =>
    "facts" in question
      ? `${question.facts.kind}${question.facts.bornInside ? " born inside" : ""}`
      : question.ask,
  );
  return [questions.map((question) => told(printQuestion(question))), kinds, notes.map(told)];
}

describe("a path is what the kernel makes of it", () => {
  test.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ["sub/file", ["read `~project/sub/file`"], ["file"], []],
    ["./sub/", ["read `~project/sub`"], ["folder"], []],
    [
      "link/secret",
      ["read `~beside/secret`"],
      ["file"],
      ["symlinks in `link/secret` lead to `~beside/secret`"],
    ],
    ["link/../beside", ["read `~beside`"], ["folder"], ["symlinks in `link/../beside` lead to `~beside`"]],
    ["../beside/secret", ["read `~beside/secret`"], ["file"], []],
    [
      "new/deep/file",
      ["read `~project/new/deep/file`", "read `~project`"],
      ["file born inside", "folder"],
      ["it does not exist yet"],
    ],
    [
      "sub/new/",
      ["read `~project/sub/new`", "read `~project/sub`"],
      ["folder born inside", "folder"],
      ["it does not exist yet"],
    ],
    [
      "dangling",
      ["read `~project/nowhere`", "read `~project`"],
      ["file born inside", "folder"],
      ["symlinks in `dangling` lead to `~project/nowhere`", "it does not exist yet"],
    ],
  ])("%s", (text, questions, kinds, notes) => {
    expect(asked("read", text)).toEqual([questions, kinds, notes]);
  });
});

test("a host has port 443 when none is written, and a path is a socket", () => {
  expect(asked("connect", "example.com")[0]).toEqual(["connect `example.com:443`"]);
  expect(asked("connect", "10.0.0.1:80")[0]).toEqual(["connect `10.0.0.1:80`"]);
  expect(asked("connect", "./sub/file")[0]).toEqual(["connect `~project/sub/file`"]);
});

test("a word is a host, or with `@` an abstract socket, and what stands here by that name is pointed to", () => {
  const { host, write, folder } = project();
  const told = (text: string) => {
    const { questions, notes } = targetOf(host, "connect", text);
    return [printQuestion(questions[0]), ...notes].map((one) =>
      one.replaceAll(`${folder}/home/ann/project/`, "~"),
    );
  };
  write(Object.fromEntries(["q1", "q1:80", "@q1"].map((name) => [`home/ann/project/${name}`, ""])));
  expect(["q1", "q2", "q1:80", "@q1", "@q2", "sub/file", "./q1"].map(told)).toEqual([
    ["connect `q1:443`", "read as the name of a host; use `./q1` for the file here"],
    ["connect `q2:443`"],
    ["connect `q1:80`", "read as the name of a host; use `./q1:80` for the file here"],
    ["connect `@q1`", "read as the name of an abstract socket; use `./@q1` for the file here"],
    ["connect `@q2`"],
    ["connect `~sub/file`"],
    ["connect `~q1`"],
  ]);
  const mac: Host = { ...host, platform: "darwin" };
  expect(refusalOf(() => targetOf(mac, "connect", "@q1")).message).toBe(
    "`@q1` is the name of an abstract socket: only Linux has those",
  );
});

describe("what leads nowhere clear is refused", () => {
  test.each<[ExplainQuestion, string, string, string]>([
    ["read", "", "USAGE", "the target is empty"],
    ["read", "~/.ssh/id", "USAGE", "the path `~/.ssh/id` begins with `~`, which is not expanded"],
    ["read", "a\0b", "USAGE", "a path cannot contain NUL"],
    ["read", "new/../sub", "USAGE", "`new/../sub` has `..` after a folder that does not exist"],
    ["read", "sub/file/x", "USAGE", "`sub/file/x` leads through a file that is not a folder"],
    ["read", "loop", "USAGE", "`loop` cannot be read: it has too many symlinks"],
    ["connect", "@", "USAGE", "the name of the abstract socket is empty"],
    ["connect", "no/such", "HOST_INVALID", "the host rule `no/such` is neither a host name nor an address"],
    ["connect", "*.example.com", "HOST_INVALID", "`*.example.com` is a host rule, not one host"],
    [
      "connect",
      "example.com:99999",
      "HOST_INVALID",
      "the host rule `example.com:99999` has a port outside 1 to 65535",
    ],
  ])("%s %j", (ask, text, code, message) => {
    const { host } = project();
    const refusal = refusalOf(() => targetOf(host, ask, text));
    expect([refusal.code, refusal.message]).toEqual([code, message]);
  });
});

test("a name that can't be seen whole is made visible", () => {
  const { host, project: folder } = project();
  mkdirSync(`${folder}/odd\u{1b}name`);
  writeFileSync(`${folder}/odd\u{1b}name/x`, "");
  const [question] = targetOf(host, "read", "odd\u{1b}name/x").questions;
  expect(printQuestion(question)).toBe(`read \`${folder}/odd\\u{1b}name/x\``);
});

test("a variable is asked about by its name, system calls and what macOS gives by their group", () => {
  expect(asked("env", "HOME")[0]).toEqual(["env `HOME`"]);
  expect(asked("syscalls", "debug")[0]).toEqual(["syscalls debug"]);
  expect(asked("devices", "kvm")[0]).toEqual(["devices kvm"]);
  expect(refusalOf(() => asked("devices", "fus"))).toMatchObject({ hint: "did you mean `fuse`?" });
  expect(refusalOf(() => asked("syscalls", "debg"))).toMatchObject({ hint: "did you mean `debug`?" });
  const { host } = project();
  const notes = (["linux", "darwin"] as const).map((platform) => {
    const target = targetOf({ ...host, platform }, "macos", "tls");
    expect(target.questions.map(printQuestion)).toEqual(["macos tls"]);
    return target.notes;
  });
  expect(notes).toEqual([["only used on macOS"], []]);
  expect(refusalOf(() => asked("macos", "tsl"))).toMatchObject({ hint: "did you mean `tls`?" });
});
