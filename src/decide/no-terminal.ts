import type { Call } from "../tool/call.ts";
import type { CallPolicy } from "./call-policy.ts";

/** Why calls get no terminal of their own, and what would change that. */
export function noTerminal(
  { use }: Pick<Call, "use">,
  { settings }: Pick<CallPolicy, "settings">,
): { readonly reason: string; readonly hint: string } {
  if (use !== null)
    return {
      reason: "a program tool can't have a terminal",
      hint: "leave out `window`, or run it with the shell tool",
    };
  return settings.shell.terminal === true
    ? {
        reason: "operator profiles do not allow a terminal",
        hint: "remove `terminal: false` from the profile, or use `--no-terminal`",
      }
    : {
        reason: "the config does not allow a terminal",
        hint: "write `shell: { terminal: true }` in the config",
      };
}
