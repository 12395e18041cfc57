import type { Backend } from "../backend/backend.ts";
import type { Facts } from "../backend/facts.ts";
import { limitLayer } from "../backend/limits.ts";
import type { Plan } from "../backend/plan.ts";
import { COPY, readOnlyLayer } from "../backend/read-only-parts.ts";
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

/** The profile granted to a tool's calls; its digest is that of the grants before `withRepositories` removes more. */
export interface EffectiveProfile {
  readonly profile: Profile;
  readonly digest: ProfileDigest;
  readonly shortfall: readonly Shortfall[];
}

/** Everything except the call itself that decides about calls. Made once, by `callPolicyFor`. */
export interface CallPolicy {
  readonly backend: Backend;
  readonly settings: ToolSettings;
  readonly config: Pick<Config, "approval" | "sandbox" | "shell" | "roots" | "workspace">;
  readonly ceiling: Ceiling;
  readonly mode: Mode;
  /** Typing a command does not approve it: the caller is asked as well. */
  readonly asksCaller: boolean;
  readonly needs: Needs;
  readonly withoutApproval: EffectiveProfile;
  readonly withApproval: EffectiveProfile;
  readonly files: Readonly<Record<FileWork, ToolAccess>>;
  /** The trusted policy, and that of the changed config that is not trusted: this one is their meet. */
  readonly meetOf?: readonly [CallPolicy, CallPolicy];
}

/** The needs of one kind of tool, and the profiles that the ceiling leaves of them. */
export interface ToolAccess {
  readonly needs: Needs;
  readonly withoutApproval: EffectiveProfile;
  readonly withApproval: EffectiveProfile;
  /** Paths that the sandbox keeps in place even if they may be written; absent until that is known. */
  readonly fixed?: readonly AbsolutePath[];
}

/** Intersects the tools' needs with the ceiling: the part that all calls of a supervisor share. */
export function callPolicyFor(given: Omit<CallPolicy, keyof ToolAccess | "files" | "meetOf">): CallPolicy {
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

/** Intersects needs with the ceiling. */
export function cutDown(needs: Needs, ceiling: Ceiling): ToolAccess {
  const granted = (need: Profile): EffectiveProfile => {
    const profile = intersect(need, ceiling.profile);
    return { profile, digest: digest(profile), shortfall: shortfall(need, profile) };
  };
  return {
    needs,
    withoutApproval: granted(needs.withoutApproval),
    withApproval: granted(needs.withApproval),
  };
}

const withPorts = new WeakMap<Profile, Map<string, Profile>>();

/** Narrows the grants to the ports that one call asks for. Calls that ask for the same ports share one value. */
export function effectiveFor(granted: EffectiveProfile, asked: readonly number[]): EffectiveProfile {
  const { profile } = granted;
  const ports = meetPorts(profile.ports, normalPorts(asked));
  if (printPorts(ports) === printPorts(profile.ports)) return granted;
  const known = withPorts.get(profile) ?? new Map<string, Profile>();
  withPorts.set(profile, known);
  const cut = known.get(printPorts(ports)) ?? { ...profile, ports };
  known.set(printPorts(ports), cut);
  return { ...granted, profile: cut };
}

/** True if people may be asked about unlisted hosts, and an approval could make some reachable. */
export function asksForHosts({
  settings,
  ceiling,
  mode,
  meetOf,
}: Pick<CallPolicy, "settings" | "ceiling" | "mode" | "meetOf">): boolean {
  if (meetOf !== undefined) return meetOf.every(asksForHosts);
  const { network } = settings.shell;
  if (typeof network !== "object" || network.ask !== "unlisted" || mode === "strict") return false;
  return ceiling.layers.every(({ profile }) => profile.network !== "none");
}

/** Paths that no operator file names, and that our own layers hold read-only. */
export function heldPaths(layers: readonly Layer[]): readonly AbsolutePath[] {
  return layers
    .filter(({ name }) => name === REPOSITORY_LAYER || name === INSTALLATION_LAYER)
    .flatMap(({ profile: { files, masks } }) => [
      ...files.flatMap(({ path, access }) => (access === "read" ? [path] : [])),
      ...masks.flatMap(({ pattern }) => pattern.literal ?? []),
    ]);
}

/** Adds layers that protect what git obeys in repositories and programs load from copies; they only remove access. */
export function withRepositories(policy: CallPolicy, facts: Facts): CallPolicy {
  const known = policiesIn.get(facts) ?? new WeakMap<CallPolicy, CallPolicy>();
  policiesIn.set(facts, known);
  const before = known.get(policy);
  if (before !== undefined) return before;
  const made = foundIn(facts).reduce((cut, layer) => cutBy(cut, layer, "first"), policy);
  known.set(policy, made);
  return made;
}

/** The layers that follow from facts found in roots. The first layer is reported first. */
export function foundIn({ copies, repositories }: Pick<Facts, "copies" | "repositories">): readonly Layer[] {
  const obeyed = repositoryLayer(repositories);
  return [
    ...(copies.length === 0 ? [] : [readOnlyLayer(copies.map((one) => ({ ...one, what: COPY })))]),
    ...(obeyed.profile.masks.length === 0 ? [] : [obeyed]),
  ];
}

/** Facts and policies are values: a result derived from both is valid as long as they are referenced. */
const policiesIn = new WeakMap<Facts, WeakMap<CallPolicy, CallPolicy>>();

/** The policy for file tools that write, whose sandbox has these limits and keeps these paths in place. */
export function withinPlan(
  policy: CallPolicy,
  { limits, fixed }: Pick<Plan, "limits" | "fixed">,
): CallPolicy {
  const cut = limits.length === 0 ? policy : cutBy(policy, limitLayer(limits), "last");
  return { ...cut, files: { ...cut.files, writing: { ...cut.files.writing, fixed } } };
}

function cutBy(policy: CallPolicy, layer: Layer, place: "first" | "last"): CallPolicy {
  const { profile } = layer;
  const { ceiling } = policy;
  const cut = (granted: EffectiveProfile): EffectiveProfile => ({
    ...granted,
    profile: intersect(granted.profile, profile),
  });
  const both = <Kind extends ToolAccess>(kind: Kind): Kind => {
    const withApproval = cut(kind.withApproval);
    return {
      ...kind,
      withApproval,
      withoutApproval: kind.withoutApproval === kind.withApproval ? withApproval : cut(kind.withoutApproval),
    };
  };
  return {
    ...both(policy),
    ceiling: {
      ...ceiling,
      layers: place === "first" ? [layer, ...ceiling.layers] : [...ceiling.layers, layer],
      profile: intersect(ceiling.profile, profile),
    },
    files: { reading: both(policy.files.reading), writing: both(policy.files.writing) },
  };
}
