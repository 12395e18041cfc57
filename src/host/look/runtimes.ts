import { CofferdamError, visible } from "../../errors.ts";
import { type AbsolutePath, absolutePath, knownPath } from "../../profile/path.ts";
import type { Runtime } from "../../tool/facts.ts";
import { RUNTIMES } from "../../tool/settings.ts";
import type { Host } from "./host.ts";
import { listedRuntime } from "./runtimes/by-hand.ts";
import { findDeveloperTools, XCODE } from "./runtimes/developer.ts";
import { notInstalled, type RuntimeFinding, type RuntimeRequest } from "./runtimes/finding.ts";
import { carriedGit } from "./runtimes/git.ts";
import { both, grantOf, type RuntimeGrant, settle } from "./runtimes/grant.ts";
import { findLanguage } from "./runtimes/installed.ts";
import { LANGUAGES, type Language, PYTHON } from "./runtimes/language.ts";
import { programsOnPath } from "./runtimes/program.ts";
import { simulatedRuntimes } from "./runtimes/simulated.ts";
import { type RuntimeSite, siteOutside } from "./runtimes/site.ts";
import { systemRuntime } from "./runtimes/system.ts";
import { pythonWithVenv, venvInRoot, withVenv } from "./runtimes/venv.ts";

/**
 * Finds the files of runtimes on this machine, by looking at files alone: no program and no shim is ever run. In the
 * result `system` comes last, so that PATH has the other runtimes' programs first; nothing is listed twice. No content
 * of the `roots` (canonical) leads to more grants outside of them. Throws `CONFIG_INVALID`: a runtime is missing, can't
 * be told apart from its surroundings, or is too wide. A simulated Mac has those of a usual one, and those listed by
 * hand are looked up here.
 */
export function findRuntimes(
  host: Host,
  requests: readonly RuntimeRequest[],
  roots: readonly AbsolutePath[],
): readonly Runtime[] {
  const site = siteOutside(host, roots);
  if (host.simulated !== null) return simulatedRuntimes(site, host.simulated, requests);
  const system = systemRuntime(site);
  const isRequested = requests.includes("system");
  const others = requests.filter(
    (request, index) => request !== "system" && requests.indexOf(request) === index,
  );
  const asked = others.map((request) =>
    typeof request === "string" ? request : listedRuntime(site, request.name, request.read),
  );
  const listed = asked.filter((each) => typeof each !== "string");
  const found = asked.map((each) =>
    typeof each === "string"
      ? namedRuntime(site, system, each, listed)
      : listedWithVenv(site, system, each, listed),
  );
  const runtimes = found.map((runtime) => withGroups(site, runtime));
  return settle(runtimes, isRequested ? system : null);
}

/** The runtimes of a config that names none: `system`, every grantable language on PATH, developer tools of macOS. */
export function everyRuntime(host: Host, roots: readonly AbsolutePath[]): readonly Runtime[] {
  const site = siteOutside(host, roots);
  const system = systemRuntime(site);
  const languages = languagesOnPath(site, system);
  if (host.simulated !== null)
    return simulatedRuntimes(site, host.simulated, ["system", ...languages.map(({ name }) => name), XCODE]);
  const runtimes = [...languages, ...developerTools(site)].map((runtime) => withGroups(site, runtime));
  return settle(runtimes, system);
}

/** The names of the runtimes that `everyRuntime` finds, `system` first. */
export function detectRuntimes(host: Host, roots: readonly AbsolutePath[]): readonly string[] {
  const site = siteOutside(host, roots);
  const others = [...languagesOnPath(site, systemRuntime(site)), ...developerTools(site)];
  return ["system", ...others.map(({ name }) => name)];
}

/**
 * The reason why the environment that comes first on PATH is not the first inside: it lies in a root and leads to files
 * that the roots do not show. Null if none is passed over.
 */
export function passedOver(
  host: Host,
  runtimes: readonly Runtime[],
  roots: readonly AbsolutePath[],
): string | null {
  if (host.simulated !== null) return null;
  const site = siteOutside(host, roots);
  const venv = venvInRoot(site, both(...runtimes.filter((runtime) => runtime.name === "system")));
  const finding = venv === null ? null : pythonWithVenv(venv, notInstalled(PYTHON.name), runtimes);
  return finding?.kind === "missing" ? finding.message : null;
}

/** An environment in a root that leads elsewhere is passed over: then the machine has its own Python, or none. */
function languagesOnPath(site: RuntimeSite, system: Runtime): readonly Runtime[] {
  return LANGUAGES.flatMap((language) => {
    const machine = findLanguage(site, system, language, programsOnPath(site, language.program));
    const venv = language === PYTHON ? venvInRoot(site, system) : null;
    const together = venv === null ? machine : pythonWithVenv(venv, machine, []);
    const finding = together.kind === "found" ? together : machine;
    return finding.kind === "found" ? [withMore(site, system, finding.runtime)] : [];
  });
}

function developerTools(site: RuntimeSite): readonly Runtime[] {
  const tools = site.platform === "darwin" ? findDeveloperTools(site) : null;
  return tools?.kind === "found" ? [tools.runtime] : [];
}

function namedRuntime(
  site: RuntimeSite,
  system: Runtime,
  name: string,
  listed: readonly RuntimeGrant[],
): Runtime {
  if (name === XCODE) return orThrow(findDeveloperTools(site));
  const language = LANGUAGES.find((each) => each.name === name);
  if (language === undefined) {
    const hint = `write one of ${RUNTIMES.join(", ")}, or { name, read: [folder] }`;
    throw new CofferdamError("CONFIG_INVALID", `no runtime is named ${visible(name)}`, { hint });
  }
  const machine = findLanguage(site, system, language, programsOf(site, language));
  const venv = language === PYTHON ? venvInRoot(site, system) : null;
  return withMore(site, system, orThrow(venv === null ? machine : pythonWithVenv(venv, machine, listed)));
}

/** A Python whose folders are listed by hand has an environment in a root before it, like the found one. */
function listedWithVenv(
  site: RuntimeSite,
  system: Runtime,
  runtime: Runtime,
  listed: readonly RuntimeGrant[],
): Runtime {
  return runtime.name === PYTHON.name ? withVenv(venvInRoot(site, system), runtime, listed) : runtime;
}

/** A runtime with the files that its programs need besides their own. */
function withMore(site: RuntimeSite, system: Runtime, runtime: Runtime): Runtime {
  return withMaven(site, withGit(site, system, runtime));
}

/** Debian's Maven fails without these, linked from `/usr/share/maven`. Others in their folder may hold credentials. */
const MAVEN = ["m2.conf", "logging/simplelogger.properties"].map((name) => knownPath(`/etc/maven/${name}`));

function withMaven(site: RuntimeSite, runtime: Runtime): Runtime {
  if (runtime.name !== "java" || site.platform !== "linux") return runtime;
  return { ...runtime, ...both(runtime, grantOf(site, MAVEN)) };
}

/** Git has the person's name for commits. On macOS its unreadable settings would end it; elsewhere they are missing. */
function withGit(site: RuntimeSite, system: Runtime, runtime: Runtime): Runtime {
  if (runtime.name !== "git") return runtime;
  const env = site.platform === "darwin" ? { GIT_CONFIG_NOSYSTEM: "1" } : {};
  return { ...runtime, env, ...carriedGit(site, [system, runtime]) };
}

/** On macOS programs of a language ask for more than files, found or listed by hand; elsewhere not. */
function withGroups(site: RuntimeSite, runtime: Runtime): Runtime {
  if (site.platform !== "darwin") return runtime;
  const language = LANGUAGES.find(({ name }) => name === runtime.name);
  return { ...runtime, macos: language?.macos ?? [] };
}

/** The programs of that name in their order; the Node that runs this is the last of its kind. */
function programsOf(site: RuntimeSite, language: Language): readonly AbsolutePath[] {
  const programs = programsOnPath(site, language.program);
  return language.name === "node" ? [...programs, absolutePath(process.execPath)] : programs;
}

function orThrow(finding: RuntimeFinding): Runtime {
  if (finding.kind === "found") return finding.runtime;
  throw new CofferdamError("CONFIG_INVALID", finding.message, { hint: finding.hint });
}
