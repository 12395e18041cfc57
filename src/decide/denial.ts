import { printPosition, visible } from "../errors.ts";
import type { Denial } from "../policy/denial.ts";
import type { PathFacts } from "../profile/access-to.ts";
import type { DeviceGroup } from "../profile/devices.ts";
import { explain, type Layer, type LayerAnswer, type ProfileQuestion } from "../profile/explain.ts";
import { type ConnectTarget, printHostRule } from "../profile/host-rule.ts";
import type { MacosGroup } from "../profile/macos.ts";
import { PROTECTED_LAYER, REPOSITORY_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, parentOf } from "../profile/path.ts";
import type { SyscallGroup } from "../profile/syscalls.ts";
import type { WhyNoRoot } from "../tool/derive.ts";
import { explainLayers } from "./explain-layers.ts";

/** The questions about a profile that a denial can answer. */
export type DeniableQuestion =
  | (Extract<ProfileQuestion, { readonly path: AbsolutePath; readonly facts: PathFacts }> & {
      readonly ask: "read" | "write";
    })
  | Extract<ProfileQuestion, { readonly ask: "connect" | "syscalls" | "devices" | "macos" }>;

/** The act that fails without each group of system calls. */
const LACKING = {
  abi32: { operation: "run", target: "a 32-bit program, or one of another foreign ABI" },
  debug: { operation: "trace", target: "another process" },
} as const satisfies Record<SyscallGroup, Pick<Denial, "operation" | "target">>;

const LACKING_DEVICES = {
  gpu: { operation: "use", target: "a graphics card" },
  kvm: { operation: "use", target: "/dev/kvm" },
  fuse: { operation: "use", target: "/dev/fuse" },
  serial: { operation: "use", target: "a serial port" },
} as const satisfies Record<DeviceGroup, Pick<Denial, "operation" | "target">>;

const LACKING_ON_MACOS = {
  java: { operation: "run", target: "Java" },
  listen: { operation: "use", target: "a listening port on this machine's loopback" },
  openmp: { operation: "use", target: "the shared memory of OpenMP" },
  prefs: { operation: "use", target: "the user's preferences" },
  processes: { operation: "use", target: "the list of all processes" },
  pty: { operation: "use", target: "pseudo-terminals" },
  python: { operation: "use", target: "POSIX semaphores" },
  tls: { operation: "use", target: "the certificate checks of the system" },
  watch: { operation: "use", target: "the file change events of the system" },
} as const satisfies Record<MacosGroup, Pick<Denial, "operation" | "target">>;

/** The denial by the deciding clause; null if the layers allow it. */
export function denialFor(
  layers: readonly [Layer, ...Layer[]],
  question: DeniableQuestion,
  certainty: Denial["certainty"],
  whyNoRoot: WhyNoRoot = () => null,
): Denial | null {
  const { allowed, decidedBy } = explainLayers(layers, question);
  if (allowed) return null;
  return {
    ...whatOf(question),
    certainty,
    because: `${decidedBy.because} (${placeOf(decidedBy)})`,
    remedy: remedyFor(decidedBy, question, isBySuffix(layers, question, decidedBy), whyNoRoot),
  };
}

/** A routed address, for questions that judge only a name: its real address is unknown there. */
export const SOME_PUBLIC = "1.1.1.1";

/** Prints a host and port as host rules are written. */
export function printTarget({ host, port }: Pick<ConnectTarget, "host" | "port">): string {
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

/** True if the deciding layer would allow a folder of that name. Other layers do not count: plans show single files. */
function isBySuffix(
  layers: readonly [Layer, ...Layer[]],
  question: ProfileQuestion,
  { layer }: LayerAnswer,
): boolean {
  if (question.ask !== "read" && question.ask !== "write") return false;
  const [first = layers[0], ...rest] = layers.filter(({ name }) => name === layer);
  const canRead = (kind: "file" | "folder"): boolean =>
    explain([first, ...rest], { ...question, ask: "read", facts: { ...question.facts, kind } }).allowed;
  return question.facts.kind === "file" && !canRead("file") && canRead("folder");
}

/** The remedy if an operator profile does not allow something. */
export function onlyKeeper(layer: string): string {
  return `only the owner of the profile ${visible(layer)} can allow it; do it without`;
}

/** The change that a person would have to make: a model can't. */
function remedyFor(
  decidedBy: LayerAnswer,
  question: DeniableQuestion,
  isBySuffix: boolean,
  whyNoRoot: WhyNoRoot,
): string {
  if (decidedBy.remedy !== undefined) return decidedBy.remedy;
  if (decidedBy.layer === REPOSITORY_LAYER)
    return "git outside the sandbox obeys it too: change it there yourself, if intended";
  if (decidedBy.layer === PROTECTED_LAYER)
    return question.ask === "write" && decidedBy.access === "read"
      ? "programs outside the sandbox obey it: change it there yourself, if intended"
      : "no config or operator profile can allow it: do it yourself outside the sandbox, or copy a file without secrets into a listed folder";
  if (decidedBy.layer !== "config") return onlyKeeper(decidedBy.layer);
  if ("group" in question)
    return `list \`${question.group}\` under \`sandbox.${question.ask}\` in the config, if intended`;
  if (question.ask === "connect") return "list the host under `shell.network` in the config, if intended";
  if (isBySuffix)
    return question.ask === "write"
      ? "list the file's ending in `suffixes` of its folder under `sandbox.paths` in the config, if intended; create new files with `write_file`"
      : "list the file's ending in `suffixes` of its folder under `sandbox.paths` in the config, if intended";
  const [isWrite, isFolder] = [question.ask === "write", question.facts.kind === "folder"];
  const above = parentOf(question.path);
  const why = isWrite ? whyNoRoot(isFolder ? question.path : above, "rw") : whyNoRoot(question.path, "ro");
  if (why !== null)
    return `no config can make it ${isWrite ? "writable" : "readable"}: ${why}; use a file in a folder under \`sandbox.paths\`, or do it yourself outside the sandbox`;
  // A hidden path counts as a file, and may be a folder.
  const whyAbove = isWrite || isFolder ? null : whyNoRoot(above, "ro");
  if (whyAbove !== null)
    return `list it under \`sandbox.paths\` in the config, if it is a folder; put a file into a listed folder: ${whyAbove}, which no config can list`;
  return isWrite
    ? "give the folder `mode: rw` under `sandbox.paths` in the config, if intended"
    : "list the folder under `sandbox.paths` in the config, if intended";
}
