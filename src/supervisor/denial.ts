import { printPosition, visible } from "../errors.ts";
import {
  type Explanation,
  explain,
  type Layer,
  type LayerAnswer,
  type Question,
} from "../profile/explain.ts";
import type { SyscallGroup } from "../profile/syscalls.ts";
import { REPOSITORY_LAYER } from "./standing.ts";

/** What the walls did not let happen, why, and what would change that, in words for a model and a person. */
export interface Denial {
  readonly operation: "read" | "write" | "connect" | "run" | "trace";
  /** A path or a host; of what is run or traced, words. */
  readonly target: string;
  /** `certain`: the policy was asked, or the backend told. `likely`: it fits how the call failed. */
  readonly certainty: "certain" | "likely";
  /** The entry or mask that decided, and where it stands. */
  readonly because: string;
  readonly remedy: string;
}

/** What of a profile a denial can be about. */
export type DeniableQuestion = Extract<Question, { readonly ask: "read" | "write" | "connect" | "syscalls" }>;

/** What those see who lack a group of system calls. */
const LACKING = {
  abi32: { operation: "run", target: "a 32-bit program, or one of another foreign ABI" },
  debug: { operation: "trace", target: "another process" },
} as const satisfies Record<SyscallGroup, Pick<Denial, "operation" | "target">>;

/** A denial by the clause that decided it; null where the layers allow it. */
export function denialFor(
  layers: readonly [Layer, ...Layer[]],
  question: DeniableQuestion,
  certainty: Denial["certainty"],
): Denial | null {
  const explanation = explain(layers, question);
  if (explanation.allowed) return null;
  const { decidedBy } = explanation;
  return {
    ...whatOf(question),
    certainty,
    because: `${decidedBy.because} (${placeOf(decidedBy)})`,
    remedy: remedyFor(explanation, question, isBySuffix(layers, question)),
  };
}

function whatOf(question: DeniableQuestion): Pick<Denial, "operation" | "target"> {
  switch (question.ask) {
    case "read":
    case "write":
      return { operation: question.ask, target: question.path };
    case "connect":
      return { operation: "connect", target: `${question.target.host}:${question.target.port}` };
    case "syscalls":
      return LACKING[question.group];
  }
}

function placeOf({ layer, at }: LayerAnswer): string {
  return at === null ? layer : `${layer}, ${printPosition(at)}`;
}

/** Whether it is the name's ending that keeps it from being read: a folder of that name could be. */
function isBySuffix(layers: readonly [Layer, ...Layer[]], question: Question): boolean {
  if (question.ask !== "read" && question.ask !== "write") return false;
  const canRead = (kind: "file" | "folder"): boolean =>
    explain(layers, { ...question, ask: "read", facts: { ...question.facts, kind } }).allowed;
  return question.facts.kind === "file" && !canRead("file") && canRead("folder");
}

/** What a person would have to change: a model can't. */
function remedyFor({ decidedBy }: Explanation, question: DeniableQuestion, isBySuffix: boolean): string {
  if (decidedBy.layer === REPOSITORY_LAYER)
    return "git obeys it outside as well: change it yourself, outside of the walls, if it is meant";
  if (decidedBy.layer !== "config")
    return `only whoever keeps the profile ${visible(decidedBy.layer)} can allow it; do it without`;
  if (question.ask === "syscalls")
    return `list \`${question.group}\` under \`sandbox.syscalls\` in the config, if it is meant`;
  if (question.ask === "connect") return "list the host under `shell.network` in the config, if it is meant";
  if (isBySuffix)
    return "list the name's ending under `suffixes` of the folder's `sandbox.paths` in the config, if it is meant";
  return question.ask === "write"
    ? "give the folder `mode: rw` under `sandbox.paths` in the config, if it is meant"
    : "list the folder under `sandbox.paths` in the config, if it is meant";
}
