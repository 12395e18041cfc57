import { visible } from "../errors.ts";
import type { Violation } from "../host/mac/violation.ts";
import { isAddress, type Target } from "../profile/host-rule.ts";
import { type AbsolutePath, isInside } from "../profile/path.ts";
import { type AskDenial, askDenial } from "./ask-denial.ts";
import { type Denial, printTarget, SOME_PUBLIC } from "./denial.ts";
import type { Standing } from "./standing.ts";
import { violationDenials } from "./violation-denials.ts";

/** A path that the words of a call name, as the machine has it. */
export interface NamedPath {
  /** As it stands in the words. */
  readonly written: string;
  /** From `/`, with no link followed: what is told. */
  readonly path: AbsolutePath;
  /** Where it leads, as far as the call itself can see. */
  readonly judged: AbsolutePath;
  /** What is there; of what the call can't see, a file. */
  readonly kind: "file" | "folder" | "missing";
}

/** What is known of a program that failed. */
export interface Failure {
  readonly named: readonly NamedPath[];
  readonly words: readonly string[];
  /** Its status. */
  readonly code: number;
  /** The end of what it said on standard error. */
  readonly said: string;
  /** Whether it had what a yes gives. */
  readonly isByYes: boolean;
  /** What the kernel's log says that it refused. */
  readonly refused: readonly Violation[];
  /** It could reach hosts through the egress proxy alone. */
  readonly isProxied: boolean;
  /** It had no network. */
  readonly isOffline: boolean;
  /** It is a tool of the host's own, which may need less than the config grants. */
  readonly isTool: boolean;
}

/** More are told to nobody. */
const MOST_DENIALS = 5;

/** How a failure for want of rights is told by the C library and by runtimes (strerror(3)). */
const REFUSED = /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b/i;
const UNWRITABLE = /read-only file system|\bEROFS\b|device or resource busy|\bEBUSY\b/i;
const ABSENT = /no such file or directory|\bENOENT\b|cannot find|not found/i;
const OFFLINE =
  /could not resolve|name resolution|name or service not known|lookup [^\n]*no such host|UnknownHostException|unknown host [\w-]+\.[\w.-]+|network is unreachable|\bEAI_AGAIN\b|\bENETUNREACH\b|\bENOTFOUND\b/i;

/** 128 + SIGSYS (signal(7)): what a filter ends a process with whose calls it does not judge. */
const FOREIGN_ABI = 159;

/** How debuggers and tracers tell that they may not (gdb, strace, lldb). */
const UNTRACEABLE = /ptrace[^\n]*(operation not permitted|\bEPERM\b)/i;

/**
 * What of a failed program's own words the walls did not give it, at most five. A path or host is told only when it stands
 * in the words and the profile denies it: what a program prints proposes nothing, it only says whether a denial that the
 * profile is sure of is likely to be the reason. `certain` where the program itself complained about that very path in
 * the way that the walls make it fail. So are groups of system calls: by the status of a process whose calls are not judged,
 * and by what debuggers say.
 */
export function programDenials(failure: Failure, standing: Standing): readonly Denial[] {
  const { settings } = standing;
  const told = askDenial(standing, failure);
  const isGranted = (path: AbsolutePath): boolean => settings.roots.some((root) => isInside(path, root.path));
  const links = settings.runtimes.flatMap((runtime) => runtime.links);
  const isView = (path: AbsolutePath): boolean =>
    standing.backend.viewAround(path) !== null || links.some((link) => isInside(path, link.path));
  const named = failure.named.filter(({ judged }) => !isView(judged) || isGranted(judged));
  const all = [
    ...violationDenials(failure.refused, told),
    ...named.flatMap((one) => pathDenial(one, failure.said, told, isGranted) ?? []),
    ...hostDenials(failure, told),
    ...syscallDenials(failure, told),
  ];
  const found = all.length === 0 ? offlineDenials(failure, told) : all;
  // What merely stands in the words must not hide what the program itself complained about.
  const certain = found.filter((one) => one.certainty === "certain");
  return [...certain, ...found.filter((one) => one.certainty === "likely")].slice(0, MOST_DENIALS);
}

function pathDenial(
  named: NamedPath,
  said: string,
  told: AskDenial,
  isGranted: (path: AbsolutePath) => boolean,
): Denial | null {
  const denial = denialAt(named, said, told);
  // Programs start and read such files: a refusal that names none was about something else.
  const isOfSystem = denial?.operation === "write" && named.kind !== "missing" && !isGranted(named.judged);
  if (isOfSystem && denial.certainty === "likely") return null;
  if (denial === null || named.judged === named.path) return denial;
  const because = `it leads to ${visible(named.judged)}: ${denial.because}`;
  return { ...denial, target: named.path, because };
}

function denialAt({ written, judged: path, kind }: NamedPath, said: string, told: AskDenial): Denial | null {
  const facts = { kind: kind === "folder" ? "folder" : "file", bornInside: kind === "missing" } as const;
  const complaints = said.split("\n").filter((line) => isNamedIn(line, written));
  // What may be a line for a shell rather than a name is a name only where the program calls it one.
  if (complaints.length === 0 && /\s/.test(written)) return null;
  const isAbout = (how: RegExp): boolean => complaints.some((line) => how.test(line));
  const isHidden = isAbout(ABSENT) || isAbout(REFUSED);
  const couldBe = ABSENT.test(said) || REFUSED.test(said);
  const read =
    kind === "missing" || !couldBe
      ? null
      : told({ ask: "read", path, facts }, isHidden ? "certain" : "likely");
  if (read !== null) return read;
  // What can be read was perhaps to be written: only a complaint about that says so.
  if (!UNWRITABLE.test(said) && !REFUSED.test(said)) return null;
  const isUnwritable = isAbout(UNWRITABLE) || isAbout(REFUSED);
  return told({ ask: "write", path, facts }, isUnwritable ? "certain" : "likely");
}

/** Whether the line names it, and not merely something longer that holds it. */
function isNamedIn(line: string, written: string): boolean {
  for (let at = line.indexOf(written); at !== -1; at = line.indexOf(written, at + 1)) {
    const [before, after] = [line.slice(0, at), line.slice(at + written.length)];
    if (!/[\p{L}\p{N}_./~-]$/u.test(before) && !/^[\p{L}\p{N}_/-]|^\.[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

function hostDenials({ words, said, isProxied }: Failure, told: AskDenial): readonly Denial[] {
  if (!OFFLINE.test(said)) return [];
  const targets = words.flatMap((word) => targetOf(word) ?? []);
  const past = (target: Target): readonly Denial[] => (isProxied ? [pastTheProxy(target)] : []);
  return targets.flatMap((target) => told({ ask: "connect", target }, "likely") ?? past(target));
}

/** Package managers know by themselves where they go: which host that was stands in their output alone. */
function offlineDenials({ said, isOffline }: Failure, told: AskDenial): readonly Denial[] {
  if (!isOffline || !OFFLINE.test(said)) return [];
  const target = { host: SOME_PUBLIC, address: SOME_PUBLIC, port: 443 };
  const denial = told({ ask: "connect", target }, "likely");
  return denial === null ? [] : [{ ...denial, target: "any host" }];
}

/** Of a host that may be reached: the proxy looks names up, and nothing else inside can. */
function pastTheProxy(target: Target): Denial {
  return {
    operation: "connect",
    target: printTarget(target),
    certainty: "likely",
    because: "the host is given, but by the egress proxy alone, and the program seems to have gone past it",
    remedy: "have the program use the HTTP proxy that `HTTPS_PROXY` and `ALL_PROXY` name inside",
  };
}

function syscallDenials({ code, said }: Failure, told: AskDenial): readonly Denial[] {
  const abi32 = code === FOREIGN_ABI ? told({ ask: "syscalls", group: "abi32" }, "likely") : null;
  const debug = UNTRACEABLE.test(said) ? told({ ask: "syscalls", group: "debug" }, "likely") : null;
  return [abi32, debug].filter((one) => one !== null);
}

const PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "ssh:": 22,
  "git:": 9418,
  "ftp:": 21,
};

/** The host and port of a word that is a URL. Where its name leads is not known here, and not looked up. */
function targetOf(word: string): Target | null {
  const url = /^[a-z][a-z+]*:\/\//i.test(word) ? URL.parse(word) : null;
  const port = Number(url?.port) || PORTS[url?.protocol ?? ""];
  if (url === null || port === undefined || url.hostname === "") return null;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return { host, address: isAddress(host) ? host : SOME_PUBLIC, port };
}
