import { CofferdamError, visible } from "../errors.ts";
import { type AbsolutePath, absolutePath } from "../profile/path.ts";
import type { Runtime } from "../tool/facts.ts";
import { RUNTIMES } from "../tool/settings.ts";
import type { Host } from "./host.ts";
import { listedRuntime } from "./runtimes/by-hand.ts";
import type { Finding } from "./runtimes/finding.ts";
import { gitIdentity } from "./runtimes/git.ts";
import { settle } from "./runtimes/grant.ts";
import { findLanguage } from "./runtimes/installed.ts";
import { LANGUAGES, type Language } from "./runtimes/language.ts";
import { programsOnPath } from "./runtimes/program.ts";
import { systemRuntime } from "./runtimes/system.ts";

/** A runtime to look for: a known name, or folders listed by hand. */
export type RuntimeRequest = string | { readonly name: string; readonly read: readonly AbsolutePath[] };

/**
 * Finds what the runtimes need on this machine, by looking at files alone: no program and no shim is ever run. In the
 * result `system` comes last, so that PATH has the other runtimes' programs first; nothing is listed twice.
 * Throws `CONFIG_INVALID`: a runtime is not here, can't be told apart from what lies around it, or is too wide.
 */
export function findRuntimes(host: Host, requests: readonly RuntimeRequest[]): readonly Runtime[] {
  const system = systemRuntime(host);
  const isRequested = requests.includes("system");
  const others = requests.filter(
    (request, index) => request !== "system" && requests.indexOf(request) === index,
  );
  const runtimes = others.map((request) =>
    typeof request === "string"
      ? namedRuntime(host, system, request)
      : listedRuntime(host, request.name, request.read),
  );
  return settle(runtimes, isRequested ? system : null);
}

/** The runtimes of a config that names none: `system`, and every language whose program is on PATH and can be granted. */
export function everyRuntime(host: Host): readonly Runtime[] {
  const system = systemRuntime(host);
  return settle(languagesOnPath(host, system), system);
}

/** The names of what `everyRuntime` finds, `system` first. */
export function detectRuntimes(host: Host): readonly string[] {
  return ["system", ...languagesOnPath(host, systemRuntime(host)).map(({ name }) => name)];
}

function languagesOnPath(host: Host, system: Runtime): readonly Runtime[] {
  return LANGUAGES.flatMap((language) => {
    const finding = findLanguage(host, system, language, programsOnPath(host, language.program));
    return finding.kind === "found" ? [withIdentity(host, finding.runtime)] : [];
  });
}

function namedRuntime(host: Host, system: Runtime, name: string): Runtime {
  const language = LANGUAGES.find((each) => each.name === name);
  if (language === undefined) {
    const hint = `write one of ${RUNTIMES.join(", ")}, or { name, read: [folder] }`;
    throw new CofferdamError("CONFIG_INVALID", `there is no runtime ${visible(name)}`, { hint });
  }
  const finding = findLanguage(host, system, language, programsOf(host, language));
  return withIdentity(host, orThrow(finding));
}

/** Git says in every commit who made it: the person whose machine this is. */
function withIdentity(host: Host, runtime: Runtime): Runtime {
  return runtime.name === "git" ? { ...runtime, env: gitIdentity(host) } : runtime;
}

/** The programs of that name in the order in which they count; the Node that runs this is the last of its kind. */
function programsOf(host: Host, language: Language): readonly AbsolutePath[] {
  const programs = programsOnPath(host, language.program);
  return language.name === "node" ? [...programs, absolutePath(process.execPath)] : programs;
}

function orThrow(finding: Finding): Runtime {
  if (finding.kind === "found") return finding.runtime;
  throw new CofferdamError("CONFIG_INVALID", finding.message, { hint: finding.hint });
}
