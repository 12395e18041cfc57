import { Writable } from "node:stream";
import { vi } from "vitest";
import { dispatch } from "../../../src/cli/dispatch.ts";
import { Print } from "../../../src/cli/print.ts";
import type { Machine } from "../../unit/config/machine.ts";
import type { Situation } from "./row.ts";

type Words = readonly string[] | ((told: string, at: Machine) => readonly string[]);

/** Where and how the command is started. */
interface Started {
  /** The folder, from the machine's; the project when left out. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What else is printed that tells to do something and belongs to the situation, not to its end. */
  readonly besides?: RegExp;
}

/** A command of `cofferdam`, run in this process: what it tells to do, and where it fails without that, its last words. */
export const cli =
  (words: Words, { cwd = "home/ann/project", env = {}, besides }: Started = {}): Situation =>
  async (at, told) => {
    const before = process.cwd();
    vi.stubEnv("HOME", at.home);
    vi.stubEnv("XDG_STATE_HOME", at.at("home/ann/.local/state"));
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    process.chdir(at.at(cwd));
    const said: string[] = [];
    try {
      const out = collecting(said);
      const given = typeof words === "function" ? words(told, at) : words;
      const status = await dispatch(given, new Print(out, out, { NO_COLOR: "1" }));
      const remedies = [...said.join("").matchAll(/^ {2}do: (.*)$|"hint": "(.*)"/gm)].map(
        ([, remedy, inJson]) => remedy ?? inJson ?? "",
      );
      const others = remedies.filter((one) => besides?.test(one) !== true);
      return status !== 0 && others.length === 0
        ? [`ended with ${status}: ${said.join("").slice(-500)}`]
        : others;
    } finally {
      process.chdir(before);
      vi.unstubAllEnvs();
    }
  };

function collecting(said: string[]): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      said.push(chunk.toString("utf8"));
      done();
    },
  });
}
