import type { RulePlan } from "../../../src/backend/plan.ts";
import { CALL_PARAMETERS } from "../../support/mac/mac-case.ts";
import { type Finding, lint } from "../lint.ts";
import type { Query } from "../query.ts";
import { EVERY_READING } from "../readings.ts";
import { evaluator } from "../support/differential.ts";

/** What a program may do by a text of rules, however it is read; `it depends` where the readings do not agree. */
export type Asked = (query: Query) => "yes" | "no" | "it depends";

/** Compiles a plan's text under every reading. Throws where one of them takes it for none. */
export function asked({ rules }: Pick<RulePlan, "rules">): Asked {
  const ask = evaluator(rules);
  return (query) => {
    const answers = new Set(EVERY_READING.map((reading) => ask(query, reading).allowed));
    return answers.size > 1 ? "it depends" : answers.has(true) ? "yes" : "no";
  };
}

/**
 * What the lints find in a text, but for one thing: what a regex takes away in whatever folder begins at a slash, not at
 * `^`, and ends with a name or goes on below it.
 */
export function wrongIn(text: string): readonly Finding[] {
  return lint(text, CALL_PARAMETERS).filter(
    (one) => one.lint !== "loose-regex" || !/^\/.*[$/]$/.test(one.what),
  );
}

const file =
  (operation: string, vnode: Query["vnode"] = "REGULAR-FILE") =>
  (path: string): Query => ({ operation, path, vnode });

const outbound =
  (transport: "tcp" | "udp") =>
  (end: string): Query => {
    const [host = "", port = "0"] = end.split(":");
    return {
      operation: "network-outbound",
      socket: {
        domain: "AF_INET",
        transport,
        local: { host: "0.0.0.0", port: 0 },
        remote: { host, port: Number(port) },
      },
    };
  };

/** The questions that a kernel asks for what people speak of; a new file is also a name in its folder. */
export const ACTS = {
  read: file("file-read-data"),
  list: file("file-read-data", "DIRECTORY"),
  stat: file("file-read-metadata"),
  write: file("file-write-data"),
  make: file("file-write-create"),
  "make the folder": file("file-write-create", "DIRECTORY"),
  remove: file("file-write-unlink"),
  "move the folder": file("file-write-unlink", "DIRECTORY"),
  run: file("process-exec"),
  map: file("file-map-executable"),
  "connect to": (path: string): Query => ({
    operation: "network-outbound",
    path,
    vnode: "SOCKET",
    socket: { domain: "AF_UNIX" },
  }),
  reach: outbound("tcp"),
  "send to": outbound("udp"),
  "listen on": (end: string): Query => {
    const [host = "", port = "0"] = end.split(":");
    return {
      operation: "network-inbound",
      socket: { domain: "AF_INET", transport: "tcp", local: { host, port: Number(port) } },
    };
  },
  "look up": (name: string): Query => ({ operation: "mach-lookup", name }),
  know: (name: string): Query => ({ operation: "sysctl-read", name }),
  "make the semaphore": (name: string): Query => ({ operation: "ipc-posix-sem-create", name }),
  "share the memory": (name: string): Query => ({ operation: "ipc-posix-shm-write-create", name }),
} as const satisfies Readonly<Record<string, (what: string) => Query>>;

export type Act = keyof typeof ACTS;
