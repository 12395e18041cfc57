import { visible } from "../../../errors.ts";
import {
  type AbsolutePath,
  isAbsolutePath,
  isInside,
  joinPath,
  nameOf,
  parentOf,
  ROOT,
  upwards,
} from "../../../profile/path.ts";
import { findDeveloperTools, isStandIn } from "./developer.ts";
import { isFile, isProgram, namesIn, reach, textOf } from "./disk.ts";
import { found, notInstalled, type RuntimeFinding, unfit } from "./finding.ts";
import { both, grantOf, NOTHING, type RuntimeGrant, shows } from "./grant.ts";
import type { Language } from "./language.ts";
import { holdsPrivate } from "./private.ts";
import { behindShim } from "./shim.ts";
import type { RuntimeSite } from "./site.ts";

/** Names that distributions of every language put into the folder of a version; none of them contains personal data. */
const DISTRIBUTED =
  /^(bin|include|lib(32|64|exec)?|share|man|docs?|(LICENSE|README|CHANGELOG|CONTRIBUTING|SECURITY|PATENTS)[\w.-]*)$/;

const NOT_ALONE = "is not in a folder that contains only one version";

/** Looks for one installed version of a language, going through the programs in their order. */
export function findLanguage(
  site: RuntimeSite,
  system: RuntimeGrant,
  language: Language,
  programs: readonly AbsolutePath[],
): RuntimeFinding {
  for (const path of programs) {
    const shim = behindShim(site, language, path);
    switch (shim.kind) {
      case "plain":
        return installedAt(site, system, language, path);
      case "chosen":
        return installedAt(site, system, language, shim.program);
      case "unknown":
        return unfit(
          language.name,
          path,
          "is a shim for a version that no file names",
          "choose its global version",
        );
      case "elsewhere":
        continue;
    }
  }
  return notInstalled(language.name);
}

function installedAt(
  site: RuntimeSite,
  system: RuntimeGrant,
  language: Language,
  path: AbsolutePath,
): RuntimeFinding {
  const folder = reach(site, parentOf(path));
  const isVenv =
    language.name === "python" &&
    folder !== null &&
    isFile(site, joinPath(parentOf(folder.real), "pyvenv.cfg"));
  return isVenv
    ? venvAt(site, system, language, joinPath(folder.real, nameOf(path)))
    : versionOf(site, system, language, path);
}

/** A venv and its base: `python3`'s target or, for a copy, `home` of `pyvenv.cfg` (PEP 405), and links on the way. */
function venvAt(
  site: RuntimeSite,
  system: RuntimeGrant,
  language: Language,
  path: AbsolutePath,
): RuntimeFinding {
  const venv = parentOf(parentOf(path));
  if (holdsPrivate(site, venv)) return unfit(language.name, path, NOT_ALONE);
  const home = homeOf(site, venv);
  const file = reach(site, path);
  const copied = home === null ? path : joinPath(home, language.program);
  const base = file !== null && !isInside(file.real, venv) ? file.real : copied;
  const version = versionOf(site, system, language, base);
  if (version.kind === "missing") return version;
  const passed = [file, home === null ? null : reach(site, home)].flatMap((reached) => reached?.links ?? []);
  const grant = both(distributionIn(site, language, venv), { read: [], links: passed }, version.runtime);
  return found(language.name, grant, [parentOf(path)]);
}

function homeOf(site: RuntimeSite, venv: AbsolutePath): AbsolutePath | null {
  const home = /^\s*home\s*=\s*(.*?)\s*$/m.exec(textOf(site, joinPath(venv, "pyvenv.cfg")) ?? "")?.[1];
  return home !== undefined && isAbsolutePath(home) ? home : null;
}

/** The narrowest grant by which the program starts: the part in `system`, its version's folder, or the file alone. */
function versionOf(
  site: RuntimeSite,
  system: RuntimeGrant,
  language: Language,
  path: AbsolutePath,
): RuntimeFinding {
  const { name } = language;
  const file = reach(site, path);
  const folder = reach(site, parentOf(path));
  if (file === null || folder === null) return notInstalled(name);
  const isSystems = shows(system, file.real);
  if (isSystems && shows(system, folder.real)) {
    const behind = isStandIn(site, file.real) ? findDeveloperTools(site) : null;
    return behind?.kind === "missing" ? behind : found(name, behind?.runtime ?? NOTHING, [folder.real]);
  }
  const [fileName, bin] = [nameOf(file.real), parentOf(file.real)];
  if (!language.fileName.test(fileName))
    return unfit(name, path, `leads to ${visible(fileName)}, which chooses the version`);
  const grant = isSystems ? NOTHING : versionGrant(site, language, bin);
  const alone: RuntimeGrant = { read: [file.real], links: file.links };
  if (grant === null)
    return language.canStandAlone ? found(name, alone, [folder.real]) : unfit(name, path, NOT_ALONE);
  if (isProgram(site, joinPath(bin, language.program))) return found(name, grant, [bin]);
  return found(name, both(grant, { read: [], links: file.links }), [folder.real]);
}

/** The version with its programs in `bin`; null if the folder around them is more than a version. */
function versionGrant(site: RuntimeSite, language: Language, bin: AbsolutePath): RuntimeGrant | null {
  const prefix = parentOf(bin);
  const formulas = parentOf(parentOf(aroundFramework(prefix)));
  if (nameOf(formulas) === "Cellar") return brewGrant(site, formulas);
  if (nameOf(bin) !== "bin" || !language.isInstalled(site, prefix) || holdsPrivate(site, prefix)) return null;
  return distributionIn(site, language, prefix);
}

/** The whole folder if all of it is the distribution's, else its code: `etc/npmrc` and `pip.conf` have tokens. */
function distributionIn(site: RuntimeSite, language: Language, prefix: AbsolutePath): RuntimeGrant {
  const isDistributed = (name: string): boolean => DISTRIBUTED.test(name) || language.ships.includes(name);
  return namesIn(site, prefix).every(isDistributed)
    ? grantOf(site, [prefix])
    : partsOf(site, prefix, language.code);
}

/** The folder around a framework: on macOS Homebrew's Python is one, in the folder of its version. */
function aroundFramework(prefix: AbsolutePath): AbsolutePath {
  const frameworks = [...upwards(prefix)].find((at) => nameOf(at) === "Frameworks");
  return frameworks === undefined ? prefix : parentOf(frameworks);
}

/**
 * Homebrew's programs need other formulas' libraries: all formulas are granted like a system's `/usr`, never the
 * folders beside them, with config and data. On macOS a path without a grant exists but can't be opened, so OpenSSL's
 * files are included: Node ends itself over them (https://github.com/nodejs/node/issues/62230).
 */
function brewGrant(site: RuntimeSite, formulas: AbsolutePath): RuntimeGrant {
  return partsOf(site, parentOf(formulas), site.platform === "darwin" ? BREWED : BREWED_PROGRAMS);
}

const BREWED_PROGRAMS = ["Cellar", "opt", "lib"] as const;

/** Parts of Homebrew for its programs on macOS; a folder of private keys is beside the settings and certificates. */
export const BREWED = [
  ...BREWED_PROGRAMS,
  "etc/ca-certificates",
  ...["cert.pem", "certs", "openssl.cnf"].map((name) => `etc/openssl@3/${name}`),
] as const;

/** The folder's entries with these names, without links that lead out of it: any program may have made them. */
function partsOf(site: RuntimeSite, folder: AbsolutePath, names: readonly string[]): RuntimeGrant {
  const paths = names.map((name) => joinPath(folder, name));
  return grantOf(
    site,
    paths.filter((path) => isInside(reach(site, path)?.real ?? ROOT, folder)),
  );
}
