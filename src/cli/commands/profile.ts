import { columns } from "../../channel/columns.ts";
import { loadConfig } from "../../config/load.ts";
import { CofferdamError } from "../../errors.ts";
import { type Host, thisHost } from "../../host/look/host.ts";
import { COMMON, chosen, knownWord, parseWords, readArguments } from "../arguments.ts";
import { reportFailure } from "../failure.ts";
import { listProfiles } from "../operator-profiles.ts";
import type { Print } from "../print.ts";
import { diffProfiles } from "../profile-diff.ts";
import { FORMATS, showProfile } from "../profile-show.ts";

const ACTIONS = ["show", "diff", "list"] as const;
const OPTIONS = { ...COMMON, format: { type: "string" }, "fail-if-wider": { type: "boolean" } } as const;

/** Shows, compares or lists profiles. */
export async function profile(args: readonly string[], print: Print): Promise<number> {
  const { values, positionals } = readArguments("profile", args, OPTIONS);
  parseWords("profile", positionals.slice(0, 1), ["show|diff|list"]);
  const [word = "", ...names] = positionals;
  const action = knownWord("profile", "action", word, ACTIONS);
  const host = thisHost();
  const json = values.json === true;
  switch (action) {
    case "show": {
      parseWords("profile", names, ["NAME|FILE"], 0);
      const format = knownWord("profile", "format", values.format ?? (json ? "json" : "text"), FORMATS);
      return showProfile(host, { ...chosen(values), name: names[0] ?? null, format }, print);
    }
    case "diff":
      parseWords("profile", names, ["A", "B"], names.length === 0 ? 0 : 2);
      return diffProfiles(
        host,
        { ...chosen(values), names, json, failIfWider: values["fail-if-wider"] === true },
        print,
      );
    case "list":
      parseWords("profile", names, []);
      return list(host, chosen(values), json, print);
  }
}

/** The profiles in force depend on a config. If that cannot be loaded, profiles are still listed. */
function list(host: Host, choice: ReturnType<typeof chosen>, json: boolean, print: Print): number {
  const loaded = loadOrTell(host, choice, print);
  const found = listProfiles(host, loaded);
  if (json) print.json({ profiles: found });
  else {
    const rows = found.map((one) => [one.isInForce ? "*" : "", one.name, one.from, one.description]);
    for (const line of columns(rows, [print.ink.good, print.ink.bold, print.ink.dim])) print.result(line);
    if (loaded !== null) print.talk(print.talkInk.dim("profiles marked * apply here"));
  }
  return 0;
}

function loadOrTell(host: Host, choice: ReturnType<typeof chosen>, print: Print) {
  try {
    return loadConfig(host, choice);
  } catch (error) {
    if (!(error instanceof CofferdamError)) throw error;
    reportFailure(print, error);
    return null;
  }
}
