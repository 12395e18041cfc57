import type { Gate } from "../approval/gate.ts";
import type { Question } from "../approval/question.ts";
import { CofferdamError } from "../errors.ts";
import type { Trail } from "../journal/trail.ts";
import type { Amended } from "../network/call-egress.ts";
import type { Json } from "../policy/canonical-json.ts";
import { findGrant, type Grant } from "../policy/grant.ts";
import { argsHashOf, cacheKeyOf } from "../policy/hashes.ts";
import { redact, redactText } from "../policy/redact.ts";
import type { GrantedView } from "../policy/request.ts";
import { invocationOf } from "../policy/tool-rule.ts";
import { answerByGrant, answerByMode, judge } from "../policy/verdict.ts";
import { parseHostRule } from "../profile/host-rule.ts";
import { meetNetworks, type Network, normalNetwork, reachesName } from "../profile/network.ts";
import { proxyFor } from "../profile/proxy-for.ts";
import { proxiesOf } from "../profile/upstream.ts";
import { type Call, scriptOf, wordsOf } from "../tool/call.ts";
import { type Place, whyAboveCeiling, whyNeverUnlisted } from "../tool/fetch/reach.ts";
import { printTarget } from "./denial.ts";
import { grantedView } from "./granted-view.ts";
import { type Amendment, NETWORK_TOOL } from "./network-use.ts";
import type { Shared } from "./shared.ts";
import type { Granted, Standing } from "./standing.ts";
import type { Amender } from "./way-out.ts";

/** What asking about a host takes. */
export interface Asking {
  readonly shared: Pick<Shared, "broker" | "host">;
  readonly gate: Gate;
  readonly call: Call;
  readonly standing: Standing;
  /** What the call runs with. */
  readonly granted: Granted;
  readonly trail: Trail;
}

/** What asks about hosts while a call runs. */
export function amenderFor(asking: Asking): Amender {
  const amendments: Amendment[] = [];
  return { amendments, ask: (place, signal) => amend(place, signal, asking, amendments) };
}

/**
 * Asks whether a call may reach one host more on one port, by the gate that the call itself has passed. What could not be
 * reached anyway nobody is asked about; a yes is cut down by every layer of the ceiling, and holds for public addresses.
 */
async function amend(
  place: Place,
  signal: AbortSignal,
  asking: Asking,
  amendments: Amendment[],
): Promise<Amended> {
  const { shared, gate, call, standing, trail } = asking;
  const network = amendedNetwork(place, standing);
  const why = whyNever(place, network, standing);
  if (why !== null) return { kind: "refused", because: "unlisted", reason: why };
  const { agent, callId } = call;
  const passage = await gate.pass(
    { callId, tool: NETWORK_TOOL, agent, groupId: null },
    async (edited) => {
      if (edited !== undefined) throw notEdited();
      return hostQuestion(place, network, asking, await shared.broker.grants(call.sessionId));
    },
    { signal, approvalId: null, trail, call: null },
  );
  if (passage.kind !== "permitted")
    return {
      kind: "refused",
      because: "answered-no",
      reason: `\`${printTarget(place)}\` is not listed: ${passage.reason}`,
    };
  await gate.run(passage, async () => {
    const by = passage.by ?? passage.asked.verdict.reason;
    trail.record({ type: "network.amended", ...place, by });
    amendments.push({ ...place, by });
    return { kind: "done" };
  });
  return { kind: "granted", network };
}

/** The program waits for this very host: nothing else can be put in its place. */
function notEdited(): CofferdamError {
  return new CofferdamError(
    "USAGE",
    "another host can't be put in the place of the one that is asked about",
    {
      hint: "say yes or no; other hosts are listed in the config",
    },
  );
}

/** What a yes would let be reached: the host as it is named, minus what anybody never lets be. */
function amendedNetwork({ host, port }: Place, { settings, ceiling }: Standing): Network {
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

function whyNever(place: Place, network: Network, { ceiling }: Standing): string | null {
  const above = whyAboveCeiling(place, ceiling.layers) ?? whyNeverUnlisted(place);
  if (above !== null) return above;
  return reachesName(network, place.host, place.port)
    ? null
    : `\`${printTarget(place)}\` is never reached, as configured`;
}

function hostQuestion(
  place: Place,
  network: Network,
  { call, standing, granted }: Asking,
  grants: readonly Grant[],
): Question {
  const { config, ceiling, mode } = standing;
  const script = scriptOf(call.input);
  const args: Json = { host: place.host, port: place.port };
  const shown: Json = { ...args, call: script ?? [...wordsOf(call.input)] };
  const target = printTarget(place);
  const program = redactText(script === null ? wordsOf(call.input)[0] : "a script", MOST_NAMED).text;
  const reason = `${target} is not among the hosts that commands may reach`;
  const judged = judge(
    {
      ...invocationOf(NETWORK_TOOL, args, call.agent),
      risk: "write",
      said: { hit: { layer: "tool", rule: "network", action: "ask", reason }, doubt: null },
      line: null,
      needsMore: null,
    },
    { operator: ceiling.approval, approval: config.approval },
  );
  const grantKey = {
    cacheKey: cacheKeyOf(NETWORK_TOOL, args),
    toolVersion: "1",
    program: null,
    granted: null,
  };
  const isRemembered = ceiling.approval.sessionGrants && mode === "interactive";
  const remembered = answerByGrant(judged, isRemembered ? findGrant(grants, grantKey) : null);
  return {
    // Who typed a command has not said where it may connect.
    verdict: answerByMode(remembered, mode, false),
    argsHash: argsHashOf({ tool: NETWORK_TOOL, version: "1", input: args, agent: call.agent }),
    grantKey,
    groupId: null,
    show: () => ({
      risk: "write",
      description: `let ${program} connect to ${target}`,
      ...redact(shown),
      covers: `connections of commands to ${target}, ${wayWords(place, network, standing)}`,
      granted: reachedAfter(target, granted, standing),
    }),
    present: async () => {
      const { presentStructured } = await import("../approval/present.ts");
      return presentStructured(redact(shown).safeArgs);
    },
  };
}

/** Where a yes lets the host be found: by a proxy nobody here sees its address. */
function wayWords(place: Place, network: Network, { settings }: Standing): string {
  const proxy = proxyFor(settings.upstream ?? null, network, place, place.port === 80);
  return proxy === null ? "at its public addresses" : `wherever the proxy ${proxy.url} finds it`;
}

/** What the call has, and what a yes would add to that. */
function reachedAfter(target: string, granted: Granted, { settings }: Standing): GrantedView {
  const view = grantedView(granted, settings);
  const isNothing = granted.profile.network === "none";
  return { ...view, network: isNothing ? target : `${view.network}, and ${target}` };
}

/** So much of a program's name stands in the question. */
const MOST_NAMED = 100;
