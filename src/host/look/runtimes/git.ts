import type { AbsolutePath } from "../../../profile/path.ts";
import { joinPath, parentOf } from "../../../profile/path.ts";
import type { GitOfCaller, HomeFile, Runtime } from "../../../tool/facts.ts";
import { isProgram, reach, textOf } from "./disk.ts";
import type { GitSetting } from "./git-config.ts";
import { folderOfPerson, type WrittenSetting, writtenFile, writtenSettings } from "./git-files.ts";
import { isCarried, isSigning, LFS, MADE_FILES } from "./git-keys.ts";
import { printSetting } from "./git-text.ts";
import { shows } from "./grant.ts";
import { programsOnPath } from "./program.ts";
import { carriedSigning, signingNeeds, signingOf } from "./signing.ts";
import type { RuntimeSite } from "./site.ts";

/** Name of the config in HOME inside. The files that it names are beside it, with this prefix. */
const CONFIG = ".gitconfig";

/** Maximum of characters of a list of patterns, since it is passed to each call; a longer one is left out. */
const MAX_CHARACTERS = 64 * 1024;

/** Git's files in HOME inside, and other known facts of the person's configuration. */
export interface CarriedGit {
  readonly files: readonly HomeFile[];
  readonly git: GitOfCaller;
}

/**
 * The person's and machine's git configuration as files in HOME: keys that run and reach nothing (`git-keys.ts`), with
 * conditions. A repository's and `git config --global` inside take precedence. Git is not started.
 */
export function carriedGit(
  site: RuntimeSite,
  inside: readonly Pick<Runtime, "read" | "links" | "path">[],
): CarriedGit {
  const written = writtenSettings(site);
  const hasLfs = isInside(site, "git-lfs", inside);
  const writer = new Writer(site, hasLfs);
  const text = writer.defaults() + writer.print(written);
  const files = text === "" ? [] : [{ name: CONFIG, text, namedBy: "GIT_CONFIG_SYSTEM" }, ...writer.files];
  const filters = hasLfs && /^\[filter "lfs"\]$/m.test(text) ? ["lfs"] : [];
  return { files, git: { signing: signingOf(written), filters } };
}

class Writer {
  readonly files: HomeFile[] = [];
  readonly #site: RuntimeSite;
  readonly #hasLfs: boolean;

  constructor(site: RuntimeSite, hasLfs: boolean) {
    this.#site = site;
    this.#hasLfs = hasLfs;
  }

  /** Git's default files of patterns, used if no setting names them (git-config(1), `core.excludesFile`). */
  defaults(): string {
    const named = [
      ["core.excludesfile", "ignore"],
      ["core.attributesfile", "attributes"],
    ] as const;
    return named
      .map(([key, name]) => this.#made(key, joinPath(folderOfPerson(this.#site), name), ""))
      .join("");
  }

  print(written: readonly WrittenSetting[]): string {
    const signing = written.flatMap((one) =>
      "condition" in one || !isSigning(one.name) ? [] : (carriedSigning(this.#site, one) ?? []),
    );
    const text = written
      .map((one) => ("condition" in one ? this.#conditional(one) : this.#setting(one)))
      .join("");
    if (signing.length === 0) return text;
    const signs = signing.map(({ name, value }) => printSetting(name, value)).join("");
    return text + printSetting("include.path", this.#file("signing", signs, signingNeeds(written)));
  }

  #conditional({ condition, settings }: Extract<WrittenSetting, { readonly condition: string }>): string {
    const text = this.print(settings);
    return text === "" ? "" : printSetting(`includeif.${condition}.path`, this.#file("included", text));
  }

  #setting({ name, value }: GitSetting): string {
    if (name in MADE_FILES) return this.#pattern(name, value ?? "");
    const isLfs = this.#hasLfs && value !== null && (LFS[name]?.includes(value) ?? false);
    return isLfs || isCarried(name, value) ? printSetting(name, value) : "";
  }

  /** A missing file of patterns is empty, as for git; the default one does not replace it. */
  #pattern(name: string, written: string): string {
    const file = writtenFile(this.#site, written, null);
    const none = printSetting(name, "");
    return file === null ? none : this.#made(name, file, none);
  }

  #made(key: string, file: AbsolutePath, otherwise: string): string {
    const text = textOf(this.#site, file);
    if (text === null || text.length > MAX_CHARACTERS || text.includes("\0")) return otherwise;
    // A comment may be private, and is no pattern.
    const patterns = text.replace(/^#.*(?:\n|$)/gm, "");
    return printSetting(key, this.#file(key === "core.excludesfile" ? "ignore" : "attributes", patterns));
  }

  #file(kind: string, text: string, needs?: string): string {
    const name = `${CONFIG}.${kind}-${this.files.length}`;
    this.files.push({ name, text, ...(needs === undefined ? {} : { needs }) });
    return `~/${name}`;
  }
}

function isInside(
  site: RuntimeSite,
  name: string,
  inside: readonly Pick<Runtime, "read" | "links" | "path">[],
): boolean {
  const grant = { read: inside.flatMap(({ read }) => read), links: inside.flatMap(({ links }) => links) };
  const folders = inside.flatMap(({ path }) => path);
  return programsOnPath(site, name).some((path) => {
    const [file, folder] = [reach(site, path)?.real, reach(site, parentOf(path))?.real];
    if (file === undefined || folder === undefined) return false;
    return folders.includes(folder) && shows(grant, file) && isProgram(site, file);
  });
}
