import { existsSync } from "node:fs";
import { printFailure, type ResolvedWay, walk } from "../config/safe-file.ts";
import type { Removal } from "../decide/stays.ts";
import { visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { statsOf } from "../host/look/nodes.ts";
import type { PathFacts } from "../profile/access-to.ts";
import { DEVICE_GROUPS } from "../profile/devices.ts";
import { connectQuestion } from "../profile/examples.ts";
import type { ProfileQuestion } from "../profile/explain.ts";
import { MACOS_GROUPS } from "../profile/macos.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { Port } from "../profile/ports.ts";
import { SYSCALL_GROUPS } from "../profile/syscalls.ts";
import { refuseTilde } from "../tool/files/written-path.ts";
import { knownWord, usage } from "./arguments.ts";
import { typedPath } from "./typed-path.ts";

/** The target of `explain`: the questions that must all be allowed, and notes about the target. */
export interface ExplainTarget {
  readonly questions: readonly [ProfileQuestion, ...ProfileQuestion[]];
  readonly notes: readonly string[];
}

/** The kinds of question that have a command. */
export const ASKS = [
  "read",
  "write",
  "remove",
  "rename",
  "connect",
  "env",
  "syscalls",
  "devices",
  "macos",
  "port",
] as const;
export type ExplainQuestion = (typeof ASKS)[number];

/**
 * The questions about a typed target: a path from the cwd, or for `connect` a host, a path, or `@name` (abstract
 * socket). Links are followed like in the kernel. A missing path is checked as a file that the call creates, and so is
 * its nearest folder: what covers the folder covers the path. Throws `USAGE` for an unclear path, and `HOST_INVALID`.
 */
export function targetOf(host: Host, ask: ExplainQuestion, text: string): ExplainTarget {
  if (text === "") throw usage("explain", "the target is empty");
  switch (ask) {
    case "read":
    case "write":
    case "remove":
    case "rename":
      return pathTarget(host, ask, text);
    case "connect":
      return connectTarget(host, text);
    case "env":
      return { questions: [{ ask, name: text }], notes: [] };
    case "syscalls":
      return { questions: [{ ask, group: knownWord("explain", "group", text, SYSCALL_GROUPS) }], notes: [] };
    case "devices":
      return { questions: [{ ask, group: knownWord("explain", "group", text, DEVICE_GROUPS) }], notes: [] };
    case "macos":
      return {
        questions: [{ ask, group: knownWord("explain", "group", text, MACOS_GROUPS) }],
        notes: host.platform === "darwin" ? [] : ["only used on macOS"],
      };
    case "port":
      return portTarget(text);
  }
}

/** Throws `USAGE` for an invalid port. */
export function readPort(command: "explain" | "run", text: string): number {
  const { data, error } = Port.safeParse(/^[0-9]+$/.test(text) ? Number(text) : Number.NaN);
  if (data !== undefined) return data;
  throw usage(command, `invalid port ${visible(text)}: ${error?.issues[0]?.message ?? ""}`);
}

function portTarget(text: string): ExplainTarget {
  const port = readPort("explain", text);
  const note = `the port is open only during a call that requests it: \`cofferdam run --port ${port} -- COMMAND\``;
  return { questions: [{ ask: "port", port }], notes: [note] };
}

function connectTarget(host: Host, text: string): ExplainTarget {
  const isThere = existsSync(`${host.cwd}/${text}`);
  // Hosts have no slash in their name.
  if (/^\.{0,2}\//.test(text) || (isThere && text.includes("/"))) {
    const { path, notes } = follow(host, text);
    return { questions: [{ ask: "socket", path }], notes };
  }
  const notes = isThere ? [otherwise(text)] : [];
  return { questions: [text.startsWith("@") ? abstractQuestion(host, text) : connectQuestion(text)], notes };
}

/** Abstract sockets, written like in ss(8) and `/proc/net/unix`. Throws `USAGE` off Linux, or without a name. */
function abstractQuestion(host: Host, text: string): ProfileQuestion {
  if (host.platform !== "linux")
    throw usage("explain", `${visible(text)} is the name of an abstract socket: only Linux has those`);
  if (text === "@") throw usage("explain", "the name of the abstract socket is empty", "write `@name`");
  return { ask: "abstract", name: text.slice(1) };
}

/** The note for a word that is also a file in this folder. */
function otherwise(text: string): string {
  const what = text.startsWith("@") ? "an abstract socket" : "a host";
  return `read as the name of ${what}; use ${visible(`./${text}`)} for the file here`;
}

function pathTarget(host: Host, ask: "read" | "write" | Removal, typed: string): ExplainTarget {
  const text = typedPath(typed);
  refuseTilde(text, (message, hint) => usage("explain", message, hint));
  const { path, nearest, isThere, notes } = isRemoval(ask) ? nameOfPath(host, text) : follow(host, text);
  if (isThere)
    return { questions: [{ ask, path, facts: isRemoval(ask) ? nameFacts(path) : factsOf(path) }], notes };
  // Node does not pass on bytes that are not UTF-8, so a path that looks missing may exist.
  if (text === typed && text.includes("\u{fffd}"))
    throw usage(
      "explain",
      `${visible(text)} may be a name that is not valid UTF-8`,
      'write it as a JSON string, as receipts have it: `"caf\\udce9"`',
    );
  const kind = text.endsWith("/") ? "folder" : "file";
  const made: ProfileQuestion = { ask, path, facts: { kind, bornInside: true } };
  if (isRemoval(ask)) return { questions: [made], notes: [...notes, "it does not exist yet"] };
  const above: ProfileQuestion = { ask, path: nearest, facts: factsOf(nearest) };
  return { questions: [made, above], notes: [...notes, "it does not exist yet"] };
}

function isRemoval(ask: ExplainQuestion): ask is Removal {
  return ask === "remove" || ask === "rename";
}

/** The path of the name itself: a link is removed or renamed, never its target (unlink(2), rename(2)). */
function nameOfPath(host: Host, text: string): Followed {
  const written = text.startsWith("/") ? text : `${host.cwd}/${text}`;
  const end = written.replace(/\/+$/, "");
  const name = end.slice(end.lastIndexOf("/") + 1);
  if (name === "" || name === "." || name === ".." || name.includes("\0")) return follow(host, text);
  const folder = follow(host, `${end.slice(0, end.lastIndexOf("/"))}/`);
  const path = joinPath(folder.path, name);
  return folder.isThere && statsOf(path) !== null
    ? { path, nearest: path, isThere: true, notes: folder.notes }
    : follow(host, text);
}

function factsOf(path: AbsolutePath): PathFacts {
  return { kind: statsOf(path)?.isDirectory() === true ? "folder" : "file", bornInside: false };
}

/** A glob that hides applies to the target of a link, not to the link, which has no content. */
function nameFacts(path: AbsolutePath): PathFacts {
  return statsOf(path)?.isSymbolicLink() === true ? { kind: "file", bornInside: true } : factsOf(path);
}

interface Followed {
  readonly path: AbsolutePath;
  readonly nearest: AbsolutePath;
  readonly isThere: boolean;
  readonly notes: readonly string[];
}

function follow(host: Host, text: string): Followed {
  if (text.includes("\0")) throw usage("explain", "a path cannot contain NUL");
  const written = text.startsWith("/") ? text : `${host.cwd}/${text}`;
  let way: ResolvedWay;
  try {
    way = walk(written);
  } catch (cause) {
    throw usage(
      "explain",
      `${visible(text)} ${printFailure(cause)}`,
      "name a path that this user can follow",
    );
  }
  if (way.missing.includes(".."))
    throw usage(
      "explain",
      `${visible(text)} has \`..\` after a folder that does not exist`,
      "write the path without `..`",
    );
  const path = way.missing.reduce(joinPath, way.real);
  const isThroughLink = way.steps.some((step) => step.stats.isSymbolicLink());
  const notes = isThroughLink ? [`symlinks in ${visible(text)} lead to ${visible(path)}`] : [];
  return { path, nearest: way.real, isThere: way.missing.length === 0, notes };
}
