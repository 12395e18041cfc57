import { resolve } from "node:path";
import type { CallFacts } from "../decide/prepare.ts";
import { startingIn } from "../decide/touched-places.ts";
import type { Host } from "../host/look/host.ts";
import { type SimulatedMac, there } from "../host/look/mac/simulated.ts";
import { type AbsolutePath, knownPath } from "../profile/path.ts";
import { type ShellInput, wordsOf } from "../tool/call.ts";
import type { ToolSettings } from "../tool/derive.ts";

/** The settings on the simulated Mac; without one, as they are here. Links of runtimes are the Mac's already. */
export function settingsOn({ simulated }: Pick<Host, "simulated">, settings: ToolSettings): ToolSettings {
  if (simulated === null) return settings;
  const move = (path: AbsolutePath): AbsolutePath => there(simulated, path);
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

const PROGRAMS = knownPath("/usr/bin");

/**
 * A call on the simulated Mac, which cannot be inspected. A program's name means the one that every Mac has; the other
 * programs that it runs are unknown. `base` is the folder there that the call starts from.
 */
export function simulatedCall(
  input: ShellInput,
  { runtimes }: Pick<ToolSettings, "runtimes">,
  base: AbsolutePath,
  simulated: SimulatedMac,
): Pick<
  CallFacts,
  "cwd" | "typedCwd" | "program" | "unstartable" | "commands" | "touches" | "touched" | "unread"
> {
  const at = (from: AbsolutePath, path: string): AbsolutePath =>
    there(simulated, knownPath(resolve(from, path)));
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
    touches: [],
    touched: startingIn(cwd),
    unread: [],
  };
}
