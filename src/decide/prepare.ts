import type { Facts } from "../backend/facts.ts";
import type { NotEnforceable, Rendering } from "../backend/plan.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { CommandLine } from "../policy/command.ts";
import { findGrant, type Grant, type GrantKey } from "../policy/grant.ts";
import { shellSaid } from "../policy/shell-rules.ts";
import { strictestVerdict } from "../policy/strictest-verdict.ts";
import { invocationOf } from "../policy/tool-rule.ts";
import {
  answerByGrant,
  answerByMode,
  hasApproval,
  type JudgedCall,
  judge,
  type Verdict,
} from "../policy/verdict.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, joinPath } from "../profile/path.ts";
import { isPortIn } from "../profile/ports.ts";
import type { Profile } from "../profile/profile.ts";
import { printShortfall } from "../profile/shortfall.ts";
import { localeOf } from "../shell/locale.ts";
import { quote } from "../shell/quote.ts";
import type { ShellTouch } from "../shell/touch.ts";
import { type Call, wordsOf } from "../tool/call.ts";
import { deriveEnvironment, type ToolSettings } from "../tool/derive.ts";
import type { HomeFile } from "../tool/facts.ts";
import type { ProgramStart } from "../tool/launch.ts";
import { tooLargeToStart } from "../tool/start-size.ts";
import { bindingOf, type ProgramFacts, spelledInput } from "./binding.ts";
import {
  asksForHosts,
  type CallPolicy,
  type EffectiveProfile,
  effectiveFor,
  withRepositories,
} from "./call-policy.ts";
import { type CommandFacts, judgedLine } from "./judged-line.ts";
import { mayRemember, rulesIn } from "./meet-policies.ts";
import { closedPort, cutRuntime, outsideRoots } from "./not-enforceable.ts";
import type { Unstartable } from "./start-fault.ts";

/** Facts looked up for one call. */
export interface CallFacts {
  readonly facts: Facts;
  readonly cwd: AbsolutePath;
  /** See `ProgramStart.typedCwd`; null if there is none. */
  readonly typedCwd: AbsolutePath | null;
  /** The program that is started: the call's own, or the shell that runs its line. */
  readonly program: ProgramFacts;
  /** Why it can't be started, as far as that is visible; null if no obstacle was found. */
  readonly unstartable: Unstartable | null;
  /** Every simple command that it would run, in the order of `lineOf`. */
  readonly commands: readonly CommandFacts[];
  /** Acts of bash itself beside starting programs. */
  readonly touches: readonly ShellTouch[];
  /** Why other programs may run than `commands`; empty if no others can. */
  readonly unread: readonly string[];
  readonly callerEnv: Readonly<Record<string, string | undefined>>;
}

/** The grants of a call: the profile, its shortfall, and the plan or the reason why there is none. */
export interface PreparedRun extends EffectiveProfile {
  readonly launch: ProgramStart | null;
  /** @internal */
  readonly rendering:
    | Rendering
    | {
        readonly kind: "denied";
        readonly code: "CEILING_CUTS_RUNTIME" | "DENIED";
        readonly refusal: NotEnforceable;
      }
    | ({ readonly kind: "not-found" } & Unstartable);
}

/** One decided call: explain prints it, the request shows it and the launch uses it. */
export interface Prepared {
  readonly verdict: Verdict;
  readonly withoutApproval: PreparedRun;
  readonly withApproval: PreparedRun;
  /** Binds an approval to exactly this: tool, words, program, folder, profile, environment, roots. */
  readonly argsHash: string;
  /** The key of an approval for the session. */
  readonly grantKey: GrantKey;
  /** @internal The program as it was looked up. */
  readonly program: ProgramFacts;
  /** @internal The facts of the machine. */
  readonly facts: Facts;
  /** @internal The deciding policy: that of all calls, reduced by the facts. */
  readonly policy: CallPolicy;
}

/**
 * Decides one call: judges it, and renders its plans without and with approval. Pure: the same call, policy and facts
 * give the same value, and nothing else decides. Throws `USAGE` for a call too large to start a program with, its
 * environment included.
 */
export function prepare(
  call: Call,
  given: CallPolicy,
  look: CallFacts,
  grants: readonly Grant[] = [],
): Prepared {
  const policy = withRepositories(given, look.facts);
  const { ceiling } = policy;
  const approved = prepareSide(call, policy, look, policy.withApproval);
  const unapproved =
    policy.withoutApproval.digest === policy.withApproval.digest
      ? approved
      : prepareSide(call, policy, look, policy.withoutApproval);
  const { argsHash, grantKey } = bindingOf(call, {
    ...look,
    granted: approved.digest,
    env: approved.launch?.env ?? null,
    atHome: approved.launch?.atHome ?? [],
    roots: policy.config.roots.map((root) => root.path),
  });
  const isRemembered = (call.use?.mayRemember ?? true) && mayRemember(policy);
  const grant = isRemembered ? findGrant(grants, grantKey) : null;
  const isCallersOwn = call.caller === "person" && !policy.asksCaller;
  const more = needsMore(look, unapproved.profile, approved.profile);
  const verdict = rulesIn(policy)
    .map(({ config, mode }) => {
      const line = judgedLine(call, {
        commands: look.commands,
        touches: look.touches,
        unread: look.unread,
        roots: config.roots,
        locale: localeOf(approved.launch?.env ?? {}),
        profile: approved.profile,
        isMadeInside: (path) => policy.backend.viewAround(path) !== null,
      });
      const judged = judgeLine(call, line, { config, ceiling }, more);
      return answerByMode(answerByGrant(judged, grant), mode, isCallersOwn);
    })
    .reduce(strictestVerdict);
  const { program, facts } = look;
  return {
    verdict,
    withoutApproval: unapproved,
    withApproval: approved,
    argsHash,
    grantKey,
    program,
    facts,
    policy,
  };
}

/** The verdict on a line before grants and modes: by shell rules or the tool itself. Operator rules apply to both. */
export function judgeLine(
  { tool, input, use, agent }: Pick<Call, "tool" | "input" | "use" | "agent">,
  line: CommandLine,
  { config, ceiling }: Pick<CallPolicy, "config" | "ceiling">,
  needsMore: string | null,
): Verdict {
  const judged: Omit<JudgedCall, "line" | "needsMore"> =
    use === null
      ? {
          ...invocationOf(tool, spelledInput(input), agent),
          risk: "write",
          said: shellSaid(line, config.shell),
        }
      : { ...invocationOf(tool, use.args, agent), risk: use.risk, said: use.said };
  return judge({ ...judged, line, needsMore }, { operator: ceiling.approval, approval: config.approval });
}

/** The run to start: without approval if a rule allowed the call; with approval, the run that the request showed. */
export function runFor(prepared: Prepared, isApproved: boolean): PreparedRun {
  return isApproved || hasApproval(prepared.verdict) ? prepared.withApproval : prepared.withoutApproval;
}

function prepareSide(call: Call, policy: CallPolicy, look: CallFacts, base: EffectiveProfile): PreparedRun {
  const { program, facts, cwd } = look;
  const { ports = [] } = call.input;
  const given = effectiveFor(base, ports);
  const granted = given.profile;
  const cut = cutRuntime(policy.settings, granted, facts);
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
      rendering: { kind: "denied", code: "DENIED", refusal: outsideRoots(call, cwd, policy) },
    };
  const closed = ports.find((port) => !isPortIn(granted.ports, port));
  if (closed !== undefined)
    return {
      ...given,
      launch: null,
      rendering: { kind: "denied", code: "DENIED", refusal: closedPort(closed, ports, policy) },
    };
  const isHidden = program.real !== null && accessTo(granted, program.real) === "none";
  if (program.path === null || isHidden || look.unstartable !== null) {
    const why = look.unstartable ?? hiddenProgram(program.path);
    return { ...given, launch: null, rendering: { kind: "not-found", ...why } };
  }
  const { home } = policy.backend;
  const person = { uid: facts.user.uid, home };
  const env = deriveEnvironment(policy.settings, granted, person, look.callerEnv);
  const atHome = filesAtHome(policy.settings, env);
  const launch: ProgramStart = {
    argv: [program.path, ...wordsOf(call.input).slice(1)],
    cwd,
    ...(look.typedCwd === null ? {} : { typedCwd: look.typedCwd }),
    env: env["HOME"] === home ? env : { ...namedAtHome(atHome, home), ...env },
    ...(asksForHosts(policy) ? { asksForHosts: true } : {}),
    ...(atHome.length === 0 ? {} : { atHome }),
  };
  refuseTooLarge(launch);
  return { ...given, launch, rendering: policy.backend.render(granted, launch, facts) };
}

/** Files that the runtimes' programs find in HOME. A file that only helps with a variable is left out without it. */
function filesAtHome({ runtimes }: ToolSettings, env: ProgramStart["env"]): readonly HomeFile[] {
  return runtimes
    .flatMap((runtime) => runtime.files ?? [])
    .filter(({ needs }) => needs === undefined || env[needs] !== undefined);
}

/** The variables by which programs find those files from another HOME. */
function namedAtHome(files: readonly HomeFile[], home: AbsolutePath): ProgramStart["env"] {
  return Object.fromEntries(
    files.flatMap(({ name, namedBy }) => (namedBy === undefined ? [] : [[namedBy, joinPath(home, name)]])),
  );
}

/** A program hidden by this profile; with approval it may be visible. */
function hiddenProgram(path: string | null): Unstartable {
  return {
    reason: `${visible(path ?? "")} is not in the sandbox`,
    hint: `run \`cofferdam explain read ${quote([path ?? ""])}\` to see why`,
  };
}

/** The words alone were checked on arrival; together with the environment they may be too large to start a program. */
function refuseTooLarge({ argv, env }: ProgramStart): void {
  const found = tooLargeToStart(argv, env);
  if (found === null) return;
  throw new CofferdamError("USAGE", found, {
    hint: "pass the data in a file or by standard input, or pass fewer variables in `sandbox.env`",
  });
}

/** Why seeing the programs or the folder of a call needs approval; null if it does not. */
function needsMore(
  { program, commands, cwd }: CallFacts,
  unapproved: Profile,
  approved: Profile,
): string | null {
  const folder = { kind: "folder", bornInside: false } as const;
  if (accessTo(unapproved, cwd, folder) === "none" && accessTo(approved, cwd, folder) !== "none")
    return `reading ${cwd} needs approval`;
  const programs = [program, ...commands.map((command) => command.program)];
  const hidden = programs.find(
    ({ real }) =>
      real !== null && accessTo(unapproved, real) === "none" && accessTo(approved, real) !== "none",
  );
  return hidden === undefined ? null : `reading ${hidden.real} needs approval`;
}

/** The shortfall of a run in words, for people and models. */
export function printShortfalls(side: PreparedRun): readonly string[] {
  return side.shortfall.map(printShortfall);
}
