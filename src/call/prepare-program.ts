import type { CallPolicy } from "../decide/call-policy.ts";
import { baseOf, callerEnvUnder } from "../decide/origin.ts";
import { type CallFacts, type Prepared, prepare } from "../decide/prepare.ts";
import { lookUpFacts } from "../host/launch/facts.ts";
import { otherTurns } from "../host/turns.ts";
import type { CallOrigin } from "../policy/bound-call.ts";
import { type Call, inputLength } from "../tool/call.ts";
import { factsWithoutPlaceholders } from "./concurrency.ts";
import { lookAtCall } from "./look.ts";
import { nearPaths } from "./near-paths.ts";
import type { SessionContext } from "./session-context.ts";
import type { SupervisorContext } from "./supervisor-context.ts";

/**
 * Decides a call that starts a program, by one state of the supervisor and without running it. Throws
 * `FACTS_UNSTABLE`, `SANDBOX_UNAVAILABLE`.
 */
export async function prepareProgram(
  { deniedCalls }: Pick<SessionContext, "deniedCalls">,
  shared: SupervisorContext,
  call: Call,
  policy: CallPolicy,
  origin: CallOrigin | null = null,
): Promise<Prepared> {
  const memory = await shared.broker.memory.of(call.sessionId);
  const look = await lookAtProgramCall(shared, call, policy, origin);
  await otherTurns(inputLength(call.input));
  return prepare(call, policy, look, memory, (argsHash) => deniedCalls.has(argsHash));
}

/**
 * Looks up the facts that decide a call; `origin` is the process that planned it, null for this one. Throws
 * `FACTS_UNSTABLE`, `SANDBOX_UNAVAILABLE`.
 */
export async function lookAtProgramCall(
  { host, sandbox, memory, ledger, cwd: own }: SupervisorContext,
  { input }: Call,
  policy: CallPolicy,
  origin: CallOrigin | null = null,
): Promise<CallFacts> {
  if (sandbox.kind === "unavailable") throw sandbox.error;
  const cwd = baseOf(origin, own);
  const pwd = origin === null ? (host.env["PWD"] ?? null) : origin.pwd;
  const profiles = [policy.withoutApproval.profile, policy.withApproval.profile];
  const near = () => nearPaths(input, policy, cwd);
  const facts = await factsWithoutPlaceholders(ledger, (held) =>
    lookUpFacts(host, sandbox.machine.facts, profiles, memory, held, near),
  );
  return {
    ...lookAtCall(input, policy, cwd, pwd ?? undefined),
    facts,
    callerEnv: origin === null ? host.env : callerEnvUnder(origin, host.env),
    from: { cwd, pwd },
  };
}
