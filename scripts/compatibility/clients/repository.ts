import { spawn, spawnSync } from "node:child_process";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Answering } from "../../../test/support/web/whole-web.ts";

const MAKE = `
git init -q -b main work
cd work
echo one >a
git add a
git commit -qm first
git clone -q --bare . ../project.git
git -C ../project.git config http.receivepack true
`;

/** The environment of git for a server: an author, and no settings of the machine. */
function gitEnv(folder: string): Readonly<Record<string, string>> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: "1",
    ...{ GIT_AUTHOR_NAME: "A Server", GIT_AUTHOR_EMAIL: "server@example.org" },
    ...{ GIT_COMMITTER_NAME: "A Server", GIT_COMMITTER_EMAIL: "server@example.org" },
  };
}

/** Makes `project.git` in the folder, with one commit, and answers as git's own server does (git-http-backend(1)). */
export function repositoryIn(folder: string): Answering {
  const made = spawnSync("/bin/sh", ["-ec", MAKE], { cwd: folder, env: gitEnv(folder), encoding: "utf8" });
  if (made.status !== 0) throw new Error(`no repository could be made: ${made.stderr}`);
  return (rest, request, response) => {
    const { method = "GET", url = "/", headers } = request;
    const child = spawn("git", ["http-backend"], {
      cwd: folder,
      env: {
        ...gitEnv(folder),
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: "1",
        REQUEST_METHOD: method,
        PATH_INFO: join("/", rest),
        QUERY_STRING: new URL(url, "http://web").search.slice(1),
        ...variable("CONTENT_TYPE", headers["content-type"]),
        ...variable("CONTENT_LENGTH", headers["content-length"]),
        ...variable("HTTP_CONTENT_ENCODING", headers["content-encoding"]),
        ...variable("GIT_PROTOCOL", headers["git-protocol"]),
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.on("error", () => undefined);
    request.pipe(child.stdin);
    answerFrom(child.stdout, response);
  };
}

/** Passes on the response of a CGI program: a head, and the unchanged rest (RFC 3875, section 6). */
function answerFrom(stdout: Readable, response: ServerResponse): void {
  let head = Buffer.alloc(0);
  const onHead = (part: Buffer): void => {
    head = Buffer.concat([head, part]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    stdout.off("data", onHead);
    for (const line of head.subarray(0, end).toString("latin1").split("\r\n")) {
      const [, name = "", value = ""] = /^([^:]*): *(.*)$/.exec(line) ?? [];
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
    stdout.pipe(response);
  };
  stdout.on("data", onHead);
  stdout.once("end", () => response.end());
}

function variable(
  name: string,
  value: string | readonly string[] | undefined,
): Readonly<Record<string, string>> {
  return typeof value === "string" ? { [name]: value } : {};
}
