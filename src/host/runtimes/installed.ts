import { visible } from "../../errors.ts";
import {
  type AbsolutePath,
  isAbsolutePath,
  isInside,
  joinPath,
  nameOf,
  parentOf,
  ROOT,
  upwards,
} from "../../profile/path.ts";
import { findDeveloperTools, isStandIn } from "./developer.ts";
import { isFile, isProgram, namesIn, reach, textOf } from "./disk.ts";
import { type Finding, found, notInstalled, unfit } from "./finding.ts";
import { both, type Grant, grantOf, NOTHING, shows } from "./grant.ts";
import type { Language } from "./language.ts";
import { holdsPrivate } from "./private.ts";
import { behindShim } from "./shim.ts";
import type { Site } from "./site.ts";

/**
 * Names that distributions of every language put into the folder of a version; none of them holds what is a person's
 * own.
 */
const DISTRIBUTED =
  /^(bin|include|lib(32|64|exec)?|share|man|docs?|(LICENSE|README|CHANGELOG|CONTRIBUTING|SECURITY|PATENTS)[\w.-]*)$/;

const NOT_ALONE = "does not lie in a folder of one version and nothing else";

/** Looks for one installed version of a language, going through the programs in their order. */
export function findLanguage(
  site: Site,
  system: Grant,
  language: Language,
  programs: readonly AbsolutePath[],
): Finding {
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
          "stands for a version that no file names",
          "choose its global version",
        );
      case "elsewhere":
        continue;
    }
  }
  return notInstalled(language.name);
}

function installedAt(site: Site, system: Grant, language: Language, path: AbsolutePath): Finding {
  const folder = reach(site, parentOf(path));
  const isVenv =
    language.name === "python" &&
    folder !== null &&
    isFile(site, joinPath(parentOf(folder.real), "pyvenv.cfg"));
  return isVenv
    ? venvAt(site, system, language, joinPath(folder.real, nameOf(path)))
    : versionOf(site, system, language, path);
}

/**
 * A virtual environment and the version that it was made from: where its `python3` leads to or, where that is a copy,
 * what `home` in `pyvenv.cfg` (PEP 405) says. The links on the way to both are shown too, Python passes over them.
 */
function venvAt(site: Site, system: Grant, language: Language, path: AbsolutePath): Finding {
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

function homeOf(site: Site, venv: AbsolutePath): AbsolutePath | null {
  const home = /^\s*home\s*=\s*(.*?)\s*$/m.exec(textOf(site, joinPath(venv, "pyvenv.cfg")) ?? "")?.[1];
  return home !== undefined && isAbsolutePath(home) ? home : null;
}

/** The narrowest grant by which the program starts: what `system` has, its version's folder, or the file alone. */
function versionOf(site: Site, system: Grant, language: Language, path: AbsolutePath): Finding {
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
    return unfit(name, path, `leads to ${visible(fileName)}, which chooses it`);
  const grant = isSystems ? NOTHING : versionGrant(site, language, bin);
  const alone: Grant = { read: [file.real], links: file.links };
  if (grant === null)
    return language.canStandAlone ? found(name, alone, [folder.real]) : unfit(name, path, NOT_ALONE);
  if (isProgram(site, joinPath(bin, language.program))) return found(name, grant, [bin]);
  return found(name, both(grant, { read: [], links: file.links }), [folder.real]);
}

/** The version whose programs stand in `bin`; null when what lies around them is more than that. */
function versionGrant(site: Site, language: Language, bin: AbsolutePath): Grant | null {
  const prefix = parentOf(bin);
  const formulas = parentOf(parentOf(aroundFramework(prefix)));
  if (nameOf(formulas) === "Cellar") return brewGrant(site, formulas);
  if (nameOf(bin) !== "bin" || !language.isInstalled(site, prefix) || holdsPrivate(site, prefix)) return null;
  return distributionIn(site, language, prefix);
}

/** The whole folder when all that is in it is the distribution's, else its code: `etc/npmrc` and `pip.conf` hold tokens. */
function distributionIn(site: Site, language: Language, prefix: AbsolutePath): Grant {
  const isDistributed = (name: string): boolean => DISTRIBUTED.test(name) || language.ships.includes(name);
  return namesIn(site, prefix).every(isDistributed)
    ? grantOf(site, [prefix])
    : partsOf(site, prefix, language.code);
}

/** What a framework is a part of: on macOS Homebrew's Python is one, in the folder of its version. */
function aroundFramework(prefix: AbsolutePath): AbsolutePath {
  const frameworks = [...upwards(prefix)].find((at) => nameOf(at) === "Frameworks");
  return frameworks === undefined ? prefix : parentOf(frameworks);
}

/**
 * Homebrew builds its programs against the libraries of its other formulas, so that no version starts alone: the formulas
 * are granted like a system's `/usr`, never the folders beside them, which hold config and data. On macOS, where what is not
 * granted is there and can't be opened, also what OpenSSL reads when a program starts: Node ends itself over it
 * (https://github.com/nodejs/node/issues/62230).
 */
function brewGrant(site: Site, formulas: AbsolutePath): Grant {
  return partsOf(site, parentOf(formulas), site.platform === "darwin" ? BREWED : BREWED_PROGRAMS);
}

const BREWED_PROGRAMS = ["Cellar", "opt", "lib"] as const;

/** What Homebrew's programs need of it on macOS: beside the settings and certificates lies a folder of private keys. */
export const BREWED = [
  ...BREWED_PROGRAMS,
  "etc/ca-certificates",
  ...["cert.pem", "certs", "openssl.cnf"].map((name) => `etc/openssl@3/${name}`),
] as const;

/** What stands in the folder under these names; a link that leads out of the folder shows nothing, whoever made it. */
function partsOf(site: Site, folder: AbsolutePath, names: readonly string[]): Grant {
  const paths = names.map((name) => joinPath(folder, name));
  return grantOf(
    site,
    paths.filter((path) => isInside(reach(site, path)?.real ?? ROOT, folder)),
  );
}
