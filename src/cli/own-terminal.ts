import { backendFor } from "../backend/all.ts";
import { isAtTerminal } from "../channel/at-terminal.ts";
import type { Screen } from "../channel/screen.ts";
import { openTty } from "../channel/tty.ts";
import { CofferdamError } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { fitHelper } from "../host/launcher.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Standing } from "../supervisor/standing.ts";
import { usage } from "./arguments.ts";
import { LentTerminal } from "./lent-terminal.ts";
import type { Print } from "./print.ts";

/** What a person said about it: the options of `run`. */
interface Said {
  readonly terminal?: boolean | undefined;
  readonly "no-terminal"?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Whether a typed command gets a terminal of its own, seen through the one that it was typed at. */
export interface OwnTerminal {
  /** What the supervisor is told: that commands get one, that they don't, or nothing, so that the config decides. */
  readonly isWanted: boolean | undefined;
  /** Without one nothing is to run. */
  readonly isDemanded: boolean;
  /** What changes the modes of the person's terminal; null where it is not lent. */
  readonly stty: AbsolutePath | null;
  /** Why there is none although somebody sits here who did not say so; null where there is nothing to tell. */
  readonly lack: string | null;
}

/**
 * A command that is typed at a terminal gets one of its own where that can be had: at all three standard streams, since
 * what was led elsewhere must arrive there, and in the foreground. Throws `USAGE` and `SANDBOX_UNAVAILABLE` where
 * `--terminal` demands one that can't be had.
 */
export function ownTerminalFor(said: Said, host: Host): OwnTerminal {
  const { terminal: isDemanded = false, "no-terminal": isRefused = false, json = false } = said;
  if (isDemanded && isRefused)
    throw usage("run", "`--terminal` and `--no-terminal` contradict each other", "leave one of them out");
  if (isDemanded && json)
    throw usage(
      "run",
      "`--terminal` and `--json` contradict each other",
      "leave one of them out: a terminal has no result",
    );
  const none = { isDemanded, stty: null, lack: null };
  if (isRefused) return { ...none, isWanted: false };
  if (json || !isAtTerminal()) {
    if (isDemanded)
      throw usage(
        "run",
        "`--terminal` needs a terminal as standard input, output and error, and in the foreground",
        "leave it out where one of them is a pipe or a file",
      );
    return { ...none, isWanted: undefined };
  }
  const lack = lackOf(host);
  if (lack === null) return { ...none, isWanted: true, stty: fitHelper(host, "stty") };
  if (isDemanded) throw new CofferdamError("SANDBOX_UNAVAILABLE", lack.why, { hint: lack.hint });
  return { ...none, isWanted: undefined, lack: lack.why };
}

/** Why no command can have one on this machine; null where it can. */
function lackOf(host: Host): { readonly why: string; readonly hint: string } | null {
  if (backendFor(host.platform)?.givesTerminals === false)
    return {
      why: "no terminal of its own: these walls give none on macOS",
      hint: "leave `--terminal` out",
    };
  const missing = ["perl", "stty"].find((name) => fitHelper(host, name) === null);
  if (missing === undefined) return null;
  return {
    why: `no terminal of its own: that takes ${missing}, which is not installed`,
    hint: `install ${missing}, or leave \`--terminal\` out`,
  };
}

/** What is told of it before the command runs. */
export function terminalNotes({ lack, stty }: OwnTerminal, standing: Standing): readonly string[] {
  if (lack !== null) return [lack];
  const isCutOff = stty !== null && standing.needs.onYes.terminal && !standing.onYes.profile.terminal;
  return isCutOff ? ["no terminal of its own: operator profiles do not allow one"] : [];
}

/**
 * The person's terminal, to be lent to the program of one call; null where that gets none. Throws `CHANNEL_CLOSED` when
 * it can't be opened.
 */
export function lendTerminal(
  { stty, isDemanded }: OwnTerminal,
  standing: Standing,
  lending: {
    readonly screen: Screen;
    readonly print: Print;
    readonly wasAsked: () => boolean;
    readonly host: Host;
  },
): LentTerminal | null {
  if (stty === null || !(isDemanded || standing.onYes.profile.terminal)) return null;
  const tty = openTty();
  const isDumb = /^(dumb)?$/.test(lending.host.env["TERM"] ?? "");
  if (tty === null)
    throw new CofferdamError("CHANNEL_CLOSED", "the terminal can't be opened", {
      hint: "use `--no-terminal`",
    });
  return new LentTerminal(tty, { ...lending, stty, isDumb });
}
