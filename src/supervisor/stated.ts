import type { Host } from "../host/host.ts";
import { there } from "../host/mac/stated.ts";
import { type AbsolutePath, joinPath, knownPath } from "../profile/path.ts";
import { type ShellInput, wordsOf } from "../tool/call.ts";
import type { ToolSettings } from "../tool/derive.ts";
import type { CallFacts } from "./prepare.ts";

/** The settings as they are on the stated Mac; without one, as they are here. Links of runtimes are the Mac's already. */
export function settingsOn({ stated }: Pick<Host, "stated">, settings: ToolSettings): ToolSettings {
  if (stated === null) return settings;
  const move = (path: AbsolutePath): AbsolutePath => there(stated, path);
  return {
    ...settings,
    roots: settings.roots.map((root) => ({ ...root, path: move(root.path) })),
    runtimes: settings.runtimes.map((runtime) => ({
      ...runtime,
      read: runtime.read.map(move),
      path: runtime.path.map(move),
    })),
    ownFiles: settings.ownFiles.map(move),
  };
}

/** Where every Mac has its programs. */
const PROGRAMS = knownPath("/usr/bin");

/** A call of a program that every Mac has, as nothing of it can be looked up: what it runs besides is not known. */
export function statedCall(
  input: ShellInput,
  { runtimes }: Pick<ToolSettings, "runtimes">,
  base: AbsolutePath,
): Pick<CallFacts, "cwd" | "program" | "commands" | "unread"> {
  const path = runtimes.some((runtime) => runtime.path.includes(PROGRAMS))
    ? joinPath(PROGRAMS, wordsOf(input)[0])
    : null;
  return {
    cwd: input.cwd === undefined ? base : knownPath(input.cwd),
    program: { path, real: path, id: null, content: null },
    commands: [],
    unread: [],
  };
}
