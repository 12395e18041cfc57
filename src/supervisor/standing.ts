import type { Backend } from "../backend/backend.ts";
import type { Facts } from "../backend/facts.ts";
import { COPY, heldLayer } from "../backend/held.ts";
import { limitLayer } from "../backend/limits.ts";
import type { Plan } from "../backend/plan.ts";
import { repositoryLayer } from "../backend/repositories.ts";
import type { Ceiling, Config } from "../config/config.ts";
import type { Mode } from "../policy/action.ts";
import { digest, type ProfileDigest } from "../profile/canonical.ts";
import type { Layer } from "../profile/explain.ts";
import { intersect } from "../profile/intersect.ts";
import { INSTALLATION_LAYER, REPOSITORY_LAYER } from "../profile/own-layers.ts";
import type { AbsolutePath } from "../profile/path.ts";
import { meetPorts, normalPorts, printPorts } from "../profile/ports.ts";
import type { Profile } from "../profile/profile.ts";
import { type Shortfall, shortfall } from "../profile/shortfall.ts";
import {
  deriveFileNeeds,
  deriveShellNeeds,
  type FileWork,
  type Needs,
  type ToolSettings,
} from "../tool/derive.ts";
import { settingsFor, type ToolNeeds } from "../tool/program-tool.ts";

/**
 * What a tool's calls are granted: the profile, and what is missing of what they need. The digest is that of what config
 * and operators grant; `standingIn` takes away from the profile what was found besides.
 */
export interface Granted {
  readonly profile: Profile;
  readonly digest: ProfileDigest;
  readonly shortfall: readonly Shortfall[];
}

/** Everything that decides about calls besides the call: made once, by `standingFor`. */
export interface Standing {
  readonly backend: Backend;
  readonly settings: ToolSettings;
  readonly config: Pick<Config, "approval" | "sandbox" | "shell" | "roots" | "workspace">;
  readonly ceiling: Ceiling;
  readonly mode: Mode;
  /** Typing a command is no yes to it: the caller is asked as well. */
  readonly asksCaller: boolean;
  readonly needs: Needs;
  readonly unasked: Granted;
  readonly onYes: Granted;
  /** What tools on files get. */
  readonly files: Readonly<Record<FileWork, FileStanding>>;
}

/** What one kind of tools needs, and what is left of it under the ceiling. */
export interface FileStanding {
  readonly needs: Needs;
  readonly unasked: Granted;
  readonly onYes: Granted;
  /** What its sandbox keeps where it is, whatever may be written there; nothing before that is known. */
  readonly fixed?: readonly AbsolutePath[];
}

/** Derives what the tools need and cuts it down by the ceiling: what all calls of a supervisor have in common. */
export function standingFor(given: Omit<Standing, keyof FileStanding | "files">): Standing {
  const { settings, ceiling } = given;
  return {
    ...given,
    ...cutDown(deriveShellNeeds(settings), ceiling),
    files: {
      reading: cutDown(deriveFileNeeds(settings, "reading"), ceiling),
      writing: cutDown(deriveFileNeeds(settings, "writing"), ceiling),
    },
  };
}

/** The same for calls of a program that needs less than the shell. Throws `USAGE` for a root that there is not. */
export function standingForTool(standing: Standing, needs: ToolNeeds): Standing {
  const settings = settingsFor(standing.settings, needs);
  return { ...standing, settings, ...cutDown(deriveShellNeeds(settings), standing.ceiling) };
}

function cutDown(needs: Needs, ceiling: Ceiling): FileStanding {
  const granted = (need: Profile): Granted => {
    const profile = intersect(need, ceiling.profile);
    return { profile, digest: digest(profile), shortfall: shortfall(need, profile) };
  };
  return { needs, unasked: granted(needs.unasked), onYes: granted(needs.onYes) };
}

/** The same for one call, as the narrowed profiles of all calls that ask for the same ports. */
const withPorts = new WeakMap<Profile, Map<string, Profile>>();

/**
 * What one call is granted: of the ports that may be open, those that it asks for. What two calls ask for is one value, as
 * long as anyone has the profile that it is cut from.
 */
export function grantedFor(granted: Granted, asked: readonly number[]): Granted {
  const { profile } = granted;
  const ports = meetPorts(profile.ports, normalPorts(asked));
  if (printPorts(ports) === printPorts(profile.ports)) return granted;
  const known = withPorts.get(profile) ?? new Map<string, Profile>();
  withPorts.set(profile, known);
  const cut = known.get(printPorts(ports)) ?? { ...profile, ports };
  known.set(printPorts(ports), cut);
  return { ...granted, profile: cut };
}

/** True where somebody may be asked about hosts that are not listed, and a yes could let some be reached. */
export function asksForHosts({
  settings,
  ceiling,
  mode,
}: Pick<Standing, "settings" | "ceiling" | "mode">): boolean {
  const { network } = settings.shell;
  if (typeof network !== "object" || network.ask !== "unlisted" || mode === "strict") return false;
  return ceiling.layers.every(({ profile }) => profile.network !== "none");
}

/** Paths that no file of an operator's names, and that layers of ours hold read-only. */
export function heldPaths(layers: readonly Layer[]): readonly AbsolutePath[] {
  return layers
    .filter(({ name }) => name === REPOSITORY_LAYER || name === INSTALLATION_LAYER)
    .flatMap(({ profile: { files, masks } }) => [
      ...files.flatMap(({ path, access }) => (access === "read" ? [path] : [])),
      ...masks.flatMap(({ pattern }) => pattern.literal ?? []),
    ]);
}

/**
 * The same where these repositories and copies of the product are: more layers of the ceiling keep what git would obey in the first, and
 * what programs would load of the others, from being changed. Like every layer it only takes away. The same facts give the same value.
 */
export function standingIn(standing: Standing, facts: Facts): Standing {
  const known = standingsIn.get(facts) ?? new WeakMap<Standing, Standing>();
  standingsIn.set(facts, known);
  const before = known.get(standing);
  if (before !== undefined) return before;
  const made = foundIn(facts).reduce((cut, layer) => cutBy(cut, layer, "first"), standing);
  known.set(standing, made);
  return made;
}

/** What holds besides because of what was found in roots: the first layer is told first. */
export function foundIn({ copies, repositories }: Pick<Facts, "copies" | "repositories">): readonly Layer[] {
  const obeyed = repositoryLayer(repositories);
  return [
    ...(copies.length === 0 ? [] : [heldLayer(copies.map((one) => ({ ...one, what: COPY })))]),
    ...(obeyed.profile.masks.length === 0 ? [] : [obeyed]),
  ];
}

/** Facts and standings are values: what follows from both holds for as long as anyone has them. */
const standingsIn = new WeakMap<Facts, WeakMap<Standing, Standing>>();

/** The same for tools on files that write, where their sandbox has these limits and keeps these paths where they are. */
export function standingWithin(
  standing: Standing,
  { limits, fixed }: Pick<Plan, "limits" | "fixed">,
): Standing {
  const cut = limits.length === 0 ? standing : cutBy(standing, limitLayer(limits), "last");
  return { ...cut, files: { ...cut.files, writing: { ...cut.files.writing, fixed } } };
}

function cutBy(standing: Standing, layer: Layer, place: "first" | "last"): Standing {
  const { profile } = layer;
  const { ceiling } = standing;
  const cut = (granted: Granted): Granted => ({ ...granted, profile: intersect(granted.profile, profile) });
  const both = <Kind extends FileStanding>(kind: Kind): Kind => {
    const onYes = cut(kind.onYes);
    return { ...kind, onYes, unasked: kind.unasked === kind.onYes ? onYes : cut(kind.unasked) };
  };
  return {
    ...both(standing),
    ceiling: {
      ...ceiling,
      layers: place === "first" ? [layer, ...ceiling.layers] : [...ceiling.layers, layer],
      profile: intersect(ceiling.profile, profile),
    },
    files: { reading: both(standing.files.reading), writing: both(standing.files.writing) },
  };
}
