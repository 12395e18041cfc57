import type { Act } from "./act.ts";

/** The path of a name in a trial's own folder. */
export type At = (name: string) => string;

/** Rules under which some acts are tried, each by what it is called in outcomes. */
export interface Trial {
  /** What stands in the trial's folder before: files; folders, which end with `/`; unix sockets, which end with `=`. */
  readonly given?: readonly string[];
  readonly text: (at: At) => string;
  /** What the launcher is told with `-D`. */
  readonly parameters?: (at: At) => Readonly<Record<string, string>>;
  readonly acts: Readonly<Record<string, (at: At) => Act>>;
  /** The acts succeed only inside: they have no twin. */
  readonly isInsideOnly?: true;
}

/**
 * What became of an act. `rejected`: the text was not taken, so that nothing ran. `not-tried`: its twin, the same without
 * rules, does not succeed on this machine either.
 */
export type Answer = "done" | "refused" | "rejected" | "not-tried";

/** The answers of a probe, by what its acts are called. */
export type Answers = ReadonlyMap<string, Answer>;

/**
 * What an answer means for walls here. `expected`: what they rely on. `harmless`: they hold, and give no more. `weaker`: a
 * part that has to be asked for gives more than it says. `problem`: they don't hold.
 */
export type Standing = "expected" | "harmless" | "weaker" | "problem";

/** One way in which the answers can be: those that are named here are as they say. The first that fits counts. */
export interface Outcome {
  /** In one word, for programs. */
  readonly value: string;
  /** As a sentence, for people. */
  readonly says: string;
  readonly standing: Standing;
  readonly when: Readonly<Record<string, Answer>>;
}

/** A question about what this Mac's kernel does that nobody has written down. */
export interface Probe {
  readonly id: string;
  readonly asks: string;
  /** Which fact of the walls depends on it, or that none does. */
  readonly relies: string;
  readonly trials: readonly Trial[];
  readonly outcomes: readonly Outcome[];
  /** Its texts are made of what calls' are: where one is not taken, no call is let start. */
  readonly isOurs?: true;
  /** What answers mean that no outcome fits. */
  readonly otherwise: Pick<Outcome, "says" | "standing">;
}

/** What was found out about one question. */
export interface Finding {
  readonly id: string;
  readonly asks: string;
  readonly relies: string;
  /** Of the outcome; `unclear` where none fits, `not-tried` where one might with the answers that are missing. */
  readonly value: string;
  readonly says: string;
  readonly standing: Standing | "not-tried";
}

/** What the answers to a probe mean. */
export function interpret(probe: Probe, answers: Answers): Finding {
  const { id, asks, relies, outcomes, otherwise } = probe;
  const about = { id, asks, relies };
  const found = outcomes.find(({ when }) =>
    Object.entries(when).every(([name, answer]) => answers.get(name) === answer),
  );
  if (found !== undefined) {
    const { value, says, standing } = found;
    return { ...about, value, says, standing };
  }
  const missing = [...answers].filter(([, answer]) => answer === "not-tried").map(([name]) => name);
  const mayFit = outcomes.some(({ when }) =>
    Object.entries(when).every(([name, answer]) =>
      [answer, "not-tried"].includes(answers.get(name) ?? "not-tried"),
    ),
  );
  if (missing.length > 0 && mayFit) {
    const what = `not tried here: ${missing.join(", ")}`;
    return { ...about, value: "not-tried", says: what, standing: "not-tried" };
  }
  if (probe.isOurs !== true && [...answers.values()].includes("rejected"))
    return { ...about, value: "not-tried", says: "its rules are not taken here", standing: "not-tried" };
  const seen = [...answers].map(([name, answer]) => `${name} ${answer}`).join(", ");
  return { ...about, value: "unclear", says: `${otherwise.says} (${seen})`, standing: otherwise.standing };
}

/** What a trial's text begins with where all is let that its rules don't speak of. */
export const OPEN = "(version 1)\n(allow default)\n";

/** The same where nothing is let that its rules don't speak of. */
export const SHUT = "(version 1)\n(deny default)\n";

/**
 * What a shell and its programs need to start behind `SHUT`, but for these operations. Names that not every system has are
 * asked for first: an unknown one is an error of the whole text.
 */
export function starting(...but: readonly string[]): string {
  const wanted = NEEDED.filter(([name]) => !but.includes(name));
  return wanted
    .map(([name, isSure]) => (isSure ? `(allow ${name})` : `(if (defined? '${name}) (allow ${name}))`))
    .join("\n")
    .concat("\n");
}

const NEEDED: readonly (readonly [name: string, isSure: boolean])[] = [
  ["file-read*", true],
  ["file-write*", true],
  ["file-ioctl", true],
  ["file-map-executable", true],
  ["process-exec*", true],
  ["process-fork", true],
  ["process-info*", true],
  ["signal", true],
  ["sysctl-read", true],
  ["mach-lookup", true],
  ["mach-per-user-lookup", false],
  ["mach-register", false],
  ["ipc-posix-shm*", true],
  ["ipc-posix-sem*", true],
  ["iokit-open", true],
  ["iokit-get-properties", false],
  ["nvram*", false],
  ["system-socket", true],
  ["system-info", false],
  ["system-mac-syscall", false],
  ["system-fsctl", false],
  ["user-preference-read", true],
  ["network*", true],
];
