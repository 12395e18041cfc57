import { type AbsolutePath, isInside, knownPath } from "../../profile/path.ts";
import { literalPrefix } from "../../profile/pattern.ts";
import type { Profile } from "../../profile/profile.ts";
import type { Launch } from "../../tool/launch.ts";
import type { Facts } from "../facts.ts";
import type { PlanClause, Refusal, Rendering } from "../plan.ts";
import { withinSearch } from "../search-bound.ts";
import { approximationsOf } from "./approximations.ts";
import type { Shape } from "./area.ts";
import { baseRules } from "./base.ts";
import { overBudget } from "./budget.ts";
import { fileRules } from "./file-rules.ts";
import { linkOn, masksBehindLinks } from "./links.ts";
import { assertAgrees } from "./replay.ts";
import { printRule, printRules } from "./sbpl.ts";
import { standings } from "./standings.ts";
import { translate } from "./translate.ts";

/** Never looked up in PATH: a planted one would run with our rights. */
const SANDBOX_EXEC = knownPath("/usr/bin/sandbox-exec");

/** Places that all programs of a machine share, or that give the whole disk a second name. */
const SHARED_PLACES = [
  "/dev",
  "/private/tmp",
  "/private/var/run",
  "/private/var/tmp",
  "/System/Volumes/Data",
].map(knownPath);

/**
 * The `sandbox-exec` command that enforces the profile. Its text has the base first, then the rules on files, then
 * nothing: no network rule means no network. A profile that can't be enforced is a refusal; a rendering that would be
 * looser is an internal error. No gate waits inside yet, so a host must refuse to run the plan.
 */
export function renderSeatbelt(given: Profile, launch: Launch, facts: Facts): Rendering {
  const refusal = refusedNetwork(given) ?? refusedEntry(given, facts);
  if (refusal !== null) return { kind: "refusal", refusal };
  const searched = withinSearch(given, facts);
  if ("reason" in searched) return { kind: "refusal", refusal: searched };
  const links = masksBehindLinks(searched.profile, facts);
  if ("reason" in links) return { kind: "refusal", refusal: links };
  const profile = { ...searched.profile, masks: [...searched.profile.masks, ...links.masks] };
  const files = fileRules(profile, facts);
  const base = baseRules(profile.masks);
  const rules = files.rules.map(translate);
  const over = overBudget([...base, ...rules]);
  if (over !== null) return { kind: "refusal", refusal: over };
  assertAgrees(profile, facts, files);
  return {
    kind: "plan",
    plan: {
      backend: "seatbelt",
      version: facts.launcher.version,
      file: SANDBOX_EXEC,
      argv: ["-p", printRules([...base, ...rules]).join("\n"), "--", ...launch.argv],
      inputs: [],
      gateFd: null,
      sizesFd: null,
      expects: null,
      placeholders: [],
      clauses: files.rules.map(
        (rule): PlanClause => ({ path: startOf(rule.area.within), args: [printRule(translate(rule))] }),
      ),
      approximations: [
        ...searched.approximations,
        ...links.approximations,
        ...approximationsOf(profile, facts, files.pins),
      ],
      standings: standings(profile),
      tree: null,
    },
  };
}

function refusedNetwork({ network }: Profile): Refusal | null {
  if (network === "none") return null;
  const reason =
    network === "host"
      ? "the machine's own network brings name resolution and other services along, which no rule here allows yet"
      : "hosts need the egress proxy: the kernel's rules know no names or addresses but `localhost`";
  return { field: "network", reason, remedy: "use `network: false`" };
}

/** A granted path must be what the kernel calls it, and no place that others share. */
function refusedEntry({ files }: Profile, facts: Facts): Refusal | null {
  for (const { path, access } of files) {
    const on = linkOn(facts, path);
    if (on !== null) {
      const reason = `${path} goes through the symlink ${on.link}, where no rule would match`;
      return {
        field: "files",
        reason,
        remedy: on.leadsTo === null ? `make ${on.link} lead somewhere` : `write ${on.leadsTo}`,
      };
    }
    if (
      access !== "none" &&
      SHARED_PLACES.some((place) => isInside(place, path) || (place === "/dev" && isInside(path, place)))
    ) {
      const reason = `${path} is, or holds, a place that all programs share`;
      return { field: "files", reason, remedy: "grant the folders below it that are needed" };
    }
  }
  return null;
}

function startOf(shape: Shape): AbsolutePath {
  return shape.kind === "match" ? literalPrefix(shape.pattern) : shape.path;
}
