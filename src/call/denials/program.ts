import { type AskDenial, askDenial } from "../../decide/ask-denial.ts";
import type { CallPolicy } from "../../decide/call-policy.ts";
import { printTarget, SOME_PUBLIC } from "../../decide/denial.ts";
import { visible } from "../../errors.ts";
import type { Violation } from "../../host/launch/mac/violation.ts";
import type { Denial } from "../../policy/denial.ts";
import { type ConnectTarget, isAddress } from "../../profile/host-rule.ts";
import { type AbsolutePath, isInside } from "../../profile/path.ts";
import { violationDenials } from "./violations.ts";

/** A path in the words of a call, as the machine has it. */
export interface NamedPath {
  readonly written: string;
  /** From `/`, with no link followed: reports name it. */
  readonly path: AbsolutePath;
  /** The target, as far as the call itself can see it. */
  readonly judged: AbsolutePath;
  /** The kind of the target; a file if the call can't see it. */
  readonly kind: "file" | "folder" | "missing";
}

/** The facts about a failed program. */
export interface ProgramFailure {
  readonly named: readonly NamedPath[];
  readonly words: readonly string[];
  readonly code: number;
  /** The end of its standard error. */
  readonly said: string;
  readonly isApproved: boolean;
  /** Refusals in the kernel's log. */
  readonly refused: readonly Violation[];
  /** It could reach hosts only through the egress proxy. */
  readonly isProxied: boolean;
  readonly isOffline: boolean;
  readonly isTool: boolean;
  /** It is a lookup of a name, which says nothing when it fails. */
  readonly looksUp: boolean;
}

const MAX_DENIALS = 5;

/** Messages about missing rights from the C library and runtimes (strerror(3)). */
const REFUSED = /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b/i;
const UNWRITABLE = /read-only file system|\bEROFS\b|device or resource busy|\bEBUSY\b/i;
const ABSENT = /no such file or directory|\bENOENT\b|cannot find|not found/i;
const OFFLINE =
  /could not resolve|name resolution|name or service not known|lookup [^\n]*no such host|UnknownHostException|unknown host [\w-]+\.[\w.-]+|network is unreachable|\bEAI_AGAIN\b|\bENETUNREACH\b|\bENOTFOUND\b/i;

/** 128 + SIGSYS (signal(7)): status of a process ended by a filter that does not judge its calls. */
const FOREIGN_ABI = 159;

/** Messages of debuggers and tracers about missing rights (gdb, strace, lldb). */
const UNTRACEABLE = /ptrace[^\n]*(operation not permitted|\bEPERM\b)/i;

/**
 * Paths and hosts of a failed program's words that the sandbox denied, at most five. One is reported only if the words
 * hold it and the profile denies it: output only shows whether a sure denial is a likely reason.
 * `certain` if the program complained about that very path in the sandbox's way of failing. System call groups are
 * certain as well: by the status of a process whose calls are not judged, and by debuggers' messages.
 */
export function programDenials(failure: ProgramFailure, policy: CallPolicy): readonly Denial[] {
  const { settings } = policy;
  const ask = askDenial(policy, failure);
  const isGranted = (path: AbsolutePath): boolean => settings.roots.some((root) => isInside(path, root.path));
  const links = settings.runtimes.flatMap((runtime) => runtime.links);
  const isView = (path: AbsolutePath): boolean =>
    policy.backend.viewAround(path) !== null || links.some((link) => isInside(path, link.path));
  const named = failure.named.filter(({ judged }) => !isView(judged) || isGranted(judged));
  const all = [
    ...violationDenials(failure.refused, ask),
    ...named.flatMap((one) => pathDenial(one, failure.said, ask, isGranted) ?? []),
    ...hostDenials(failure, ask),
    ...syscallDenials(failure, ask),
  ];
  const found = all.length === 0 ? offlineDenials(failure, ask) : all;
  // A path that only occurs in the words must not hide the program's own complaints.
  const certain = found.filter((one) => one.certainty === "certain");
  return [...certain, ...found.filter((one) => one.certainty === "likely")].slice(0, MAX_DENIALS);
}

function pathDenial(
  named: NamedPath,
  said: string,
  ask: AskDenial,
  isGranted: (path: AbsolutePath) => boolean,
): Denial | null {
  const denial = denialAt(named, said, ask);
  // Programs start and read such files: a refusal without a path was about something else.
  const isOfSystem = denial?.operation === "write" && named.kind !== "missing" && !isGranted(named.judged);
  if (isOfSystem && denial.certainty === "likely") return null;
  if (denial === null || named.judged === named.path) return denial;
  const because = `it leads to ${visible(named.judged)}: ${denial.because}`;
  return { ...denial, target: named.path, because };
}

function denialAt({ written, judged: path, kind }: NamedPath, said: string, ask: AskDenial): Denial | null {
  const facts = { kind: kind === "folder" ? "folder" : "file", bornInside: kind === "missing" } as const;
  const complaints = said.split("\n").filter((line) => isNamedIn(line, written));
  // A possible shell line is a name only if the program calls it one, and a program that complains is none.
  const isProgram = said.split("\n").some((line) => SPEAKER.exec(line)?.[1] === written);
  if (complaints.length === 0 && (isProgram || /\s/.test(written))) return null;
  const isAbout = (how: RegExp): boolean => complaints.some((line) => how.test(line));
  const isHidden = isAbout(ABSENT) || isAbout(REFUSED);
  const couldBe = ABSENT.test(said) || REFUSED.test(said);
  const read =
    kind === "missing" || !couldBe
      ? null
      : ask({ ask: "read", path, facts }, isHidden ? "certain" : "likely");
  if (read !== null) return read;
  // A readable path may have been meant for writing: only a complaint about that shows it.
  if (!UNWRITABLE.test(said) && !REFUSED.test(said)) return null;
  const isUnwritable = isAbout(UNWRITABLE) || isAbout(REFUSED);
  return ask({ ask: "write", path, facts }, isUnwritable ? "certain" : "likely");
}

/** `cat: missing.md: No such file or directory` */
const SPEAKER = /^([^\s:]+): .*: /;

/** True if the line names the path itself, not only a longer one that contains it, or the program that complains. */
function isNamedIn(line: string, written: string): boolean {
  if (SPEAKER.exec(line)?.[1] === written) return isNamedIn(line.slice(written.length), written);
  for (let at = line.indexOf(written); at !== -1; at = line.indexOf(written, at + 1)) {
    const [before, after] = [line.slice(0, at), line.slice(at + written.length)];
    if (!/[\p{L}\p{N}_./~-]$/u.test(before) && !/^[\p{L}\p{N}_/-]|^\.[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

function hostDenials({ words, said, isProxied }: ProgramFailure, ask: AskDenial): readonly Denial[] {
  if (!OFFLINE.test(said)) return [];
  const targets = words.flatMap((word) => targetOf(word) ?? []);
  const past = (target: ConnectTarget): readonly Denial[] =>
    isProxied ? [pastTheProxy(printTarget(target))] : [];
  return targets.flatMap((target) => ask({ ask: "connect", target }, "likely") ?? past(target));
}

const NO_RESOLVER = "the sandbox has no resolver: only its egress proxy looks up the names of hosts";

/** Package managers choose their hosts themselves: only their output names the host. */
function offlineDenials(
  { said, isOffline, isProxied, looksUp }: ProgramFailure,
  ask: AskDenial,
): readonly Denial[] {
  if (!OFFLINE.test(said) && !looksUp) return [];
  if (isProxied) return [{ ...pastTheProxy("any host"), because: NO_RESOLVER }];
  if (!isOffline) return [];
  const target = { host: SOME_PUBLIC, address: SOME_PUBLIC, port: 443 };
  const denial = ask({ ask: "connect", target }, "likely");
  return denial === null ? [] : [{ ...denial, target: "any host" }];
}

/** The denial for an allowed host: only the proxy resolves names, and nothing else inside can. */
function pastTheProxy(target: string): Denial {
  return {
    operation: "connect",
    target,
    certainty: "likely",
    because:
      "the host can be reached only through the egress proxy, and the program seems to have bypassed it",
    remedy:
      "make the program use the HTTP proxy that `HTTPS_PROXY` and `ALL_PROXY` name in the sandbox; see docs/how-to/allow-a-host.md",
  };
}

function syscallDenials({ code, said }: ProgramFailure, ask: AskDenial): readonly Denial[] {
  const abi32 = code === FOREIGN_ABI ? ask({ ask: "syscalls", group: "abi32" }, "likely") : null;
  const debug = UNTRACEABLE.test(said) ? ask({ ask: "syscalls", group: "debug" }, "likely") : null;
  return [abi32, debug].filter((one) => one !== null);
}

const PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "ssh:": 22,
  "git:": 9418,
  "ftp:": 21,
};

/** The host and port of a word that is a URL. The address of its name is unknown here, and not looked up. */
function targetOf(word: string): ConnectTarget | null {
  const url = /^[a-z][a-z+]*:\/\//i.test(word) ? URL.parse(word) : null;
  const port = Number(url?.port) || PORTS[url?.protocol ?? ""];
  if (url === null || port === undefined || url.hostname === "") return null;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return { host, address: isAddress(host) ? host : SOME_PUBLIC, port };
}
