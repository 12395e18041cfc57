import { spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { IN_A_RELAYED_TERMINAL } from "../screen/pty.ts";
import { environmentIn } from "./command.ts";
import { descendantsOf } from "./descendants.ts";
import type { Place } from "./place.ts";
import { end } from "./processes.ts";

/** A terminal in which a program of a person's runs, seen as the text that it was sent. */
export interface Relay {
  /** All that was shown, until now. */
  readonly shown: () => string;
  type(text: string): void;
  /** Waits until something was shown behind what was seen before. */
  sees(text: string | RegExp): Promise<void>;
  /** The processes in the terminal: the first leads its session. */
  below(): readonly number[];
  /** Takes the terminal away, and with it the process that leads its session, as a window's end does. */
  hangUp(): void;
  /** How the program ended, and whether the terminal was left as it was found. */
  ending(): Promise<{ readonly how: string; readonly isCooked: boolean }>;
}

/** Starts a program in a fresh terminal, as the person whose place it is. */
export function relay(place: Place, words: readonly string[]): Relay {
  const [program = "", ...before] = IN_A_RELAYED_TERMINAL;
  const env = environmentIn(place, { TERM: "xterm", NO_COLOR: "1", ROWS: "40", COLUMNS: "120" });
  const child = spawn(program, [...before, ...words], {
    ...place.person.runAs,
    cwd: place.ws,
    env,
    stdio: ["pipe", "pipe", "inherit", "pipe", "pipe"],
    detached: true,
  });
  const below = (): readonly number[] => descendantsOf(child.pid ?? 0);
  onTestFinished(() => end([...below(), child.pid ?? 0]));
  for (const stream of child.stdio) stream?.on("error", () => undefined);
  let text = "";
  let seen = 0;
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const sees = async (what: string | RegExp): Promise<void> => {
    for (let tries = 0; tries < 1_000; tries += 1) {
      const rest = text.slice(seen);
      const found = typeof what === "string" ? rest.indexOf(what) : rest.search(what);
      if (found >= 0) {
        seen += found + 1;
        return;
      }
      await pause(20);
    }
    throw new Error(`waited in vain for ${String(what)} in:\n${text}`);
  };
  return {
    shown: () => text,
    type: (keys) => void child.stdin?.write(keys),
    sees,
    below,
    hangUp: () => end([...below().slice(0, 1), child.pid ?? 0]),
    ending: async () => {
      await sees("[bye]");
      const how = /\[ended: (.*)\]/.exec(text)?.[1] ?? "";
      return {
        how,
        isCooked: ["icanon", "echo", "isig"].every((flag) => new RegExp(`[^-]${flag}\\b`).test(text)),
      };
    },
  };
}
