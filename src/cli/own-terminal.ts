import { backendFor } from "../backend/all.ts";
import { isAtTerminal } from "../channel/at-terminal.ts";
import type { TerminalScreen } from "../channel/screen.ts";
import { openTty } from "../channel/tty.ts";
import type { CallPolicy } from "../decide/call-policy.ts";
import { CofferdamError } from "../errors.ts";
import { fitHelper } from "../host/launch/launcher.ts";
import type { Host } from "../host/look/host.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { usage } from "./arguments.ts";
import { LentTerminal } from "./lent-terminal.ts";
import type { Print } from "./print.ts";

interface TerminalOptions {
  readonly terminal?: boolean | undefined;
  readonly "no-terminal"?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Whether a typed command gets its own terminal, shown in the one where it was typed. */
export interface OwnTerminal {
  /** The supervisor's option: true or false for commands, or undefined to let the config decide. */
  readonly isWanted: boolean | undefined;
  readonly isDemanded: boolean;
  /** The program that changes the modes of the person's terminal; null if it is not lent. */
  readonly stty: AbsolutePath | null;
  /** The reason why a person here gets none without having refused it; null if there is nothing to report. */
  readonly lack: string | null;
}

/**
 * A typed command gets its own terminal if one is available and it is in the foreground. All three streams must be a
 * terminal: redirected data must reach its target. Throws `USAGE` and `SANDBOX_UNAVAILABLE` if `--terminal` demands
 * one that is not available.
 */
export function ownTerminalFor(said: TerminalOptions, host: Host): OwnTerminal {
  const { terminal: isDemanded = false, "no-terminal": isRefused = false, json = false } = said;
  if (isDemanded && isRefused)
    throw usage("run", "`--terminal` and `--no-terminal` cannot be combined", "remove one of them");
  if (isDemanded && json)
    throw usage("run", "`--terminal` and `--json` cannot be combined", "remove one of them");
  const none = { isDemanded, stty: null, lack: null };
  if (isRefused) return { ...none, isWanted: false };
  if (json || !isAtTerminal()) {
    if (isDemanded)
      throw usage(
        "run",
        "`--terminal` needs a terminal as standard input, output and error, and in the foreground",
        "remove it if one of them is a pipe or a file",
      );
    return { ...none, isWanted: undefined };
  }
  const lack = lackOf(host);
  if (lack === null) return { ...none, isWanted: true, stty: fitHelper(host, "stty") };
  if (isDemanded) throw new CofferdamError("SANDBOX_UNAVAILABLE", lack.why, { hint: lack.hint });
  return { ...none, isWanted: undefined, lack: lack.why };
}

function lackOf(host: Host): { readonly why: string; readonly hint: string } | null {
  if (backendFor(host.platform)?.givesTerminals === false)
    return {
      why: "no terminal: the sandbox of macOS does not support one",
      hint: "remove the option `--terminal`",
    };
  const missing = ["perl", "stty"].find((name) => fitHelper(host, name) === null);
  if (missing === undefined) return null;
  return {
    why: `no terminal: ${missing} is not installed`,
    hint: `install ${missing}, or remove \`--terminal\``,
  };
}

/** Notes about the terminal, printed before the command runs. */
export function terminalNotes({ lack, stty }: OwnTerminal, policy: CallPolicy): readonly string[] {
  if (lack !== null) return [lack];
  const isCutOff =
    stty !== null && policy.needs.withApproval.terminal && !policy.withApproval.profile.terminal;
  return isCutOff ? ["no terminal: operator profiles do not allow one"] : [];
}

/** The person's terminal, lent to the program of one call, or null. Throws `CHANNEL_CLOSED` if it cannot be opened. */
export function lendTerminal(
  { stty, isDemanded }: OwnTerminal,
  policy: CallPolicy,
  lending: {
    readonly screen: TerminalScreen;
    readonly print: Print;
    readonly wasAsked: () => boolean;
    readonly host: Host;
  },
): LentTerminal | null {
  if (stty === null || !(isDemanded || policy.withApproval.profile.terminal)) return null;
  const tty = openTty();
  const isDumb = /^(dumb)?$/.test(lending.host.env["TERM"] ?? "");
  if (tty === null)
    throw new CofferdamError("CHANNEL_CLOSED", "the terminal cannot be opened", {
      hint: "use `--no-terminal`",
    });
  return new LentTerminal(tty, { ...lending, stty, isDumb });
}
