import { existsSync } from "node:fs";
import { printFailure, type Way, walk } from "../config/safe-file.ts";
import { visible } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { statsOf } from "../host/nodes.ts";
import type { PathFacts } from "../profile/access-to.ts";
import { DEVICE_GROUPS } from "../profile/devices.ts";
import { connectQuestion } from "../profile/examples.ts";
import type { Question } from "../profile/explain.ts";
import { MACOS_GROUPS } from "../profile/macos.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { Port } from "../profile/ports.ts";
import { SYSCALL_GROUPS } from "../profile/syscalls.ts";
import type { Removal } from "../supervisor/stays.ts";
import { knownWord, usage } from "./arguments.ts";
import { typedPath } from "./typed-path.ts";

/** What somebody asks about: the questions that must all be answered yes, and what the target turned out to be. */
export interface Target {
  readonly questions: readonly [Question, ...Question[]];
  readonly notes: readonly string[];
}

/** The kinds of question that there are a command for. */
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
export type Ask = (typeof ASKS)[number];

/**
 * The questions about a target as it was typed. A path counts from the cwd, links on it are followed as the kernel does.
 * What is not there is asked about as something that the call makes, and its nearest existing folder as well, since what
 * covers that folder covers it too. What can be reached is a host, a path, or `@name`, an abstract socket. Throws `USAGE` for
 * a path that leads nowhere clear, `HOST_INVALID`.
 */
export function targetOf(host: Host, ask: Ask, text: string): Target {
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
        notes: host.platform === "darwin" ? [] : ["only programs on macOS ask for it"],
      };
    case "port":
      return portTarget(text);
  }
}

/** Throws `USAGE` for what is no port. */
export function readPort(command: "explain" | "run", text: string): number {
  const { data, error } = Port.safeParse(/^[0-9]+$/.test(text) ? Number(text) : Number.NaN);
  if (data !== undefined) return data;
  throw usage(command, `${visible(text)} is no port: ${error?.issues[0]?.message ?? ""}`);
}

function portTarget(text: string): Target {
  const port = readPort("explain", text);
  const note = `it is open only while a call runs that asks for it: \`cofferdam run --port ${port} -- COMMAND\``;
  return { questions: [{ ask: "port", port }], notes: [note] };
}

function connectTarget(host: Host, text: string): Target {
  const isThere = existsSync(`${host.cwd}/${text}`);
  // No host has a slash in its name.
  if (/^\.{0,2}\//.test(text) || (isThere && text.includes("/"))) {
    const { path, notes } = follow(host, text);
    return { questions: [{ ask: "socket", path }], notes };
  }
  const notes = isThere ? [otherwise(text)] : [];
  return { questions: [text.startsWith("@") ? abstractQuestion(host, text) : connectQuestion(text)], notes };
}

/** As ss(8) and `/proc/net/unix` write them. Throws `USAGE` where there are none, or for one without a name. */
function abstractQuestion(host: Host, text: string): Question {
  if (host.platform !== "linux")
    throw usage("explain", `${visible(text)} is the name of an abstract socket: only Linux has those`);
  if (text === "@") throw usage("explain", "the name of the abstract socket is empty", "write `@name`");
  return { ask: "abstract", name: text.slice(1) };
}

/** A word that stands in this folder as well. */
function otherwise(text: string): string {
  const what = text.startsWith("@") ? "an abstract socket" : "a host";
  return `taken as the name of ${what}; ask about ${visible(`./${text}`)} for what lies here`;
}

function pathTarget(host: Host, ask: "read" | "write" | Removal, typed: string): Target {
  const text = typedPath(typed);
  const { path, nearest, isThere, notes } = isRemoval(ask) ? nameOfPath(host, text) : follow(host, text);
  if (isThere)
    return { questions: [{ ask, path, facts: isRemoval(ask) ? nameFacts(path) : factsOf(path) }], notes };
  // Node hands on no bytes that are no UTF-8: what is not there may be something that is.
  if (text === typed && text.includes("\u{fffd}"))
    throw usage(
      "explain",
      `${visible(text)} may be a name with bytes that are no UTF-8`,
      'write it as a JSON string, as receipts have it: `"caf\\udce9"`',
    );
  const kind = text.endsWith("/") ? "folder" : "file";
  const made: Question = { ask, path, facts: { kind, bornInside: true } };
  if (isRemoval(ask)) return { questions: [made], notes: [...notes, "it does not exist yet"] };
  const above: Question = { ask, path: nearest, facts: factsOf(nearest) };
  return { questions: [made, above], notes: [...notes, "it does not exist yet"] };
}

function isRemoval(ask: Ask): ask is Removal {
  return ask === "remove" || ask === "rename";
}

/** The path of the name itself: a link is removed or renamed, and never what it leads to (unlink(2), rename(2)). */
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

/** A glob that hides holds for what a link leads to, and not for the link: it holds no content. */
function nameFacts(path: AbsolutePath): PathFacts {
  return statsOf(path)?.isSymbolicLink() === true ? { kind: "file", bornInside: true } : factsOf(path);
}

interface Followed {
  readonly path: AbsolutePath;
  /** What exists of it. */
  readonly nearest: AbsolutePath;
  readonly isThere: boolean;
  readonly notes: readonly string[];
}

function follow(host: Host, text: string): Followed {
  if (text.includes("\0")) throw usage("explain", "a path can't hold NUL");
  const written = text.startsWith("/") ? text : `${host.cwd}/${text}`;
  let way: Way;
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
      `${visible(text)} goes on behind what does not exist`,
      "write the path without `..`",
    );
  const path = way.missing.reduce(joinPath, way.real);
  const isThroughLink = way.steps.some((step) => step.stats.isSymbolicLink());
  const notes = isThroughLink ? [`links on ${visible(text)} lead to ${visible(path)}`] : [];
  return { path, nearest: way.real, isThere: way.missing.length === 0, notes };
}
