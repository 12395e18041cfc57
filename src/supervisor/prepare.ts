import type { Facts } from "../backend/facts.ts";
import { nodeAt } from "../backend/facts.ts";
import type { Refusal, Rendering } from "../backend/plan.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { CommandLine } from "../policy/command.ts";
import { findGrant, type Grant, type GrantKey } from "../policy/grant.ts";
import { shellSaid } from "../policy/shell-rules.ts";
import { invocationOf } from "../policy/tool-rule.ts";
import {
  answerByGrant,
  answerByMode,
  isByYes,
  judge,
  type Subject,
  type Verdict,
} from "../policy/verdict.ts";
import { type Access, isAtMost } from "../profile/access.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isInside, joinPath, knownPath } from "../profile/path.ts";
import { isPortIn, normalPorts, printPorts } from "../profile/ports.ts";
import type { Profile } from "../profile/profile.ts";
import { printShortfall } from "../profile/shortfall.ts";
import { localeOf } from "../shell/locale.ts";
import { quote } from "../shell/quote.ts";
import { type Call, wordsOf } from "../tool/call.ts";
import { deriveEnvironment, type ToolSettings } from "../tool/derive.ts";
import type { HomeFile } from "../tool/facts.ts";
import type { Launch } from "../tool/launch.ts";
import { tooLargeToStart } from "../tool/start-size.ts";
import { bindingOf, type ProgramFacts, spelledInput } from "./binding.ts";
import { type CommandFacts, judgedLine } from "./judged-line.ts";
import { asksForHosts, type Granted, grantedFor, type Standing, standingIn } from "./standing.ts";
import type { Unstartable } from "./start-fault.ts";

/** What was looked up for one call. */
export interface CallFacts {
  readonly facts: Facts;
  readonly cwd: AbsolutePath;
  /** See `Launch.typedCwd`; null where there is none. */
  readonly typedCwd: AbsolutePath | null;
  /** The program that is started: the call's own, or the shell that runs its line. */
  readonly program: ProgramFacts;
  /** Why it can't be started, as far as that can be seen; null where nothing speaks against it. */
  readonly unstartable: Unstartable | null;
  /** Every simple command that it would run, in the order of `lineOf`. */
  readonly commands: readonly CommandFacts[];
  /** What of the call's line is not understood. */
  readonly unread: readonly string[];
  readonly callerEnv: Readonly<Record<string, string | undefined>>;
}

/** What a call would get: the profile, what is missing of what it asked for, and the plan or why there is none. */
export interface Side extends Granted {
  readonly launch: Launch | null;
  readonly rendering:
    | Rendering
    | {
        readonly kind: "denied";
        readonly code: "CEILING_CUTS_RUNTIME" | "DENIED";
        readonly refusal: Refusal;
      }
    | ({ readonly kind: "not-found" } & Unstartable);
}

/** One call, decided: what explain prints, approval shows and the launch uses. */
export interface Prepared {
  readonly verdict: Verdict;
  readonly unasked: Side;
  readonly onYes: Side;
  /** Binds an approval to exactly this: tool, words, program, place, profile, environment, roots. */
  readonly argsHash: string;
  /** What a yes for the session would be bound to. */
  readonly grantKey: GrantKey;
  /** The program as it was looked at. */
  readonly program: ProgramFacts;
  /** What the machine looked like. */
  readonly facts: Facts;
  /** What decided: what the calls have in common, cut down by what was found. */
  readonly standing: Standing;
}

/**
 * Decides one call: judges it, and renders what it gets unasked and what it gets after a yes. Pure: the
 * same call, standing and facts give the same value, and nothing else decides. Throws `USAGE` for a call that is too
 * large for a program to be started with, its environment counted.
 */
export function prepare(
  call: Call,
  given: Standing,
  look: CallFacts,
  grants: readonly Grant[] = [],
): Prepared {
  const standing = standingIn(given, look.facts);
  const { ceiling } = standing;
  const onYes = prepareSide(call, standing, look, standing.onYes);
  const unasked =
    standing.unasked.digest === standing.onYes.digest
      ? onYes
      : prepareSide(call, standing, look, standing.unasked);
  const line = judgedLine(call, {
    commands: look.commands,
    unread: look.unread,
    roots: standing.config.roots,
    locale: localeOf(onYes.launch?.env ?? {}),
    profile: onYes.profile,
    isMadeInside: (path) => standing.backend.viewAround(path) !== null,
  });
  const judged = judgeLine(call, line, standing, needsMore(look, unasked.profile, onYes.profile));
  const { argsHash, grantKey } = bindingOf(call, {
    ...look,
    granted: onYes.digest,
    env: onYes.launch?.env ?? null,
    atHome: onYes.launch?.atHome ?? [],
    roots: standing.config.roots.map((root) => root.path),
  });
  const mayRemember =
    (call.use?.mayRemember ?? true) && ceiling.approval.sessionGrants && standing.mode === "interactive";
  const remembered = answerByGrant(judged, mayRemember ? findGrant(grants, grantKey) : null);
  const isCallersOwn = call.caller === "person" && !standing.asksCaller;
  const verdict = answerByMode(remembered, standing.mode, isCallersOwn);
  const { program, facts } = look;
  return { verdict, unasked, onYes, argsHash, grantKey, program, facts, standing };
}

/**
 * What rules say about a line, before grants and modes answer: one of the shell is judged by the shell's rules, a tool of
 * the host's own by what it says; operators judge both.
 */
export function judgeLine(
  { tool, input, use, agent }: Pick<Call, "tool" | "input" | "use" | "agent">,
  line: CommandLine,
  { config, ceiling }: Pick<Standing, "config" | "ceiling">,
  needsMore: string | null,
): Verdict {
  const judged: Omit<Subject, "line" | "needsMore"> =
    use === null
      ? {
          ...invocationOf(tool, spelledInput(input), agent),
          risk: "write",
          said: shellSaid(line, config.shell),
        }
      : { ...invocationOf(tool, use.args, agent), risk: use.risk, said: use.said };
  return judge({ ...judged, line, needsMore }, { operator: ceiling.approval, approval: config.approval });
}

/** The side that runs: what a rule let pass runs unasked, what a person or a mode said yes to runs as shown. */
export function sideOf(prepared: Prepared, isApproved: boolean): Side {
  return isApproved || isByYes(prepared.verdict) ? prepared.onYes : prepared.unasked;
}

function prepareSide(call: Call, standing: Standing, look: CallFacts, base: Granted): Side {
  const { program, facts, cwd } = look;
  const { ports = [] } = call.input;
  const given = grantedFor(base, ports);
  const granted = given.profile;
  const cut = cutRuntime(standing.settings, granted, facts);
  if (cut !== null)
    return {
      ...given,
      launch: null,
      rendering: { kind: "denied", code: "CEILING_CUTS_RUNTIME", refusal: cut },
    };
  const outside = accessTo(granted, cwd, { kind: "folder", bornInside: false }) === "none";
  if (outside)
    return {
      ...given,
      launch: null,
      rendering: { kind: "denied", code: "DENIED", refusal: outsideRoots(call, cwd, standing) },
    };
  const closed = ports.find((port) => !isPortIn(granted.ports, port));
  if (closed !== undefined)
    return {
      ...given,
      launch: null,
      rendering: { kind: "denied", code: "DENIED", refusal: closedPort(closed, ports, standing) },
    };
  const isHidden = program.real !== null && accessTo(granted, program.real) === "none";
  if (program.path === null || isHidden || look.unstartable !== null) {
    const why = look.unstartable ?? hiddenProgram(program.path);
    return { ...given, launch: null, rendering: { kind: "not-found", ...why } };
  }
  const { home } = standing.backend;
  const person = { uid: facts.user.uid, home };
  const env = deriveEnvironment(standing.settings, granted, person, look.callerEnv);
  const atHome = filesAtHome(standing.settings, env);
  const launch: Launch = {
    argv: [program.path, ...wordsOf(call.input).slice(1)],
    cwd,
    ...(look.typedCwd === null ? {} : { typedCwd: look.typedCwd }),
    env: env["HOME"] === home ? env : { ...namedAtHome(atHome, home), ...env },
    ...(asksForHosts(standing) ? { asksForHosts: true } : {}),
    ...(atHome.length === 0 ? {} : { atHome }),
  };
  refuseTooLarge(launch);
  return { ...given, launch, rendering: standing.backend.render(granted, launch, facts) };
}

/** What programs of the runtimes find in HOME; what only helps beside a variable is left out without that. */
function filesAtHome({ runtimes }: ToolSettings, env: Launch["env"]): readonly HomeFile[] {
  return runtimes
    .flatMap((runtime) => runtime.files ?? [])
    .filter(({ needs }) => needs === undefined || env[needs] !== undefined);
}

/** The variables by which programs find those files from another HOME. */
function namedAtHome(files: readonly HomeFile[], home: AbsolutePath): Launch["env"] {
  return Object.fromEntries(
    files.flatMap(({ name, namedBy }) => (namedBy === undefined ? [] : [[namedBy, joinPath(home, name)]])),
  );
}

/** What this side of the profile hides, and the other may show. */
function hiddenProgram(path: string | null): Unstartable {
  return {
    reason: `${visible(path ?? "")} is not in the sandbox`,
    hint: `run \`cofferdam explain read ${quote([path ?? ""])}\`: it names what hides it`,
  };
}

/** The words alone were judged when they came in; with the environment they may be more than a program can have. */
function refuseTooLarge({ argv, env }: Launch): void {
  const found = tooLargeToStart(argv, env);
  if (found === null) return;
  throw new CofferdamError("USAGE", found, {
    hint: "hand the data in by a file or by standard input, or pass fewer variables in `sandbox.env`",
  });
}

/** What programs start without: the machine's configuration, on macOS by where it really lies, and what packages made. */
const CONFIG = ["/etc", "/private/etc", "/var/lib"].map(knownPath);

/** A ceiling that hides what every program needs to start makes each call fail in its own odd way: it is refused here. */
function cutRuntime(settings: ToolSettings, granted: Profile, facts: Facts): Refusal | null {
  const needed = settings.runtimes
    .flatMap((runtime) => runtime.read)
    .filter((path) => !CONFIG.some((folder) => isInside(path, folder)));
  for (const path of needed) {
    const { kind } = nodeAt(facts, path);
    const given: Access = accessTo(granted, path, {
      kind: kind === "file" ? "file" : "folder",
      bornInside: false,
    });
    if (kind !== "missing" && !isAtMost("read", given)) {
      return {
        field: "files",
        reason: `operator profiles cut off ${path}, which programs need to start`,
        remedy: 'add `{ path: "${runtime}", access: read }` to `files` of the profile that leaves it out',
      };
    }
  }
  return null;
}

function outsideRoots({ use }: Call, cwd: AbsolutePath, { settings }: Standing): Refusal {
  const open = settings.roots.filter((root) => root.mode !== "none");
  const roots = open.map((root) => root.path).join(", ");
  if (use !== null)
    return {
      field: "files",
      reason: `the folder ${cwd} lies in no root that the tool needs`,
      remedy: `say in the tool's \`needs\` as \`cwd\` where it starts${roots === "" ? "" : `: in one of ${roots}`}`,
    };
  return {
    field: "files",
    reason: `the folder ${visible(cwd)} lies in no granted root`,
    remedy: roots === "" ? "grant a folder under `sandbox.paths`" : `start in one of ${roots}`,
  };
}

/** A server that nobody reaches is not what was asked for. */
function closedPort(port: number, asked: readonly number[], { settings: { shell } }: Standing): Refusal {
  return shell.ports.includes(port)
    ? {
        field: "ports",
        reason: `operator profiles allow no port ${port}`,
        remedy: `\`cofferdam explain port ${port}\` names the profile: list the port under its \`ports\`, or do without`,
      }
    : {
        field: "ports",
        reason: `the port ${port} is not among those that the config lists`,
        remedy: `write \`shell: { ports: [${printPorts(normalPorts([...shell.ports, ...asked]))}] }\` in the config, or do without`,
      };
}

/** What a call itself is about, its programs and its folder, may be visible only after a yes. */
function needsMore({ program, commands, cwd }: CallFacts, unasked: Profile, onYes: Profile): string | null {
  const folder = { kind: "folder", bornInside: false } as const;
  if (accessTo(unasked, cwd, folder) === "none" && accessTo(onYes, cwd, folder) !== "none")
    return `reading ${cwd} needs approval`;
  const programs = [program, ...commands.map((command) => command.program)];
  const hidden = programs.find(
    ({ real }) => real !== null && accessTo(unasked, real) === "none" && accessTo(onYes, real) !== "none",
  );
  return hidden === undefined ? null : `reading ${hidden.real} needs approval`;
}

/** The shortfall of a side in words, for people and models. */
export function printShortfalls(side: Side): readonly string[] {
  return side.shortfall.map(printShortfall);
}
