import { printPosition, visible } from "../errors.ts";
import type { PathFacts } from "../profile/access-to.ts";
import type { DeviceGroup } from "../profile/devices.ts";
import {
  type Explanation,
  explain,
  type Layer,
  type LayerAnswer,
  type Question,
} from "../profile/explain.ts";
import { printHostRule, type Target } from "../profile/host-rule.ts";
import type { MacosGroup } from "../profile/macos.ts";
import { PROTECTED_LAYER, REPOSITORY_LAYER } from "../profile/own-layers.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { SyscallGroup } from "../profile/syscalls.ts";

/** What the walls did not let happen, why, and what would change that, in words for a model and a person. */
export interface Denial {
  readonly operation: "read" | "write" | "remove" | "rename" | "connect" | "run" | "trace" | "use";
  /** A path or a host; of what is run, traced or used, words. */
  readonly target: string;
  /** `certain`: the policy was asked, or the backend told. `likely`: it fits how the call failed. */
  readonly certainty: "certain" | "likely";
  /** The entry or mask that decided, and where it stands. */
  readonly because: string;
  readonly remedy: string;
}

/** What of a profile a denial can be about. */
export type DeniableQuestion =
  | (Extract<Question, { readonly path: AbsolutePath; readonly facts: PathFacts }> & {
      readonly ask: "read" | "write";
    })
  | Extract<Question, { readonly ask: "connect" | "syscalls" | "devices" | "macos" }>;

/** What those see who lack a group of system calls. */
const LACKING = {
  abi32: { operation: "run", target: "a 32-bit program, or one of another foreign ABI" },
  debug: { operation: "trace", target: "another process" },
} as const satisfies Record<SyscallGroup, Pick<Denial, "operation" | "target">>;

/** What those lack who lack a group of devices. */
const LACKING_DEVICES = {
  gpu: { operation: "use", target: "a graphics card" },
  kvm: { operation: "use", target: "/dev/kvm" },
  fuse: { operation: "use", target: "/dev/fuse" },
  serial: { operation: "use", target: "a serial port" },
} as const satisfies Record<DeviceGroup, Pick<Denial, "operation" | "target">>;

/** What those lack on macOS who lack a group of it. */
const LACKING_ON_MACOS = {
  java: { operation: "run", target: "Java" },
  listen: { operation: "use", target: "this machine's loopback to listen on" },
  openmp: { operation: "use", target: "the shared memory of OpenMP" },
  prefs: { operation: "use", target: "the user's preferences" },
  processes: { operation: "use", target: "the list of all processes" },
  pty: { operation: "use", target: "pseudo-terminals" },
  python: { operation: "use", target: "POSIX semaphores" },
  tls: { operation: "use", target: "the system's check of certificates" },
  watch: { operation: "use", target: "the system's word of files that change" },
} as const satisfies Record<MacosGroup, Pick<Denial, "operation" | "target">>;

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
    remedy: remedyFor(explanation, question, isBySuffix(layers, question, decidedBy)),
  };
}

/** An address that is routed: where a name leads is not known where only the name was judged. */
export const SOME_PUBLIC = "1.1.1.1";

/** A host and port in words, as host rules are written. */
export function printTarget({ host, port }: Pick<Target, "host" | "port">): string {
  return printHostRule({ name: host, port, private: false });
}

function whatOf(question: DeniableQuestion): Pick<Denial, "operation" | "target"> {
  switch (question.ask) {
    case "read":
    case "write":
      return { operation: question.ask, target: question.path };
    case "connect":
      return { operation: "connect", target: printTarget(question.target) };
    case "syscalls":
      return LACKING[question.group];
    case "devices":
      return LACKING_DEVICES[question.group];
    case "macos":
      return LACKING_ON_MACOS[question.group];
  }
}

function placeOf({ layer, at }: LayerAnswer): string {
  return at === null ? layer : `${layer}, ${printPosition(at)}`;
}

/**
 * Whether it is the name's ending for which the deciding layer does not let it be read: a folder of that name it would. What
 * other layers say of such a folder says nothing: a plan shows files one by one.
 */
function isBySuffix(
  layers: readonly [Layer, ...Layer[]],
  question: Question,
  { layer }: LayerAnswer,
): boolean {
  if (question.ask !== "read" && question.ask !== "write") return false;
  const [first = layers[0], ...rest] = layers.filter(({ name }) => name === layer);
  const canRead = (kind: "file" | "folder"): boolean =>
    explain([first, ...rest], { ...question, ask: "read", facts: { ...question.facts, kind } }).allowed;
  return question.facts.kind === "file" && !canRead("file") && canRead("folder");
}

/** What is told where a profile over the config does not allow something. */
export function onlyKeeper(layer: string): string {
  return `only whoever keeps the profile ${visible(layer)} can allow it; do it without`;
}

/** What a person would have to change: a model can't. */
function remedyFor({ decidedBy }: Explanation, question: DeniableQuestion, isBySuffix: boolean): string {
  if (decidedBy.remedy !== undefined) return decidedBy.remedy;
  if (decidedBy.layer === REPOSITORY_LAYER)
    return "git obeys it outside as well: change it yourself, outside of the walls, if it is meant";
  if (decidedBy.layer === PROTECTED_LAYER && question.ask === "write")
    return "programs of this machine obey it: change it yourself, outside of the sandbox, if it is meant";
  if (decidedBy.layer !== "config") return onlyKeeper(decidedBy.layer);
  if ("group" in question)
    return `list \`${question.group}\` under \`sandbox.${question.ask}\` in the config, if it is meant`;
  if (question.ask === "connect") return "list the host under `shell.network` in the config, if it is meant";
  if (isBySuffix)
    return question.ask === "write"
      ? "list the name's ending under `suffixes` of the folder's `sandbox.paths` in the config, if it is meant; what is not there yet is made with `write_file`"
      : "list the name's ending under `suffixes` of the folder's `sandbox.paths` in the config, if it is meant";
  return question.ask === "write"
    ? "give the folder `mode: rw` under `sandbox.paths` in the config, if it is meant"
    : "list the folder under `sandbox.paths` in the config, if it is meant";
}
