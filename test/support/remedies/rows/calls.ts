import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { freePort } from "../../battery/port-servers.ts";
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
    "nothing is at this path inside: check its spelling, and the folder it starts in",
    command(["./tol"]),
    script("#!/bin/sh\n")(command(["./tool"])),
  ],
  [
    "make it executable with `{}`, or run it with its interpreter, for example `{}`",
    script("#!/bin/sh\n", 0o644)(command(["./tool"])),
    run(command(["./tool"])),
  ],
  [
    "name the program in it",
    command(["./bin"], { files: { [`${PROJECT}/bin/a`]: "" } }),
    script("#!/bin/sh\n")(command(["./tool"])),
  ],
  [
    "correct the first line of the script, or make the program again on this machine",
    script("#!/usr/bin/no-such-sh\n")(command(["./tool"])),
    script("#!/bin/sh\n")(command(["./tool"])),
  ],
  [
    "check how it is spelt; if this machine has it, add its folder under `sandbox.runtimes`{}",
    command(["own-tool"]),
    (at, told) => {
      ownTool(at);
      return command(["own-tool"], {
        runtimes: `system, ${quoted(told, 1).replace("/its/folder", at.at("srv/own"))}`,
      })(at, told);
    },
  ],
  [
    "if you know that program, add its folder under `sandbox.runtimes`{}",
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
    'add `{ path: "${runtime}", access: read }` to `files` of the profile that leaves it out',
    command(["true"], { profile: 'files: [{ path: "${workspace}", access: write }]' }),
    command(["true"], {
      profile: 'files: [{ path: "${workspace}", access: write }, { path: "${runtime}", access: read }]',
    }),
  ],
  ["start in one of {}", command(["true"], { cwd: "home/ann" }), command(["true"])],
  [
    "pass `{ argv: [word, …] }`, and what is large by a file or by standard input",
    command(["true", "x".repeat(3_000_000)]),
    command(["true", "note.txt"], { files: NOTE }),
  ],
  [
    "hand the data in by a file or by standard input, or pass fewer variables in `sandbox.env`",
    command(["true"], { sandbox: ", env: { pass: [BIG] }", env: { BIG: "x".repeat(200_000) } }),
    command(["true"]),
  ],
  // What a failed command is told
  [
    "give the folder `mode: rw` under `sandbox.paths` in the config, if it is meant",
    command(["touch", "../docs/b"], { files: DOCS, paths: docs("mode: ro") }),
    command(["touch", "../docs/b"], { paths: docs("mode: rw, write_approval: false") }),
  ],
  [
    "list the name's ending under `suffixes` of the folder's `sandbox.paths` in the config, if it is meant",
    command(["cat", "../docs/a.txt"], { files: DOCS, paths: docs("mode: ro, suffixes: [.md]") }),
    command(["cat", "../docs/a.txt"], { paths: docs("mode: ro, suffixes: [.md, .txt]") }),
  ],
  [
    "it is given after a yes: have a person asked about this call",
    tool("shell", { argv: ["touch", "../docs/b"] }, { files: DOCS, paths: docs("mode: rw"), more: UNASKED }),
    command(["touch", "../docs/b"], { paths: docs("mode: rw") }),
  ],
  [
    "list the name's ending under `suffixes` of the folder's `sandbox.paths` in the config, if it is meant; what is not there yet is made with `write_file`",
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
    "use the tools on files there, which can make them, or leave out `suffixes`",
    command(["touch", "../docs/b.txt"], {
      files: DOCS,
      paths: docs("mode: rw, write_approval: false, suffixes: [.txt]"),
    }),
    tool("write_file", { path: "docs:b.txt", content: "b" }),
  ],
  [
    "programs of this machine obey it: change it yourself, outside of the sandbox, if it is meant",
    command(["touch", ".npmrc"], { files: { [`${PROJECT}/.npmrc`]: "" } }),
    (at, told) => {
      writeFileSync(at.at(`${PROJECT}/.npmrc`), "a=b\n");
      return command(["grep", "a=b", ".npmrc"])(at, told);
    },
  ],
  [
    "if it is meant, finish it outside of the sandbox: `{}`",
    command(["rm", "-r", "sub"], { files: { [`${PROJECT}/sub/.npmrc`]: "" } }),
    run(command(["test", "!", "-e", "sub"])),
  ],
  [
    "raise {} under `sandbox.limits`, or the profile's that is lower",
    command(["sh", "-c", "head -c 4000000 /dev/zero >/tmp/a"], { sandbox: ", limits: { scratch: 1MiB }" }),
    (at, told) =>
      command(["sh", "-c", "head -c 4000000 /dev/zero >/tmp/a"], {
        sandbox: `, limits: { ${quoted(told)}: 16MiB }`,
      })(at, told),
  ],
  [
    "see that this proxy runs and lets the host pass, or name another one: `proxy` under `shell.network` in the config, or the variable that it takes it from",
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
    "list the host under `shell.network` in the config, if it is meant",
    command(["curl", "-sS", "https://a.test/"], { more: 'shell: { network: { hosts: ["b.test"] } }' }),
    cli(["explain", "connect", "a.test:443", ...NAMED]),
  ],
  // Tools on files
  ["list the folder to see what is", tool("delete_file", { path: "gone" }), tool("list_dir", { path: "." })],
  [
    "list the folder to see what it is",
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
    "make it with `write_file`",
    tool("edit_file", { path: "new.txt", edits: [{ old_text: "a", new_text: "b" }] }),
    tool("write_file", { path: "new.txt", content: "b" }),
  ],
  [
    "read its bytes with `as: base64`",
    tool("read_file", { path: "bin" }, { files: { [`${PROJECT}/bin`]: "\0\x01\x02" } }),
    tool("read_file", { path: "bin", as: "base64" }),
  ],
  [
    "leave it out",
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "one", new_text: "one" }] }, { files: NOTE }),
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "one", new_text: "1" }] }),
  ],
  [
    "read the file again: the text must be the same to the character, blanks and line ends too",
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "One", new_text: "1" }] }, { files: NOTE }),
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "one", new_text: "1" }] }),
  ],
  [
    "take more of what stands around it, or say `all: true`",
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "two", new_text: "2" }] }, { files: NOTE }),
    tool("edit_file", { path: "note.txt", edits: [{ old_text: "two", new_text: "2", all: true }] }),
  ],
  [
    "change it by a command",
    tool(
      "edit_file",
      { path: "bin", edits: [{ old_text: "a", new_text: "b" }] },
      { files: { [`${PROJECT}/bin`]: "\0a" } },
    ),
    command(["sed", "-i", "s/a/b/", "bin"]),
  ],
  [
    "write a path as `ROOT:path/in/it`, or from the folder that calls start in",
    tool("read_file", { path: "x/".repeat(5_000) }),
    tool("read_file", { path: "ws:note.txt" }, { files: NOTE }),
  ],
  [
    "run `cofferdam tools {}` for its schema",
    tool("read_file", {}),
    cli((told) => [...quoted(told).split(" ").slice(1), ...NAMED]),
  ],
];
