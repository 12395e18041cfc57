import { ERRORS } from "../../errors.ts";

/** A part of a topic: a paragraph, lines of a file or command line, or rows of two columns. */
export type TopicPart =
  | string
  | { readonly code: readonly string[] }
  | { readonly rows: readonly (readonly [term: string, text: string])[] };

const STATUS_MEANINGS: Readonly<Record<(typeof ERRORS)[keyof typeof ERRORS]["exit"], string>> = {
  1: "a file tool failed, or a check found a difference",
  64: "wrong usage",
  65: "a config, profile or record is not valid",
  69: "this machine lacks something",
  70: "internal error",
  75: "the approval is still missing",
  77: "denied",
  124: "the time limit of the call",
};

/** The topic `exit-codes`. */
export function exitParts(): readonly TopicPart[] {
  const statuses = Map.groupBy(Object.entries(ERRORS), ([, { exit }]) => exit);
  const rows = [...statuses]
    .toSorted(([one], [other]) => one - other)
    .map(([exit, of]) => {
      const codes = of.map(([code]) => code).join(", ");
      return [String(exit), `${STATUS_MEANINGS[exit]}: ${codes}`] as const;
    });
  return [
    "`cofferdam run` exits with the status of the program. Other statuses are:",
    {
      rows: [["0", "success"], ...rows, ["126, 127", "the program cannot be executed, or is not found"]],
    },
    "A command that is ended by a signal exits with 128 plus the signal's number. `cofferdam help error-codes` explains the codes.",
  ];
}

/** The topic `error-codes`. */
export function errorParts(): readonly TopicPart[] {
  const rows = Object.entries(ERRORS).map(([code, { exit, when }]) => [code, `${when} (${exit})`] as const);
  return ["The number is the exit status.", { rows }];
}
