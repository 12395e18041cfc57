import type { Act } from "./act.ts";

/** The path of a name in a trial's own folder. */
export type At = (name: string) => string;

/** Rules under which some acts are tried, each by its name in outcomes. */
export interface Trial {
  /** Initial contents of the trial's folder: files; folders, which end with `/`; unix sockets, which end with `=`. */
  readonly given?: readonly string[];
  readonly text: (at: At) => string;
  /** Parameters that the launcher gets with `-D`. */
  readonly parameters?: (at: At) => Readonly<Record<string, string>>;
  readonly acts: Readonly<Record<string, (at: At) => Act>>;
  /** The acts succeed only inside: they have no control. */
  readonly isInsideOnly?: true;
}

/**
 * Result of an act. `rejected`: the text was not accepted, so nothing ran. `not-tried`: its control, the same without
 * rules, does not succeed on this machine either.
 */
export type ProbeAnswer = "done" | "refused" | "rejected" | "not-tried";

/** The answers of a probe, by the names of its acts. */
export type ProbeAnswers = ReadonlyMap<string, ProbeAnswer>;

/**
 * Meaning of an answer for this sandbox. `expected`: the sandbox relies on it. `harmless`: it still works, and allows
 * nothing extra. `weaker`: a feature that must be requested allows more than it says. `problem`: it does not work.
 */
export type ProbeMeaning = "expected" | "harmless" | "weaker" | "problem";

/** A possible combination of answers: each act named here has the given answer. The first that fits counts. */
export interface ProbeOutcome {
  /** One word, for programs. */
  readonly value: string;
  /** A sentence, for people. */
  readonly says: string;
  readonly standing: ProbeMeaning;
  readonly when: Readonly<Record<string, ProbeAnswer>>;
}

/** Makes the outcomes of one meaning. */
function outcomesOf(standing: ProbeMeaning) {
  return (value: string, says: string, when: ProbeOutcome["when"]): ProbeOutcome => ({
    value,
    says,
    standing,
    when,
  });
}

export const expected = outcomesOf("expected");
export const harmless = outcomesOf("harmless");
export const weaker = outcomesOf("weaker");
export const problem = outcomesOf("problem");

/** A question about undocumented behavior of this Mac's kernel. */
export interface KernelProbe {
  readonly id: string;
  readonly asks: string;
  /** The fact of the sandbox that depends on it, or a statement that none does. */
  readonly relies: string;
  readonly trials: readonly Trial[];
  readonly outcomes: readonly ProbeOutcome[];
  /** Its texts are made like those of calls: if one is not accepted, no call can start. */
  readonly isOurs?: true;
  readonly otherwise: Pick<ProbeOutcome, "says" | "standing">;
}

/** The finding about one question. */
export interface ProbeFinding {
  readonly id: string;
  readonly asks: string;
  readonly relies: string;
  /** The value of the outcome; `unclear` if none fits, `not-tried` if one might fit with the missing answers. */
  readonly value: string;
  readonly says: string;
  readonly standing: ProbeMeaning | "not-tried";
}

/** Returns the meaning of a probe's answers. */
export function interpret(probe: KernelProbe, answers: ProbeAnswers): ProbeFinding {
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
    return { ...about, value: "not-tried", says: "its rules are rejected here", standing: "not-tried" };
  const seen = [...answers].map(([name, answer]) => `${name} ${answer}`).join(", ");
  return { ...about, value: "unclear", says: `${otherwise.says} (${seen})`, standing: otherwise.standing };
}

/** Start of a trial's text that allows everything its rules don't mention. */
export const OPEN = "(version 1)\n(allow default)\n";

/** Start of a trial's text that denies everything its rules don't mention. */
export const SHUT = "(version 1)\n(deny default)\n";

/**
 * The operations that a shell and its programs need to start under `SHUT`, except these. Names missing on some systems
 * are checked first: an unknown one is an error of the whole text.
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
