import { z } from "zod";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../../profile/path.ts";
import { orNull } from "../../or-null.ts";
import { isFolder, isProgram, namesIn, reach, textOf } from "./disk.ts";
import type { Language } from "./language.ts";
import { absoluteIn } from "./private.ts";
import { behindRustup } from "./rustup.ts";
import type { RuntimeSite } from "./site.ts";
import { tomlStrings } from "./toml.ts";

/**
 * Meaning of a program on PATH: `plain`: the program itself; `chosen`: a version that its manager's files name;
 * `elsewhere`: a program later on PATH; `unknown`: a version that can't be determined without running it.
 */
export type Shim =
  | { readonly kind: "plain" | "elsewhere" | "unknown" }
  | { readonly kind: "chosen"; readonly program: AbsolutePath };

/** Resolves a shim by its manager's variables and global files; not by a project's, which must not choose grants. */
export function behindShim(site: RuntimeSite, language: Language, path: AbsolutePath): Shim {
  // Yarn starts Node by a script of its own in a temporary folder
  // (https://yarnpkg.com/advanced/lifecycle-scripts#environment-variables).
  if (parentOf(path) === absoluteIn(site, "BERRY_BIN_FOLDER")) return { kind: "elsewhere" };
  const folder = reach(site, parentOf(path))?.real ?? parentOf(path);
  const file = reach(site, path)?.real;
  const launcher = file === undefined ? "" : nameOf(file);
  const proxied = language.name === "rust" ? behindRustup(site, folder, launcher) : "plain";
  if (proxied === null) return { kind: "unknown" };
  if (proxied !== "plain") return { kind: "chosen", program: proxied };
  if (launcher === "volta-shim") return chosen(site, language, voltaFolders(site, language));
  if (nameOf(folder) !== "shims") return { kind: "plain" };
  const root = parentOf(folder);
  if (isFolder(site, joinPath(root, "versions"))) {
    const wanted = wantedOfEnv(site, language, root);
    if (wanted.length === 0 || wanted[0] === "system") return { kind: "elsewhere" };
    return chosen(site, language, versionFolders(site, language, joinPath(root, "versions"), wanted));
  }
  const isMise = nameOf(root) === "mise" || launcher === "mise";
  const wanted = isMise ? wantedOfMise(site, language) : wantedOfAsdf(site, language);
  if (wanted[0] === "system") return { kind: "elsewhere" };
  const managed = language.tools.map((tool) => joinPath(root, `installs/${tool}`));
  return chosen(
    site,
    language,
    managed.flatMap((installed) => versionFolders(site, language, installed, wanted)),
  );
}

function chosen(site: RuntimeSite, language: Language, folders: readonly AbsolutePath[]): Shim {
  const programs = folders.flatMap((folder) =>
    ["bin", "go/bin"].map((bin) => joinPath(folder, `${bin}/${language.program}`)),
  );
  const program = programs.find((each) => isProgram(site, each));
  return program === undefined ? { kind: "unknown" } : { kind: "chosen", program };
}

/** nodenv, pyenv, goenv: a variable, else `<root>/version`; several versions are tried in their order. */
function wantedOfEnv(site: RuntimeSite, language: Language, root: AbsolutePath): readonly string[] {
  const variable = language.versionVariable === null ? undefined : site.env[language.versionVariable];
  if (variable !== undefined && variable !== "") return words(variable.replaceAll(":", " "));
  return words(textOf(site, joinPath(root, "version")));
}

/** asdf: a variable, else the line of `~/.tool-versions`. */
function wantedOfAsdf(site: RuntimeSite, language: Language): readonly string[] {
  const variable = variableOf(site, language, "ASDF");
  if (variable.length > 0) return variable;
  const lines = (textOf(site, joinPath(site.user.home, ".tool-versions")) ?? "").split("\n").map(words);
  return lines.find(([tool]) => tool !== undefined && language.tools.includes(tool))?.slice(1) ?? [];
}

/** mise: a variable, else `[tools]` of its global config, else the version for asdf. */
function wantedOfMise(site: RuntimeSite, language: Language): readonly string[] {
  const variable = variableOf(site, language, "MISE");
  if (variable.length > 0) return variable;
  const folder = absoluteIn(site, "XDG_CONFIG_HOME") ?? joinPath(site.user.home, ".config");
  const config = textOf(site, joinPath(folder, "mise/config.toml")) ?? "";
  const listed = language.tools.flatMap((tool) => tomlStrings(config, "tools", tool));
  return listed.length > 0 ? listed : wantedOfAsdf(site, language);
}

function variableOf(site: RuntimeSite, language: Language, manager: string): readonly string[] {
  return language.tools.flatMap((tool) =>
    words(site.env[`${manager}_${tool.toUpperCase()}_VERSION`] ?? null),
  );
}

const VoltaPlatform = z.object({ node: z.object({ runtime: z.string() }) });

/** volta: `tools/user/platform.json` names the default version; it manages only node. */
function voltaFolders(site: RuntimeSite, language: Language): readonly AbsolutePath[] {
  const home = absoluteIn(site, "VOLTA_HOME") ?? joinPath(site.user.home, ".volta");
  const platform = VoltaPlatform.safeParse(json(textOf(site, joinPath(home, "tools/user/platform.json"))));
  if (language.name !== "node" || !platform.success) return [];
  return versionFolders(site, language, joinPath(home, "tools/image/node"), [platform.data.node.runtime]);
}

/** Folders of versions as people write them: `3.11.7`, `v20.1.0`, `node-20.1.0`, or `3.11` for the newest of them. */
function versionFolders(
  site: RuntimeSite,
  language: Language,
  installed: AbsolutePath,
  versions: readonly string[],
): readonly AbsolutePath[] {
  const names = namesIn(site, installed);
  const prefix = new RegExp(`^(?:(?:${[language.name, ...language.tools].join("|")})-)?v?(?=\\d)`);
  return versions.flatMap((version) => {
    const plain = version.replace(prefix, "");
    const newest = names
      .filter((name) => name.replace(/^v/, "").startsWith(`${plain}.`))
      .toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
      .at(-1);
    const name = [version, plain, `v${plain}`].find((each) => names.includes(each)) ?? newest;
    return name === undefined ? [] : joinPath(installed, name);
  });
}

function words(text: string | null): readonly string[] {
  return (text ?? "")
    .replace(/#.*/g, "")
    .split(/\s+/)
    .filter((word) => word !== "");
}

function json(text: string | null): unknown {
  // A file that volta could not read either names no version.
  return orNull((): unknown => JSON.parse(text ?? "null"));
}
