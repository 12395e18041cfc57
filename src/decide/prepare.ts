import type { Facts } from "../backend/facts.ts";
import type { NotEnforceable, Rendering } from "../backend/plan.ts";
import { CofferdamError, visible } from "../errors.ts";
import type { BoundCall, CallOrigin } from "../policy/bound-call.ts";
import type { GeneralisedCall } from "../policy/candidate.ts";
import type { GrantKey } from "../policy/grant.ts";
import { NOTHING_REMEMBERED, type RememberedAnswers } from "../policy/remembered.ts";
import { strictestAnswer } from "../policy/strictest-verdict.ts";
import { hasApproval, type Verdict } from "../policy/verdict.ts";
import { accessTo } from "../profile/access-to.ts";
import { type AbsolutePath, isInside, joinPath } from "../profile/path.ts";
import { isPortIn } from "../profile/ports.ts";
import type { Profile } from "../profile/profile.ts";
import { printShortfall } from "../profile/shortfall.ts";
import { localeOf } from "../shell/locale.ts";
import { quote } from "../shell/quote.ts";
import type { ShellTouch } from "../shell/touch.ts";
import { type Call, wordsOf } from "../tool/call.ts";
import { deriveEnvironment, passedVariables, type ToolSettings } from "../tool/derive.ts";
import type { HomeFile } from "../tool/facts.ts";
import type { ProgramStart } from "../tool/launch.ts";
import { tooLargeToStart } from "../tool/start-size.ts";
import { bindingOf, type ProgramFacts } from "./binding.ts";
import {
  asksForHosts,
  type CallPolicy,
  type EffectiveProfile,
  effectiveFor,
  withRepositories,
} from "./call-policy.ts";
import { coverableCall, generalisedCall } from "./coverable-call.ts";
import { type GainedAccess, gainedAccess } from "./gained-access.ts";
import { judgeLine } from "./judge-line.ts";
import { type CommandFacts, judgedLine } from "./judged-line.ts";
import { rulesIn } from "./meet-policies.ts";
import { closedPort, cutRuntime, outsideRoots } from "./not-enforceable.ts";
import { originOf } from "./origin.ts";
import type { Unstartable } from "./start-fault.ts";
import { type TouchedPlaces, touchesGained } from "./touched-places.ts";

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
  /** The acts of bash itself beside starting programs. */
  readonly touches: readonly ShellTouch[];
  /** The places that they are about, as the machine has them. */
  readonly touched: TouchedPlaces;
  /** Why other programs may run than `commands`; empty if no others can. */
  readonly unread: readonly string[];
  readonly callerEnv: Readonly<Record<string, string | undefined>>;
  /** The folder that the caller's paths start from; absent if no process will ask about the call. */
  readonly from?: Pick<CallOrigin, "cwd" | "pwd">;
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
  /** @internal The parts of `argsHash`, and the asking process's share in the run. */
  readonly bound: BoundCall;
  /** @internal The covers that may be given instead of exactly this call; absent if none may. */
  readonly generalised?: GeneralisedCall;
  /** @internal The program as it was looked up. */
  readonly program: ProgramFacts;
  /** @internal The facts of the machine. */
  readonly facts: Facts;
  /** @internal The deciding policy: that of all calls, reduced by the facts. */
  readonly policy: CallPolicy;
}

/** True for a call, by its `argsHash`, that ran without approval and was denied access that approval gives. */
export type WasDenied = (argsHash: string) => boolean;

const DENIED_BEFORE = "the sandbox denied this call access before, which approval allows";

/**
 * Decides one call: judges it, and renders its plans without and with approval. Pure: the same call, policy and facts
 * give the same value, and nothing else decides. Throws `USAGE` for a call too large to start a program with, its
 * environment included.
 */
export function prepare(
  call: Call,
  given: CallPolicy,
  look: CallFacts,
  memory: RememberedAnswers = NOTHING_REMEMBERED,
  wasDenied: WasDenied = () => false,
): Prepared {
  const policy = withRepositories(given, look.facts);
  const { ceiling } = policy;
  const approved = prepareSide(call, policy, look, policy.withApproval);
  const unapproved =
    policy.withoutApproval.digest === policy.withApproval.digest
      ? approved
      : prepareSide(call, policy, look, policy.withoutApproval);
  const gained = gainedAccess(unapproved.profile, approved.profile);
  const env = approved.launch?.env ?? null;
  const { argsHash, grantKey, bound } = bindingOf(call, {
    ...look,
    granted: approved.digest,
    env,
    atHome: approved.launch?.atHome ?? [],
    roots: policy.config.roots.map((root) => root.path),
    project: policy.config.workspace,
    origin: originOf(
      look.from,
      passedVariables(policy.settings, approved.profile, look.callerEnv),
      env ?? {},
    ),
  });
  const found = {
    commands: look.commands,
    touches: look.touches,
    touched: look.touched,
    gained,
    unread: look.unread,
    locale: localeOf(env ?? {}),
    profile: approved.profile,
    isMadeInside: (path: AbsolutePath) => policy.backend.viewAround(path) !== null,
  };
  const gainsMore = gained === null ? null : needsMore(look, unapproved.profile, gained);
  const more = gainsMore ?? (wasDenied(argsHash) ? DENIED_BEFORE : null);
  const sets = rulesIn(policy).map(({ config, mode }) => {
    const line = judgedLine(call, { ...found, roots: config.roots });
    const judged = judgeLine(call, line, { config, ceiling }, more);
    return { judged, operator: ceiling.approval, mode };
  });
  const coverable = coverableCall(call, judgedLine(call, { ...found, roots: policy.config.roots }), grantKey);
  const { verdict, obstacle } = strictestAnswer(
    sets,
    {
      key: () => grantKey,
      coverable,
      mayRemember: call.use?.mayRemember ?? true,
      isSameAccess: policy.withoutApproval.digest === policy.withApproval.digest,
      isCallersOwn: call.caller === "person" && !policy.asksCaller,
    },
    memory,
  );
  const { program, facts } = look;
  return {
    verdict,
    withoutApproval: unapproved,
    withApproval: approved,
    argsHash,
    grantKey,
    bound,
    ...(coverable === null ? {} : { generalised: generalisedCall(call, coverable, obstacle) }),
    program,
    facts,
    policy,
  };
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

/** Why the programs, the folder, or bash's own files of a call need approval; null if they do not. */
function needsMore(
  { program, commands, touched }: CallFacts,
  unapproved: Profile,
  gained: GainedAccess,
): string | null {
  const own = touchesGained(touched, gained);
  if (own !== null) return own;
  const hidden = [program, ...commands.map((command) => command.program)].find(
    ({ real }) =>
      real !== null &&
      accessTo(unapproved, real) === "none" &&
      gained.readable.some((place) => isInside(real, place)),
  );
  return hidden === undefined ? null : `reading ${hidden.real} needs approval`;
}

/** The shortfall of a run in words, for people and models. */
export function printShortfalls(side: PreparedRun): readonly string[] {
  return side.shortfall.map(printShortfall);
}
