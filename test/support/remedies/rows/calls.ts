import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { freePort } from "../../web/free-port.ts";
import { command, DOCS, docs, NAMED, NOTE, ownTool, PROJECT, script, tool, UNASKED } from "../calls.ts";
import { cli } from "../cli.ts";
import { quoted, type Row, run, type Situation } from "../row.ts";

/** Where the proxy of the row about one runs, once it does. */
let proxyPort = 0;

/** Asks for a page that a proxy of this machine's brings. */
const byProxy: Situation = (at, told) =>
  command(["curl", "-sSf", "http://a.test/"], {
    more: `shell: { network: { hosts: ["a.test"], proxy: "http://127.0.0.1:${proxyPort}" } }`,
  })(at, told);

/** What is asked of the sandbox. */
export const OF_CALLS: readonly Row[] = [
  // Programs
  [
    "check the path, and the folder that the command starts in",
    command(["./tol"]),
    script("#!/bin/sh\n")(command(["./tool"])),
  ],
  [
    "make it executable with `{}`, or run it with its interpreter, for example `{}`",
    script("#!/bin/sh\n", 0o644)(command(["./tool"])),
    run(command(["./tool"])),
  ],
  [
    "name a program in it",
    command(["./bin"], { files: { [`${PROJECT}/bin/a`]: "" } }),
    script("#!/bin/sh\n")(command(["./tool"])),
  ],
  [
    "correct the first line of the script, or build the program again on this machine",
    script("#!/usr/bin/no-such-sh\n")(command(["./tool"])),
    script("#!/bin/sh\n")(command(["./tool"])),
  ],
  [
    "check its spelling; if this machine has it, add its folder under `sandbox.runtimes`{}",
    command(["own-tool"]),
    (at, told) => {
      ownTool(at);
      return command(["own-tool"], {
        runtimes: `system, ${quoted(told, 1).replace("/its/folder", at.at("srv/own"))}`,
      })(at, told);
    },
  ],
  [
    "if you trust that program, add its folder under `sandbox.runtimes`{}",
    (at, told) => {
      ownTool(at);
      return command(["./own-tool"], { links: { [`${PROJECT}/own-tool`]: "srv/own/bin/own-tool" } })(
        at,
        told,
      );
    },
    (at, told) =>
      command(["./own-tool"], {
        runtimes: `system, ${quoted(told, 1).replace("/its/folder", at.at("srv/own"))}`,
      })(at, told),
  ],
  [
    'add `{ path: "${runtime}", access: read }` to `files` of the profile that lacks it',
    command(["true"], { profile: 'files: [{ path: "${workspace}", access: write }]' }),
    command(["true"], {
      profile: 'files: [{ path: "${workspace}", access: write }, { path: "${runtime}", access: read }]',
    }),
  ],
  ["change to one of: {}", command(["true"], { cwd: "home/ann" }), command(["true"])],
  [
    "{}; pass large data in a file or by standard input",
    command(["true", "x".repeat(3_000_000)]),
    command(["true", "note.txt"], { files: NOTE }),
  ],
  [
    "pass the data in a file or by standard input, or pass fewer variables in `sandbox.env`",
    command(["true"], { sandbox: ", env: { pass: [BIG] }", env: { BIG: "x".repeat(200_000) } }),
    command(["true"]),
  ],
  // What a failed command is told
  [
    "give the folder `mode: rw` under `sandbox.paths` in the config, if intended",
    command(["touch", "../docs/b"], { files: DOCS, paths: docs("mode: ro") }),
    command(["touch", "../docs/b"], { paths: docs("mode: rw, write_approval: false") }),
  ],
  [
    "list the file's ending in `suffixes` of its folder under `sandbox.paths` in the config, if intended",
    command(["cat", "../docs/a.txt"], { files: DOCS, paths: docs("mode: ro, suffixes: [.md]") }),
    command(["cat", "../docs/a.txt"], { paths: docs("mode: ro, suffixes: [.md, .txt]") }),
  ],
  [
    "set `{}: false` for this root, or remove the rule that runs the command without approval",
    tool("shell", { argv: ["touch", "../docs/b"] }, { files: DOCS, paths: docs("mode: rw"), more: UNASKED }),
    tool(
      "shell",
      { argv: ["touch", "../docs/b"] },
      { paths: docs("mode: rw, write_approval: false"), more: UNASKED },
    ),
  ],
  [
    "list the file's ending in `suffixes` of its folder under `sandbox.paths` in the config, if intended; create new files with `write_file`",
    command(["touch", "../docs/b.md"], {
      files: DOCS,
      paths: docs("mode: rw, write_approval: false, suffixes: [.txt]"),
    }),
    tool(
      "write_file",
      { path: "docs:b.md", content: "b" },
      { paths: docs("mode: rw, write_approval: false, suffixes: [.txt, .md]") },
    ),
  ],
  [
    "use the file tools there, which can create files, or remove `suffixes`",
    command(["touch", "../docs/b.txt"], {
      files: DOCS,
      paths: docs("mode: rw, write_approval: false, suffixes: [.txt]"),
    }),
    tool(
      "write_file",
      { path: "docs:b.txt", content: "b" },
      { paths: docs("mode: rw, write_approval: false, suffixes: [.txt]") },
    ),
  ],
  [
    "programs outside the sandbox obey it: change it there yourself, if intended",
    command(["touch", ".npmrc"], { files: { [`${PROJECT}/.npmrc`]: "" } }),
    (at, told) => {
      writeFileSync(at.at(`${PROJECT}/.npmrc`), "a=b\n");
      return command(["grep", "a=b", ".npmrc"])(at, told);
    },
  ],
  [
    "finish it outside the sandbox, if intended: `{}`",
    command(["rm", "-r", "sub"], { files: { [`${PROJECT}/sub/.npmrc`]: "" } }),
    run(command(["test", "!", "-e", "sub"])),
  ],
  [
    "raise {} under `sandbox.limits`, or the lower limit of a profile",
    command(["sh", "-c", "head -c 4000000 /dev/zero >/tmp/a"], { sandbox: ", limits: { scratch: 1MiB }" }),
    (at, told) =>
      command(["sh", "-c", "head -c 4000000 /dev/zero >/tmp/a"], {
        sandbox: `, limits: { ${quoted(told)}: 16MiB }`,
      })(at, told),
  ],
  [
    "check that this proxy runs and allows the host, or set another one: `proxy` under `shell.network` in the config, or the variable that it uses",
    async (at, told) => {
      proxyPort = await freePort();
      return byProxy(at, told);
    },
    async (at, told) => {
      const proxy = createServer((_, answer) => answer.end("here")).listen(proxyPort, "127.0.0.1");
      await once(proxy, "listening");
      try {
        return await byProxy(at, told);
      } finally {
        proxy.close();
      }
    },
  ],
  [
    "list the host under `shell.network` in the config, if intended",
    command(["curl", "-sS", "https://a.test/"], { more: 'shell: { network: { hosts: ["b.test"] } }' }),
    cli(["explain", "connect", "a.test:443", ...NAMED]),
  ],
  // Tools on files
  [
    "list the folder to see its files",
    tool("delete_file", { path: "gone" }),
    tool("list_dir", { path: "." }),
  ],
  [
    "the roots are {}; write {} for a file of that name",
    tool("write_file", { path: "dosc:b.txt", content: "b" }),
    tool("write_file", { path: "ws:b.txt", content: "b" }),
  ],
  [
    "write the absolute path, or `./~` for a file of that name",
    tool("list_dir", { path: "~/project" }),
    (at, told) => tool("list_dir", { path: at.at(PROJECT) })(at, told),
  ],
  [
    "list the folder to see its kind",
    tool("read_file", { path: "sub" }, { files: { [`${PROJECT}/sub/a`]: "" } }),
    tool("list_dir", { path: "sub" }),
  ],
  [
    "choose another name, or delete it first",
    tool(
      "move_file",
      { from: "note.txt", to: "other.txt" },
      { files: { ...NOTE, [`${PROJECT}/other.txt`]: "" } },
    ),
    tool("move_file", { from: "note.txt", to: "third.txt" }),
  ],
  [
    "create it with `write_file`",
    tool("edit_file", { path: "new.txt", edits: [{ old_text: "a", new_text: "b" }] }),
    tool("write_file", { path: "new.txt", content: "b" }),
  ],
  [
    "read its bytes with `as: base64`",
    tool("read_file", { path: "bin" }, { files: { [`${PROJECT}/bin`]: "\0\x01\x02" } }),
    tool("read_file", { path: "bin", as: "base64" }),
  ],
  [
    "remove it",
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "one", new_text: "one" }] }, { files: NOTE }),
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "one", new_text: "1" }] }),
  ],
  [
    "read the file again: the text must match exactly, with blanks and line ends",
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "One", new_text: "1" }] }, { files: NOTE }),
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "one", new_text: "1" }] }),
  ],
  [
    "add text around it, or write `all: true`",
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "two", new_text: "2" }] }, { files: NOTE }),
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "two", new_text: "2", all: true }] }),
  ],
  [
    "change it with a command",
    tool(
      "edit_file",
      { path: "bin", edits: [{ old_text: "a", new_text: "b" }] },
      { files: { [`${PROJECT}/bin`]: "\0a" } },
    ),
    command(["sed", "-i", "s/a/b/", "bin"]),
  ],
  [
    "write a path as `ROOT:path/in/it`, or relative to the working folder of calls",
    tool("read_file", { path: "x/".repeat(5_000) }),
    tool("read_file", { path: "ws:note.txt" }, { files: NOTE }),
  ],
  [
    "its keys: {}{}",
    tool("read_file", {}, { files: NOTE }),
    tool("read_file", { path: "ws:note.txt" }, { files: NOTE }),
  ],
];
