import { type Dirent, readdirSync } from "node:fs";
import { CofferdamError, visible } from "../errors.ts";
import type { Host } from "../host/look/host.ts";
import { there } from "../host/look/mac/simulated.ts";
import { orNull } from "../host/or-null.ts";
import { strictestAppeared } from "../policy/appeared-policy.ts";
import { meetApproval, NO_OPERATOR } from "../policy/approval-section.ts";
import { nearest } from "../policy/nearest.ts";
import { intersectAll } from "../profile/intersect.ts";
import { INSTALLATION_LAYER } from "../profile/own-layers.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../profile/path.ts";
import type { PathVariables } from "../profile/sections.ts";
import { quote } from "../shell/quote.ts";
import type { Root } from "../tool/facts.ts";
import type { Ceiling } from "./config.ts";
import { installationFor, installationLayer } from "./installation.ts";
import { assertFirmMasks } from "./mask-links.ts";
import { walkOn } from "./operator-path.ts";
import {
  loadProfile,
  type OperatorProfile,
  type ProfileLoading,
  type ProfileReader,
  type ProfileSource,
  profileLabel,
  safeReader,
  withBases,
} from "./operator-profile.ts";
import { assertSafeFolder, type Naming, printFailure, type ResolvedWay, walk } from "./safe-file.ts";
import { PROTECTED } from "./shipped.ts";
import { assertMayBeWritten } from "./writable-roots.ts";
import { fileStart } from "./yaml.ts";

/** A profile that the config or the command line names. */
export interface NamedProfile {
  readonly source: ProfileSource;
  readonly naming: Naming;
}

/** The operator profiles in force beside the protections and those in the operators' folders. */
export interface CeilingRequest {
  readonly workspace: AbsolutePath;
  readonly variables: PathVariables;
  readonly roots: readonly Root[];
  /** `os_profile`, and the reader for the files it names. */
  readonly byConfig: readonly NamedProfile[];
  readonly configReader: ProfileReader;
  readonly byCaller: readonly NamedProfile[];
}

/** The ceiling, all of its files, and those of them that the config names. */
export interface LoadedCeiling {
  readonly ceiling: Ceiling;
  readonly profiles: readonly OperatorProfile[];
  readonly ofConfig: readonly OperatorProfile[];
}

const OPERATORS: Naming = { code: "PROFILE_INVALID", by: "PROFILE_INVALID", at: null };

/**
 * The ceiling: the meet of the protections, the operators' folders, profiles named by config and caller, and the
 * installation's layer. Nothing overrides. A missing folder has no effect, an unreadable one is an error. Throws the
 * errors of `loadProfile`, `assertMayBeWritten` and `assertFirmMasks`.
 */
export function loadCeiling(host: Host, request: CeilingRequest): LoadedCeiling {
  const { workspace, variables, roots, byConfig, byCaller, configReader } = request;
  const follow = walkOn(host);
  const loading = { variables, roots: rootPaths(host, roots), follow };
  const safely: ProfileLoading = { ...loading, read: safeReader(host), known: new Map() };
  const pinned: ProfileLoading = { ...loading, read: configReader, known: new Map() };
  const found = host.operatorFolders.flatMap((folder) => filesIn(host, folder));
  const ofConfig = withBases(byConfig.map(({ source, naming }) => loadProfile(source, naming, pinned)));
  const profiles = withBases([
    loadProfile({ kind: "shipped", name: PROTECTED }, OPERATORS, safely),
    ...found.map((path) => loadProfile({ kind: "file", path }, OPERATORS, safely)),
    ...ofConfig,
    ...byCaller.map(({ source, naming }) => loadProfile(source, naming, safely)),
  ]);
  const installed = installationFor(host, roots);
  const installation = host.simulated === null ? installationLayer(installed, roots) : null;
  // First, because its reason says most.
  const layers = [...(installation === null ? [] : [installation]), ...profiles.map((one) => one.layer)];
  const ceiling: Ceiling = {
    layers,
    labels: [
      ...profiles.map((one) => profileLabel(one, workspace)),
      ...(installation === null ? [] : [INSTALLATION_LAYER]),
    ],
    profile: intersectAll(layers.map((layer) => layer.profile)),
    approval: profiles.map((one) => one.approval).reduce(meetApproval, NO_OPERATOR),
    executed: profiles.flatMap(({ executed }) => executed),
    appeared: strictestAppeared("report", ...profiles.map(({ appeared }) => appeared)),
    runAs: profiles.some((one) => one.runAs === "not-root") ? "not-root" : "any",
  };
  assertMayBeWritten(host, roots, { profiles, installed });
  assertFirmMasks(ceiling, roots, follow);
  return { ceiling, profiles, ofConfig };
}

function rootPaths({ simulated }: Host, roots: readonly Root[]): readonly AbsolutePath[] {
  return roots.map(({ path }) => (simulated === null ? path : there(simulated, path)));
}

const FOLDER_NAME = "profiles.d";

/** Rejects a profile beside the folder, and a folder with a misspelt name. */
function assertNothingBeside(folder: AbsolutePath): void {
  if (nameOf(folder) !== FOLDER_NAME) return;
  for (const entry of entriesBeside(folder)) {
    const path = joinPath(parentOf(folder), entry.name);
    const isNear = entry.name !== FOLDER_NAME && nearest(entry.name, [FOLDER_NAME]) !== null;
    const isProfile = !entry.isDirectory() && /\.ya?ml$/i.test(entry.name);
    if (!isNear && !isProfile) continue;
    throw new CofferdamError(
      "PROFILE_INVALID",
      `${visible(path)} has no effect: it is beside the operators' folder, not in it`,
      {
        hint: isProfile ? `move it to ${quote([folder])}` : `rename it to \`${FOLDER_NAME}\``,
        at: fileStart(path),
      },
    );
  }
}

function entriesBeside(folder: AbsolutePath): readonly Dirent[] {
  // If it is missing, nothing is beside it; `wayTo` reports other failures.
  return orNull(() => readdirSync(parentOf(folder), { withFileTypes: true })) ?? [];
}

/** The profiles in an operators' folder. Other files are rejected: a misspelt name must not disable a rule. */
function filesIn(host: Host, folder: AbsolutePath): readonly AbsolutePath[] {
  assertNothingBeside(folder);
  const way = wayTo(folder);
  if (way.missing.length > 0) {
    if (!way.isDangling) return [];
    throw refused(folder, "is reached by a dangling symlink", "repair or remove the symlink");
  }
  assertSafeFolder(host, folder, "PROFILE_INVALID");
  const names = namesIn(folder).toSorted();
  for (const name of names) {
    if (name.endsWith(".yaml")) continue;
    throw new CofferdamError(
      "PROFILE_INVALID",
      `${visible(name)} among the operator profiles does not end in \`.yaml\``,
      {
        hint: "rename it to end in `.yaml`, or move it out of the folder",
        at: fileStart(joinPath(folder, name)),
      },
    );
  }
  return names.map((name) => joinPath(folder, name));
}

function wayTo(folder: AbsolutePath): ResolvedWay {
  try {
    return walk(folder);
  } catch (error) {
    throw refused(folder, printFailure(error), "let this user read it, or remove it", error);
  }
}

function namesIn(folder: AbsolutePath): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    throw refused(folder, printFailure(error), "let this user read it, or remove it", error);
  }
}

function refused(folder: AbsolutePath, what: string, hint: string, cause?: unknown): CofferdamError {
  return new CofferdamError("PROFILE_INVALID", `the operators' folder ${visible(folder)} ${what}`, {
    hint,
    at: fileStart(folder),
    cause,
  });
}
