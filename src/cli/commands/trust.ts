import { columns } from "../../channel/columns.ts";
import { askOnTerminal } from "../../channel/yes-or-no.ts";
import type { Finding } from "../../config/finding.ts";
import { listTrust, rememberTrust, revokeTrust, type TrustOffer, trustFile } from "../../config/trust.ts";
import { CofferdamError, ERRORS, escapeInvisible, visible } from "../../errors.ts";
import { type Host, thisHost } from "../../host/host.ts";
import { createDraft } from "../../supervisor/draft.ts";
import { readArguments, takeWords, usage } from "../arguments.ts";
import { listenForEnding } from "../ending.ts";
import { tellFailure, tellThree } from "../failure.ts";
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

/** Shows what a config would grant and remembers it when a person, or `--yes`, says so. */
export async function trust(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("trust", args, OPTIONS);
  takeWords("trust", positionals, ["FILE"], 0);
  const { json = false, list = false, revoke, yes = false } = values;
  const [file] = positionals;
  if ([list, revoke !== undefined, file !== undefined].filter(Boolean).length > 1)
    throw usage("trust", "a file, `--list` and `--revoke` are three different things", "ask for one of them");
  const host = thisHost();
  if (list) return showList(host, json, print);
  if (revoke !== undefined) return forget(host, revoke, json, print);
  const offer = trustFile(host, file);
  const found = await findingsOf(host, offer);
  if (offer.before.trusted || yes) return remember(host, offer, found, json, print);
  if (json) return refuse(host, offer, found, "JSON has nobody to ask", json, print);
  show(host, offer, found, print);
  print.result();
  using ending = listenForEnding();
  const answer = await askOnTerminal("", "cofferdam: trust it?", ending.signal);
  const ended = ending.status();
  if (ended !== null) return ended;
  if (answer === null) return refuse(host, offer, found, "there is no terminal to ask on", json, print);
  return answer ? keep(host, offer, print) : refuse(host, offer, found, "the answer was no", json, print);
}

/** What `check` would say of it, once it is trusted. What can't be found out here keeps nobody from trusting it. */
async function findingsOf(host: Host, offer: TrustOffer): Promise<readonly Finding[]> {
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
  found: readonly Finding[],
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
  print.result(print.ink.good("it is trusted already, as it is"));
  return 0;
}

function keep(host: Host, offer: TrustOffer, print: Print): number {
  rememberTrust(host, offer);
  print.result(`${print.ink.good("trusted")}: it applies from now on, until anything of it changes`);
  return 0;
}

function refuse(
  host: Host,
  offer: TrustOffer,
  found: readonly Finding[],
  why: string,
  json: boolean,
  print: Print,
): number {
  if (json) print.json(offerJson(host, offer, found, false));
  tellThree(
    print,
    `${visible(offer.path)} is not trusted: ${why}`,
    null,
    "read what it grants, then run `cofferdam trust --yes`",
  );
  return ERRORS.DENIED.exit;
}

function show(host: Host, offer: TrustOffer, found: readonly Finding[], print: Print): void {
  const { ink } = print;
  const wider = widerLines(offer);
  for (const line of wider) print.result(ink.warn(escapeInvisible(line)));
  if (wider.length > 0) print.result();
  print.result(`${ink.bold(visible(offer.path))} grants`);
  for (const line of columns(
    grantedRows(host, offer.loaded).map((row) => ["", ...row]),
    [undefined, ink.dim],
  ))
    print.result(line);
  for (const finding of found) showFinding(finding, host.cwd, print);
}

function offerJson(
  host: Host,
  { path, before, wider, changed, loaded }: TrustOffer,
  findings: readonly Finding[],
  trusted: boolean,
): unknown {
  const grants = Object.fromEntries(
    Object.entries(Object.groupBy(grantedRows(host, loaded), ([name = ""]) => name)).map(([name, rows]) => [
      name,
      (rows ?? []).map(([, ...rest]) => rest),
    ]),
  );
  return { path, trusted, before, wider, changed, grants, findings };
}

function showList(host: Host, json: boolean, print: Print): number {
  const { configs, problem } = listTrust(host);
  if (problem !== null && configs.length === 0) return tellFailure(print, problem, json);
  if (json) print.json({ configs, problem: problem?.message ?? null });
  else if (configs.length === 0) print.talk("cofferdam: nothing is trusted yet");
  else {
    const rows = configs.map(({ path, at, check }) => [
      path,
      new Date(at).toISOString().slice(0, 16).replace("T", " "),
      check.trusted ? "" : check.reason,
    ]);
    for (const line of columns(rows, [undefined, print.ink.dim, print.ink.warn])) print.result(line);
  }
  return problem === null ? 0 : tellFailure(print, problem);
}

function forget(host: Host, file: string, json: boolean, print: Print): number {
  const wasTrusted = revokeTrust(host, file);
  if (json) print.json({ revoked: wasTrusted });
  else if (wasTrusted) print.result(`${visible(file)} is forgotten`);
  if (!wasTrusted)
    tellThree(
      print,
      `${visible(file)} was not trusted`,
      null,
      "run `cofferdam trust --list` for those that are",
    );
  return wasTrusted ? 0 : ERRORS.USAGE.exit;
}
