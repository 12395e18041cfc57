import { columns } from "../../channel/columns.ts";
import { confirmAtTerminal } from "../../channel/confirm-at-terminal.ts";
import type { ConfigFinding } from "../../config/finding.ts";
import {
  type ConfigUser,
  configUsers,
  listTrust,
  rememberTrust,
  revokeTrust,
  type TrustOffer,
  trustFile,
} from "../../config/trust.ts";
import { CofferdamError, ERRORS, escapeInvisible, visible } from "../../errors.ts";
import { type Host, thisHost } from "../../host/look/host.ts";
import { createDraft } from "../../session/draft.ts";
import { parseWords, readArguments, usage } from "../arguments.ts";
import { listenForEnding } from "../ending.ts";
import { reportFailure, reportThree } from "../failure.ts";
import { lookAtConfig, showFinding } from "../findings.ts";
import { grantedRows, widerLines } from "../offer-text.ts";
import type { Print } from "../print.ts";

const OPTIONS = {
  json: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  yes: { type: "boolean" },
  list: { type: "boolean" },
  revoke: { type: "string" },
} as const;

/** Shows the access of a config, and remembers it as trusted if a person or `--yes` confirms. */
export async function trust(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("trust", args, OPTIONS);
  parseWords("trust", positionals, ["FILE"], 0);
  const { json = false, list = false, revoke, yes = false } = values;
  const [file] = positionals;
  if ([list, revoke !== undefined, file !== undefined].filter(Boolean).length > 1)
    throw usage("trust", "FILE, `--list` and `--revoke` cannot be combined", "use one of them");
  const host = thisHost();
  if (list) return showList(host, json, print);
  if (revoke !== undefined) return forget(host, revoke, json, print);
  const offer = trustFile(host, file);
  const found = await findingsOf(host, offer);
  if (offer.before.trusted || yes) return remember(host, offer, found, json, print);
  if (json) return refuse(host, offer, found, "`--json` cannot ask", json, print);
  show(host, offer, found, print);
  print.result();
  using ending = listenForEnding();
  const answer = await confirmAtTerminal("", "cofferdam: trust this config?", ending.signal);
  const ended = ending.status();
  if (ended !== null) return ended;
  if (answer === null) return refuse(host, offer, found, "no terminal to ask on", json, print);
  return answer ? keep(host, offer, print) : refuse(host, offer, found, "the answer was no", json, print);
}

/** The findings of `check` for the config after trusting it. A failure here does not prevent trusting it. */
async function findingsOf(host: Host, offer: TrustOffer): Promise<readonly ConfigFinding[]> {
  try {
    return (await lookAtConfig(createDraft({ host, config: offer.path }))).found;
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    const { message, at = null, hint = "run `cofferdam check`" } = error;
    return [{ severity: "error", message, hint, at }];
  }
}

function remember(
  host: Host,
  offer: TrustOffer,
  found: readonly ConfigFinding[],
  json: boolean,
  print: Print,
): number {
  const isNew = !offer.before.trusted;
  if (json) {
    if (isNew) rememberTrust(host, offer);
    print.json(offerJson(host, offer, found, true));
    return 0;
  }
  show(host, offer, found, print);
  print.result();
  if (isNew) return keep(host, offer, print);
  print.result(print.ink.good("already trusted"));
  return 0;
}

function keep(host: Host, offer: TrustOffer, print: Print): number {
  rememberTrust(host, offer);
  print.result(`${print.ink.good("trusted")} (any change requires trusting it again)`);
  const others = configUsers(host, offer.path).filter(({ isCurrent }) => !isCurrent);
  if (others.length > 0)
    print.result(`${processes(others, "takes it over", "take it over")} before the next call`);
  return 0;
}

function refuse(
  host: Host,
  offer: TrustOffer,
  found: readonly ConfigFinding[],
  why: string,
  json: boolean,
  print: Print,
): number {
  if (json) print.json(offerJson(host, offer, found, false));
  reportThree(
    print,
    `${visible(offer.path)} is not trusted: ${why}`,
    null,
    "review it, then run `cofferdam trust --yes`",
  );
  return ERRORS.DENIED.exit;
}

function show(host: Host, offer: TrustOffer, found: readonly ConfigFinding[], print: Print): void {
  const { ink } = print;
  const wider = widerLines(offer);
  for (const line of wider) print.result(ink.warn(escapeInvisible(line)));
  if (wider.length > 0) print.result();
  print.result(`${ink.bold(visible(offer.path))} allows`);
  for (const line of columns(
    grantedRows(host, offer.loaded).map(([name, words]) => ["", LABELS.get(name) ?? name, words]),
    [undefined, ink.dim],
  ))
    print.result(line);
  for (const finding of found) showFinding(finding, host.cwd, print);
}

/** Labels for people that differ from the key in JSON. */
const LABELS: ReadonlyMap<string, string> = new Map([
  ["read too", "also reads"],
  ["pages", "web pages"],
  ["unasked", "no approval"],
  ["ceiling", "profiles"],
]);

function offerJson(
  host: Host,
  { path, before, wider, changed, rules, loaded }: TrustOffer,
  findings: readonly ConfigFinding[],
  trusted: boolean,
): unknown {
  const grants = Object.fromEntries(
    Object.entries(Object.groupBy(grantedRows(host, loaded), ([name]) => name)).map(([name, rows]) => [
      name,
      (rows ?? []).map(([, ...rest]) => rest),
    ]),
  );
  return { path, trusted, before, wider, changed, rules, grants, findings };
}

function showList(host: Host, json: boolean, print: Print): number {
  const { configs, problem } = listTrust(host);
  if (problem !== null && configs.length === 0) return reportFailure(print, problem, json);
  if (json) print.json({ configs, problem: problem?.message ?? null });
  else if (configs.length === 0) print.talk("cofferdam: no config is trusted yet");
  else {
    const rows = configs.flatMap(({ path, at, check, processes: users }) => [
      [path, minute(at), check.trusted ? "" : check.reason],
      ...users.map((user) => [`  process ${user.pid}`, minute(user.at), stateOf(user)]),
    ]);
    for (const line of columns(rows, [undefined, print.ink.dim, print.ink.warn])) print.result(line);
  }
  return problem === null ? 0 : reportFailure(print, problem);
}

function forget(host: Host, file: string, json: boolean, print: Print): number {
  const before = listTrust(host).configs;
  const wasTrusted = revokeTrust(host, file);
  const left = new Set(listTrust(host).configs.map(({ path }) => path));
  const users = before.flatMap(({ path, processes: own }) => (left.has(path) ? [] : own));
  if (json) print.json({ revoked: wasTrusted, processes: users.map(({ pid }) => pid) });
  else if (wasTrusted) {
    print.result(`${visible(file)} is no longer trusted`);
    if (users.length > 0)
      print.result(`${processes(users, "stops", "stop")} what runs there within a second`);
  }
  if (!wasTrusted)
    reportThree(
      print,
      `${visible(file)} was not trusted`,
      null,
      "run `cofferdam trust --list` to see trusted configs",
    );
  return wasTrusted ? 0 : ERRORS.USAGE.exit;
}

function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}

/** The state of a process that runs by a config. */
function stateOf({ effect, isCurrent }: ConfigUser): string {
  if (effect === "stopped") return "runs no call";
  if (effect === "restricted") return "runs by an earlier state of it, restricted by the changes";
  return isCurrent ? "" : "runs by an earlier state of it until its next call";
}

function processes(users: readonly ConfigUser[], one: string, many: string): string {
  const pids = users.map(({ pid }) => pid).join(", ");
  return users.length === 1 ? `process ${pids} ${one}` : `processes ${pids} ${many}`;
}
