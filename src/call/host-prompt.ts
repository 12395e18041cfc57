import type { Gate } from "../approval/gate.ts";
import type { DecidedCall } from "../approval/gate-result.ts";
import { asksForHosts, type CallPolicy, type EffectiveProfile } from "../decide/call-policy.ts";
import { printTarget } from "../decide/denial.ts";
import { grantedView } from "../decide/granted-view.ts";
import { rulesIn } from "../decide/meet-policies.ts";
import { type HostApproval, NETWORK_TOOL } from "../decide/network-use.ts";
import { CofferdamError } from "../errors.ts";
import type { CallLog } from "../journal/call-log.ts";
import type { HostAnswer } from "../network/call-egress.ts";
import type { Json } from "../policy/canonical-json.ts";
import { argsHashOf, cacheKeyOf } from "../policy/hashes.ts";
import { redact, redactText } from "../policy/redact.ts";
import { NOTHING_REMEMBERED, type RememberedAnswers } from "../policy/remembered.ts";
import type { GrantedView } from "../policy/request.ts";
import { strictestAnswer } from "../policy/strictest-verdict.ts";
import { invocationOf } from "../policy/tool-rule.ts";
import { type JudgedCall, judge } from "../policy/verdict.ts";
import { parseHostRule } from "../profile/host-rule.ts";
import { meetNetworks, type Network, normalNetwork, reachesName } from "../profile/network.ts";
import { proxyFor } from "../profile/proxy-for.ts";
import { proxiesOf } from "../profile/upstream.ts";
import { type Call, scriptOf, wordsOf } from "../tool/call.ts";
import { type HostAndPort, whyAboveCeiling, whyNeverUnlisted } from "../tool/fetch/reach.ts";
import type { SupervisorContext } from "./supervisor-context.ts";
import type { HostPrompt } from "./way-out.ts";

/** The parts needed to ask about a host. */
export interface HostPromptParts {
  readonly shared: Pick<SupervisorContext, "broker" | "host">;
  readonly gate: Gate;
  readonly call: Call;
  /** The policy of the call at this moment. Throws `CallsStoppedError`. */
  readonly policyNow: () => Promise<CallPolicy>;
  readonly granted: EffectiveProfile;
  readonly log: CallLog;
}

/** Asks about hosts while a call runs. */
export function hostPromptFor(asking: HostPromptParts): HostPrompt {
  const approved: HostApproval[] = [];
  return { amendments: approved, ask: (place, signal) => askForHost(place, signal, asking, approved) };
}

/**
 * Asks whether a call may reach one more host on one port, by the gate of the call itself. Unreachable hosts are not
 * asked about. Every layer of the ceiling reduces an approval, and it holds for public addresses.
 */
async function askForHost(
  place: HostAndPort,
  signal: AbortSignal,
  asking: HostPromptParts,
  approved: HostApproval[],
): Promise<HostAnswer> {
  const { shared, gate, call, policyNow, log } = asking;
  const why = whyNever(place, await policyNow());
  if (why !== null) return { kind: "refused", because: "unlisted", reason: why };
  const { agent, callId } = call;
  const decide = async (edited?: unknown): Promise<DecidedCall> => {
    if (edited !== undefined) throw notEdited();
    const policy = await policyNow();
    return hostQuestion(place, policy, asking, await shared.broker.memory.of(call.sessionId));
  };
  const result = await gate.pass(
    { callId, tool: NETWORK_TOOL, agent, groupId: null },
    await decide(),
    decide,
    { signal, approvalId: null, log, call: null },
  );
  if (result.kind !== "approved")
    return {
      kind: "refused",
      because: "answered-no",
      reason: `\`${printTarget(place)}\` is not listed: ${result.reason}`,
    };
  await gate.track(result, async () => {
    const by = result.by ?? result.decided.verdict.reason;
    log.record({ type: "network.amended", ...place, by });
    approved.push({ ...place, by });
    return { kind: "done" };
  });
  const network = async (): Promise<Network> => {
    const policy = await policyNow();
    const { verdict } = hostQuestion(place, policy, asking, NOTHING_REMEMBERED);
    return verdict.action === "deny" ? "none" : networkWith(place, policy);
  };
  return { kind: "granted", network };
}

/** The program waits for this very host, so the request can't be edited. */
function notEdited(): CofferdamError {
  return new CofferdamError("USAGE", "the host in this request can't be changed", {
    hint: "approve or reject it; list other hosts in the config",
  });
}

/** The network after an approval: the host as named, minus everything that is never reachable. */
function networkWith(place: HostAndPort, policy: CallPolicy): Network {
  if (policy.meetOf !== undefined)
    return policy.meetOf.map((one) => networkWith(place, one)).reduce(meetNetworks);
  const { host, port } = place;
  const { settings, ceiling } = policy;
  const { shell, upstream } = settings;
  const { network } = shell;
  const wanted = typeof network === "object" ? network : { never: [], strict_sni: false };
  const listed = normalNetwork({
    hosts: [{ name: host, port, private: false }],
    never: wanted.never.map(parseHostRule),
    ...(wanted.strict_sni ? { strictSni: true } : {}),
    ...(upstream === undefined ? {} : { proxies: proxiesOf(upstream) }),
  });
  return ceiling.layers.reduce((met, { profile }) => meetNetworks(met, profile.network), listed);
}

/** Why an approval can't make a host reachable; null if it can. */
function whyNever(place: HostAndPort, policy: CallPolicy): string | null {
  const above = whyAboveCeiling(place, policy.ceiling.layers) ?? whyNeverUnlisted(place);
  if (above !== null) return above;
  if (!asksForHosts(policy)) return "the config does not let people be asked about hosts";
  return reachesName(networkWith(place, policy), place.host, place.port)
    ? null
    : `the config never allows \`${printTarget(place)}\``;
}

function hostQuestion(
  place: HostAndPort,
  policy: CallPolicy,
  { call, granted }: Pick<HostPromptParts, "call" | "granted">,
  memory: RememberedAnswers,
): DecidedCall {
  const { ceiling } = policy;
  const never = whyNever(place, policy);
  const script = scriptOf(call.input);
  const args: Json = { host: place.host, port: place.port };
  const shown: Json = { ...args, call: script ?? [...wordsOf(call.input)] };
  const target = printTarget(place);
  const program = redactText(script === null ? wordsOf(call.input)[0] : "a script", MAX_NAMED).text;
  const reason = `${target} is not listed under \`shell.network\``;
  const action = never === null ? "ask" : "deny";
  const subject: JudgedCall = {
    ...invocationOf(NETWORK_TOOL, args, call.agent),
    risk: "write",
    said: { hit: { layer: "tool", rule: "network", action, reason: never ?? reason }, doubt: null },
    line: null,
    needsMore: null,
  };
  const grantKey = {
    cacheKey: cacheKeyOf(NETWORK_TOOL, args),
    toolVersion: "1",
    program: null,
    granted: null,
  };
  const sets = rulesIn(policy).map(({ config, mode }) => {
    const judged = judge(subject, { operator: ceiling.approval, approval: config.approval });
    return { judged, operator: ceiling.approval, mode };
  });
  const { verdict } = strictestAnswer(
    sets,
    // An approval of a host is more access, and typing a command does not approve its connections.
    { key: () => grantKey, coverable: null, mayRemember: true, isSameAccess: false, isCallersOwn: false },
    memory,
  );
  return {
    verdict,
    argsHash: argsHashOf({ tool: NETWORK_TOOL, version: "1", input: args, agent: call.agent }),
    grantKey,
    groupId: null,
    summarize: () => ({
      risk: "write",
      description: `let ${program} connect to ${target}`,
      ...redact(shown),
      covers: `connections of commands to ${target}, ${wayWords(place, policy)}`,
      granted: reachedAfter(target, granted, policy),
    }),
    preview: async () => {
      const { presentStructured } = await import("../approval/present.ts");
      return presentStructured(redact(shown).safeArgs);
    },
  };
}

/** The place where an approved host is found: with a proxy, its address is unknown here. */
function wayWords(place: HostAndPort, policy: CallPolicy): string {
  const upstream = policy.settings.upstream ?? null;
  const proxy = proxyFor(upstream, networkWith(place, policy), place, place.port === 80);
  return proxy === null ? "at its public addresses" : `at any address that the proxy ${proxy.url} finds`;
}

/** The grants of the call, with the host that an approval would add. */
function reachedAfter(target: string, granted: EffectiveProfile, { settings }: CallPolicy): GrantedView {
  const view = grantedView(granted, settings);
  const isNothing = granted.profile.network === "none";
  return { ...view, network: isNothing ? target : `${view.network}, and ${target}` };
}

const MAX_NAMED = 100;
