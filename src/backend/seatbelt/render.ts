import type { AbsolutePath } from "../../profile/path.ts";
import { literalPrefix } from "../../profile/pattern.ts";
import { type Mask, normalProfile, type Profile } from "../../profile/profile.ts";
import type { ProgramStart } from "../../tool/launch.ts";
import type { Facts } from "../facts.ts";
import { type Approximation, approximationOf, type Limit, type PlanClause, type Rendering } from "../plan.ts";
import { isProxied, proxyWay } from "../proxy-way.ts";
import { withinSearch } from "../search-bound.ts";
import { START_NAME } from "../start-program-name.ts";
import { portsIn } from "../way-in.ts";
import { approximationsOf, type SeatbeltApproximationName } from "./approximations.ts";
import type { Shape } from "./area.ts";
import { baseSections, passedAlways, READ, TYPING } from "./base.ts";
import { overBudget } from "./budget.ts";
import { enforcementReport } from "./enforcement.ts";
import { everyRule, type FileRule, type FileRules, fileRules, rootsOf } from "./file-rules.ts";
import { groupSections } from "./groups.ts";
import { masksBehindLinks } from "./links.ts";
import { networkSections, portSections, socketSections } from "./network-rules.ts";
import { parametrise } from "./parameters.ts";
import { NO_MAC, refusedProfile } from "./refusals.ts";
import { assertAgrees } from "./replay.ts";
import { anyOf, type Filter, printFilter, printProfile, type Section } from "./sbpl.ts";
import { masksOfFolders, masksOfSpellings } from "./spellings.ts";
import { startScript, TAG_MARK } from "./start-program.ts";
import { coveringFilters, givenFilters, mainOperation, OWN_FILTERS, translate } from "./translate.ts";

/**
 * The `sandbox-exec` launch: base, groups, network and sockets, files, and a repetition of permanent denies. A profile
 * that cannot be enforced is a refusal; a looser rendering is an internal error.
 */
export function renderSeatbelt(given: Profile, launch: ProgramStart, facts: Facts): Rendering {
  const { mac } = facts;
  const refusal = mac === null ? NO_MAC : refusedProfile(given, launch, facts, mac);
  if (refusal !== null || mac === null) return { kind: "refusal", refusal: refusal ?? NO_MAC };
  const searched = withinSearch(given, facts);
  if ("reason" in searched) return { kind: "refusal", refusal: searched };
  const spellings = masksOfSpellings(searched.profile, { ...facts, mac });
  const named = withMasks(searched.profile, [...spellings.masks, ...masksOfFolders(searched.profile, facts)]);
  const links = masksBehindLinks(named, facts);
  if ("reason" in links) return { kind: "refusal", refusal: links };
  const profile = withMasks(named, links.masks);
  const hasGiven = (launch.given ?? []).length > 0;
  const about = { ...facts, mac, hops: hopsTo(profile, facts), hasGiven };
  const files = fileRules(profile, about);
  const port = isProxied(profile, launch) ? mac.proxyPort : null;
  const { sections, parameters } = parametrise([
    ...baseSections(profile),
    ...groupSections(profile),
    ...networkSections(port, profile),
    ...portSections(profile),
    ...socketSections(profile),
    ...fileSections(files, passedAlways(profile.masks)),
    ...(hasGiven ? [GIVEN_SECTION] : []),
    ...NEVER,
  ]);
  const pinned = approximationsOf(profile, facts, files.pins);
  const found = [...searched.limits, ...spellings.limits, ...links.limits];
  const approximations = [...found.map(approximationOf), ...pinned];
  const limits = [...found, ...pinned.flatMap(limitOfMissing)];
  const over = overBudget(sections, parameters);
  if (over !== null) return { kind: "refusal", refusal: over };
  assertAgrees(profile, about, files);
  const proxy = port === null ? null : proxyWay(profile, port);
  return {
    kind: "plan",
    plan: {
      backend: "seatbelt",
      version: facts.launcher.version,
      file: facts.launcher.path,
      argv: [facts.launcher.shell, "-c", startScript(profile.limits, proxy), START_NAME, ...launch.argv],
      kind: "rules",
      rules: { text: printProfile(sections, TAG_MARK), parameters },
      environment: launch.env,
      cwd: launch.cwd,
      given: launch.given ?? [],
      atHome: launch.atHome ?? [],
      inputs: [],
      placeholders: [],
      clauses: everyRule(files).flatMap((rule) => clausesOf(rule, rootsOf(files, rule))),
      approximations,
      limits,
      fixed: files.pins,
      enforcement: enforcementReport(profile, facts, approximations),
      proxy,
      ports: portsIn(profile),
      tree: null,
    },
  };
}

function limitOfMissing({ name, path, reason }: Approximation): readonly Limit[] {
  if (name !== ("missing-folder" satisfies SeatbeltApproximationName)) return [];
  const remedy = `make the folder ${path} yourself outside the sandbox`;
  return [{ name, path, reason, atMost: "read", except: null, remedy }];
}

function withMasks(profile: Profile, more: readonly Mask[]): Profile {
  return normalProfile({ ...profile, masks: [...profile.masks, ...more] });
}

function fileSections(files: FileRules, passed: readonly AbsolutePath[]): readonly Section[] {
  const section = (about: string, rules: readonly FileRule[]): Section => ({
    about: [about],
    rules: rules.flatMap((rule) => translate(rule, rootsOf(files, rule))),
  });
  return [
    section("Files: what can be read, listed and run.", files.reading),
    {
      about: ["Folders and links on the way there, which can be passed and looked at."],
      rules: files.passing.flatMap((rule) => translate(withoutNodes(rule, passed), rootsOf(files, rule))),
    },
    section(
      "Files: what can be changed, made and removed; of folders that must stay, the content.",
      files.writing,
    ),
    section("Never read: once more, what the rules above leave out.", files.neverRead),
    section("Never changed: once more, what the rules above leave out.", files.neverWritten),
    section("Never moved, made or removed: what holds a root, or something protected.", files.neverMoved),
  ];
}

function withoutNodes(rule: FileRule, nodes: readonly AbsolutePath[]): FileRule {
  const within = rule.area.within.filter((shape) => shape.kind !== "node" || !nodes.includes(shape.path));
  return { ...rule, area: { ...rule.area, within } };
}

/** Other names of folders: by links at the top and, for folders joined to it, by the data volume. */
const ALIASES: Filter = {
  kind: "regex",
  text: "^/(etc|home|tmp|var|System/Volumes/Data/(Applications|Library|Users|Volumes|cores|opt|private|usr))/",
};

const NEVER: readonly Section[] = [
  {
    about: ["Never by another name: the kernel asks about what a link leads to, so nothing is given here."],
    rules: [
      {
        action: "deny",
        operations: [...READ, "process-exec", "process-exec*"],
        filter: ALIASES,
        isTold: true,
      },
      {
        action: "deny",
        operations: ["file-write*", "file-write-create", "file-write-data", "file-write-unlink"],
        filter: ALIASES,
        isTold: true,
      },
    ],
  },
  {
    about: ["Never: typing into a terminal, and the words and variables of other processes."],
    rules: [
      {
        action: "deny",
        operations: ["file-ioctl"],
        filter: { kind: "ioctl-command", word: TYPING },
        isTold: true,
      },
      {
        action: "deny",
        operations: ["sysctl-read"],
        filter: {
          kind: "require-any",
          of: [
            { kind: "sysctl-name", text: "kern.procargs" },
            { kind: "sysctl-name", text: "kern.procargs2" },
          ],
        },
        isTold: true,
      },
    ],
  },
];

/** The program that is given by its bytes: it lies in the call's own folder. */
const GIVEN_SECTION: Section = {
  about: ["The program that is handed over, by its bytes."],
  rules: [
    {
      action: "allow",
      operations: READ,
      filter: anyOf(OWN_FILTERS.given),
    },
  ],
};

function hopsTo(profile: Profile, { links }: Facts): readonly AbsolutePath[] {
  return profile.files.some(({ access }) => access !== "none") ? links.map(({ path }) => path) : [];
}

function clausesOf({ action, right, area }: FileRule, roots: readonly AbsolutePath[]): readonly PlanClause[] {
  return area.within.flatMap((shape) => {
    const path = startOf(shape);
    if (path === null) return [];
    const filters = action === "allow" ? givenFilters(shape) : coveringFilters([shape], roots);
    const text = filters.map((one) => printFilter(one)).join(" ");
    return [{ path, args: [`(${action} ${mainOperation(right)} ${text})`] }];
  });
}

function startOf(shape: Shape): AbsolutePath | null {
  if (shape.kind === "own") return null;
  return shape.kind === "match" ? literalPrefix(shape.pattern) : shape.path;
}
