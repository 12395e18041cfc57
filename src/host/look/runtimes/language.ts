import type { Macos } from "../../../profile/macos.ts";
import { type AbsolutePath, joinPath } from "../../../profile/path.ts";
import { isFile, isFolder, namesIn, type Sight } from "./disk.ts";

/** Names, managers and layout on disk of one language's programs. */
export interface Language {
  readonly name: string;
  /** The program to find on PATH: `python3`. */
  readonly program: string;
  /** Name of the file at the end of all links; another name is a launcher's (`snap`, `asdf`). */
  readonly fileName: RegExp;
  /** The variable that sets the version for nodenv, pyenv and goenv. */
  readonly versionVariable: string | null;
  /** Its names in asdf and mise. */
  readonly tools: readonly string[];
  /** True if the folder is one installed version: the program is in its `bin`. */
  isInstalled(sight: Sight, prefix: AbsolutePath): boolean;
  /** True if the program runs without other files. */
  readonly canStandAlone: boolean;
  /** Names in the folder of a version that only this language's distribution puts there. */
  readonly ships: readonly string[];
  /** Granted parts of an installed version whose folder also has files of other origin. */
  readonly code: readonly string[];
  readonly macos: Macos;
}

const has = (sight: Sight, prefix: AbsolutePath, name: string): boolean =>
  isFile(sight, joinPath(prefix, name));
const hasFolder = (sight: Sight, prefix: AbsolutePath, name: string): boolean =>
  isFolder(sight, joinPath(prefix, name));

const NODE: Language = {
  name: "node",
  program: "node",
  fileName: /^node(js)?(-?\d[\d.]*)?$/,
  versionVariable: "NODENV_VERSION",
  tools: ["nodejs", "node"],
  isInstalled: (sight, prefix) =>
    hasFolder(sight, prefix, "lib/node_modules") || hasFolder(sight, prefix, "include/node"),
  canStandAlone: true,
  ships: [],
  code: ["bin", "lib", "include"],
  macos: [],
};

/** Python, whose virtual environments lead to an interpreter elsewhere. */
export const PYTHON: Language = {
  name: "python",
  program: "python3",
  fileName: /^(python|pypy|graalpy)[\d.]*[dt]*$/,
  versionVariable: "PYENV_VERSION",
  tools: ["python"],
  isInstalled: (sight, prefix) =>
    ["lib", "lib64"].some((lib) =>
      namesIn(sight, joinPath(prefix, lib)).some((name) => /^(python|pypy|graalpy)\d/.test(name)),
    ),
  canStandAlone: false,
  ships: ["BUILD", "PYTHON.json", "pyvenv.cfg", ".gitignore", ".lock", "CACHEDIR.TAG"],
  code: ["bin", "lib", "lib64", "include", "ssl", "pyvenv.cfg"],
  macos: ["python"],
};

const RUST: Language = {
  name: "rust",
  program: "rustc",
  fileName: /^rustc$/,
  versionVariable: null,
  tools: ["rust"],
  isInstalled: (sight, prefix) => hasFolder(sight, prefix, "lib/rustlib"),
  canStandAlone: false,
  ships: ["etc"],
  code: ["bin", "lib", "libexec"],
  macos: [],
};

const GO: Language = {
  name: "go",
  program: "go",
  fileName: /^go[\d.]*$/,
  versionVariable: "GOENV_VERSION",
  tools: ["golang", "go"],
  isInstalled: (sight, prefix) =>
    has(sight, prefix, "VERSION") && hasFolder(sight, prefix, "src") && hasFolder(sight, prefix, "pkg"),
  canStandAlone: false,
  ships: ["VERSION", "api", "codereview.cfg", "go.env", "misc", "pkg", "src", "test"],
  code: ["bin", "lib", "pkg", "src", "VERSION", "go.env"],
  macos: [],
};

const GIT: Language = {
  name: "git",
  program: "git",
  fileName: /^git$/,
  versionVariable: null,
  tools: [],
  isInstalled: (sight, prefix) => hasFolder(sight, prefix, "libexec/git-core"),
  canStandAlone: true,
  ships: [],
  code: ["bin", "lib", "libexec", "share"],
  macos: [],
};

/** A JDK, or a JRE: from Debian below `/usr/lib/jvm`, from SDKMAN, asdf, mise or jenv in a folder of one version. */
const JAVA: Language = {
  name: "java",
  program: "java",
  fileName: /^java$/,
  versionVariable: "JENV_VERSION",
  tools: ["java"],
  isInstalled: (sight, prefix) =>
    has(sight, prefix, "lib/modules") ||
    has(sight, prefix, "jre/lib/rt.jar") ||
    has(sight, prefix, "lib/rt.jar"),
  canStandAlone: false,
  ships: [
    ...["release", "conf", "jmods", "jre", "legal", "demo", "sample", "src.zip", "Welcome.html"],
    ...["NOTICE", "COPYRIGHT", "ASSEMBLY_EXCEPTION", "THIRD_PARTY_README"],
  ],
  code: ["bin", "lib", "conf", "jmods", "jre", "include", "legal", "release"],
  macos: ["java"],
};

/** GHC, from Debian in `/usr`, or from GHCup in a folder of one version. */
const HASKELL: Language = {
  name: "haskell",
  program: "ghc",
  fileName: /^ghc(-\d[\d.]*)?$/,
  versionVariable: null,
  tools: ["ghc", "haskell"],
  isInstalled: (sight, prefix) =>
    namesIn(sight, joinPath(prefix, "lib")).some((name) => /^ghc-\d/.test(name)),
  canStandAlone: false,
  ships: [],
  code: ["bin", "lib", "share"],
  macos: [],
};

/** Every language that is found by name, in the order of the default config. */
export const LANGUAGES: readonly Language[] = [NODE, PYTHON, RUST, GO, GIT, JAVA, HASKELL];
