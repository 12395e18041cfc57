import { CofferdamError, visible } from "../errors.ts";
import { type RunningSupervisor, runningSupervisors } from "../host/launch/live-supervisors.ts";
import type { Host } from "../host/look/host.ts";
import { strictestAppeared } from "../policy/appeared-policy.ts";
import { meetApproval, NO_OPERATOR } from "../policy/approval-section.ts";
import { parseProfile, printProfile } from "../profile/canonical.ts";
import { type Comparison, compare } from "../profile/compare.ts";
import { sha256 } from "../profile/digest.ts";
import { intersectAll } from "../profile/intersect.ts";
import type { Network } from "../profile/network.ts";
import { type AbsolutePath, nameOf, parentOf } from "../profile/path.ts";
import { CLOSED, type Profile } from "../profile/profile.ts";
import { deriveShellNeeds } from "../tool/derive.ts";
import { type Assembled, assemble } from "./assemble.ts";
import type { LoadedConfig } from "./config.ts";
import { forgetKept } from "./kept-rules.ts";
import { CONFIG_NAME, nearestConfig, realFolder } from "./locate.ts";
import { type Naming, type ReadFile, readPinned } from "./safe-file.ts";
import {
  checkTrust,
  digestingReader,
  isStillTrusted,
  placesOf,
  REVIEWER_SETTING,
  type TrustCheck,
} from "./trust-check.ts";
import { everyTrust, readTrust, removeTrust, type TrustEntry, writeTrust } from "./trust-file.ts";
import { NO_RULE_CHANGES, type RuleChanges, ruleChanges, trustedRules } from "./trusted-rules.ts";
import { fileStart } from "./yaml.ts";

/** A grant of a config that is new since it was trusted; `unknown` counts. */
export interface Widening {
  readonly when: keyof TrustEntry["granted"];
  readonly comparison: Exclude<Comparison, { readonly kind: "within" }>;
  readonly networks: readonly Network[];
}

/** The effect of trusting a config. Nothing is remembered before `rememberTrust`. */
export interface TrustOffer {
  readonly path: AbsolutePath;
  readonly loaded: LoadedConfig;
  readonly before: TrustCheck;
  /** Grants that became wider since it was trusted; empty if it never was. */
  readonly wider: readonly Widening[];
  /** Settings that changed since and need a person's judgement: `shell.rules`, `approval`, … */
  readonly changed: readonly string[];
  /** Rules that changed since. */
  readonly rules: RuleChanges;
  readonly entry: TrustEntry;
}

/** A process that runs calls by a config. `isCurrent`: by the config as it is trusted now. */
export interface ConfigUser extends Pick<RunningSupervisor, "pid" | "effect" | "at"> {
  readonly isCurrent: boolean;
}

/** A config that is remembered. `at` is the time of trust, in milliseconds since 1970. */
export interface TrustedConfig {
  readonly path: string;
  readonly at: number;
  readonly check: TrustCheck;
  readonly processes: readonly ConfigUser[];
}

const NAMING: Naming = { code: "CONFIG_INVALID", by: "CONFIG_INVALID", at: null };

/**
 * Reads a config, by default the nearest one, and returns its grants. Throws the errors of `loadConfig`, and
 * `CONFIG_INVALID` for a file that is never found automatically.
 */
export function trustFile(host: Host, path?: string): TrustOffer {
  const file = readPinned(path === undefined ? nearest(host) : fromCwd(host, path), NAMING);
  if (nameOf(file.path) !== CONFIG_NAME) {
    throw new CofferdamError(
      "CONFIG_INVALID",
      `${visible(file.path)} needs no trust, because it is not found automatically`,
      { hint: `use it with \`--config\`, or name it \`${CONFIG_NAME}\``, at: fileStart(file.path) },
    );
  }
  const files = new Map<string, string>();
  const readProfile = digestingReader(parentOf(file.path), (label, digest) => files.set(label, digest));
  const assembled = assemble(host, { origin: { kind: "trusted", file: file.path }, file, readProfile }, []);
  const entry = entryFor(host, file, assembled, files);
  const old = readTrust(host, file.path).entry;
  return {
    path: file.path,
    loaded: assembled.loaded,
    before: checkTrust(old, file, assembled.loaded.config),
    wider: old === null ? [] : wideningsSince(old, entry),
    changed: old === null ? [] : changesSince(old, entry),
    rules:
      old?.rules === undefined || entry.rules === undefined
        ? NO_RULE_CHANGES
        : ruleChanges(old.rules, entry.rules),
    entry,
  };
}

/** Remembers an offer: the config then applies automatically until any part of it changes. Throws `CONFIG_INVALID`. */
export function rememberTrust(host: Host, offer: TrustOffer): void {
  const { problem } = readTrust(host, offer.path);
  if (problem !== null) throw problem;
  writeTrust(host, offer.entry);
}

/** Every config that is remembered, and whether it is unchanged; `problem` says why some, or all, are unknown. */
export function listTrust(host: Host): {
  readonly configs: readonly TrustedConfig[];
  readonly problem: CofferdamError | null;
} {
  const { entries, problem } = everyTrust(host);
  const running = runningSupervisors(host.stateFolder);
  const configs = entries.map((entry) => ({
    path: entry.path,
    at: entry.at,
    check: isStillTrusted(entry),
    processes: usersAmong(running, entry.path, entry.digest),
  }));
  return { configs, problem };
}

/** The processes that run calls by a config with this real path. */
export function configUsers(host: Host, path: string): readonly ConfigUser[] {
  return usersAmong(runningSupervisors(host.stateFolder), path, readTrust(host, path).entry?.digest ?? null);
}

function usersAmong(
  running: readonly RunningSupervisor[],
  path: string,
  trusted: string | null,
): readonly ConfigUser[] {
  return running
    .filter(({ config }) => config === path)
    .map(({ pid, effect, at, digest }) => ({ pid, effect, at, isCurrent: digest === trusted }));
}

/** Forgets a config and the rules kept for it, by its real path or any path to it. False if it was not remembered. Throws `CONFIG_INVALID`. */
export function revokeTrust(host: Host, path: string): boolean {
  const written = fromCwd(host, path);
  const forget = (file: string): boolean => {
    const isKept = forgetKept(host, file);
    return removeTrust(host, file) || isKept;
  };
  return forget(written) || forget(readPinned(written, NAMING).path);
}

function nearest(host: Host): AbsolutePath {
  const found = nearestConfig(host, realFolder(host.cwd));
  if (found !== null) return found;
  throw new CofferdamError("CONFIG_INVALID", `no \`${CONFIG_NAME}\` in this folder or above`, {
    hint: "write one with `cofferdam init`",
  });
}

function fromCwd(host: Host, path: string): string {
  return path.startsWith("/") ? path : `${host.cwd}/${path}`;
}

function entryFor(
  host: Host,
  file: ReadFile,
  assembled: Assembled,
  files: ReadonlyMap<string, string>,
): TrustEntry {
  const { config } = assembled.loaded;
  // Only the project's part is compared later: changes by operators are legitimate.
  const { withoutApproval: unasked, withApproval: onYes } = deriveShellNeeds({ ...config, ownFiles: [] });
  const own = intersectAll(assembled.ownProfiles.map((profile) => profile.layer.profile));
  return {
    version: 2,
    path: file.path,
    folder: parentOf(file.path),
    uid: file.uid,
    digest: sha256(file.bytes),
    files: Object.fromEntries(files),
    places: placesOf(config),
    granted: {
      unasked: printProfile(intersectAll([unasked, own])),
      onYes: printProfile(intersectAll([onYes, own])),
    },
    settings: settingsOf(assembled),
    store: config.approval.store,
    rules: trustedRules(config),
    at: host.now(),
  };
}

/** The settings of a config that are not profiles, each as a digest. */
function settingsOf({ loaded: { config }, ownProfiles }: Assembled): Record<string, string> {
  const { sandbox, shell, approval, webFetch, mcp, journal, reviewer } = config;
  const settings = {
    "sandbox.require_os_sandbox": sandbox.require_os_sandbox,
    "sandbox.os_sandbox_fallback": sandbox.os_sandbox_fallback,
    "sandbox.isolate_calls": sandbox.isolate_calls,
    "sandbox.appeared": sandbox.appeared,
    "sandbox.env.set": sandbox.env.set,
    "shell.default": shell.default,
    "shell.order": shell.order,
    "shell.rules": shell.rules,
    approval,
    web_fetch: webFetch,
    mcp,
    journal,
    "approval of its profiles": ownProfiles.map((one) => one.approval).reduce(meetApproval, NO_OPERATOR),
    "run_as of its profiles": ownProfiles.some((one) => one.runAs === "not-root"),
    "appeared of its profiles": strictestAppeared("report", ...ownProfiles.map((one) => one.appeared)),
  };
  return {
    ...Object.fromEntries(
      Object.entries(settings).map(([key, value]) => [key, sha256(JSON.stringify(value))]),
    ),
    ...(reviewer === null ? {} : { [REVIEWER_SETTING]: reviewer.digest }),
  };
}

function changesSince(old: TrustEntry, now: TrustEntry): readonly string[] {
  const keys = Object.keys({ ...old.settings, ...now.settings });
  return keys.filter((key) => old.settings[key] !== now.settings[key]);
}

function wideningsSince(old: TrustEntry, now: TrustEntry): readonly Widening[] {
  return (["unasked", "onYes"] as const).flatMap((when) => {
    const [a, b] = [profileOf(now.granted[when]), profileOf(old.granted[when])];
    const comparison = compare(a, b);
    return comparison.kind === "within" ? [] : [{ when, comparison, networks: [a.network, b.network] }];
  });
}

/** A remembered profile; an unreadable one counts as empty, so that all of the new one is wider. */
function profileOf(text: string): Profile {
  try {
    return parseProfile(text);
  } catch {
    return CLOSED;
  }
}
