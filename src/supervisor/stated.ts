import { resolve } from "node:path";
import type { Host } from "../host/host.ts";
import { type StatedMac, there } from "../host/mac/stated.ts";
import { type AbsolutePath, knownPath } from "../profile/path.ts";
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

/**
 * A call on the stated Mac, as nothing of it can be looked up: a program's name is that of one that every Mac has, and what
 * it runs besides is not known. `base` is the folder there that the call is started from.
 */
export function statedCall(
  input: ShellInput,
  { runtimes }: Pick<ToolSettings, "runtimes">,
  base: AbsolutePath,
  stated: StatedMac,
): Pick<CallFacts, "cwd" | "typedCwd" | "program" | "unstartable" | "commands" | "unread"> {
  const at = (from: AbsolutePath, path: string): AbsolutePath =>
    there(stated, knownPath(resolve(from, path)));
  const cwd = input.cwd === undefined ? base : at(base, input.cwd);
  const [name] = wordsOf(input);
  const isKnown = runtimes.some((runtime) => runtime.path.includes(PROGRAMS));
  const path = name.includes("/") ? at(cwd, name) : isKnown ? at(PROGRAMS, name) : null;
  return {
    cwd,
    typedCwd: null,
    program: { path, real: path, id: null, content: null },
    unstartable: null,
    commands: [],
    unread: [],
  };
}
