import type { Call } from "../tool/call.ts";
import type { Standing } from "./standing.ts";

/** Why calls get no terminal of their own, and what would change that. */
export function noTerminal(
  { use }: Pick<Call, "use">,
  { settings }: Pick<Standing, "settings">,
): { readonly reason: string; readonly hint: string } {
  if (use !== null)
    return {
      reason: "a program that is a tool has no terminal of its own",
      hint: "leave `window` out, or run it by the shell tool",
    };
  return settings.shell.terminal === true
    ? {
        reason: "operator profiles allow no terminal of its own",
        hint: "leave `terminal: false` out of the profile that says it, or do without: `--no-terminal`",
      }
    : {
        reason: "the config gives it no terminal of its own",
        hint: "write `shell: { terminal: true }` in the config",
      };
}
