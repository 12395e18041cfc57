import type { Stats } from "node:fs";
import { type AbsolutePath, joinPath, ROOT } from "../../../profile/path.ts";
import type { Runtime } from "../../../tool/facts.ts";
import { childrenOf, EVERYTHING, isFolder, namesIn, reach, type Sight, statsOf } from "./disk.ts";
import { both, grantOf, NOTHING, type RuntimeGrant, settled, shows } from "./grant.ts";
import type { RuntimeSite } from "./site.ts";

/** Folders in which distributions install programs: a real folder is granted, a link into one becomes a link. */
const LINUX = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"] as const;

/** NixOS: every program is in the store, and `/etc` and the system's programs are links into it. */
const NIX = ["nix/store", "run/current-system/sw", "etc/static"] as const;

/** macOS, without `/usr/local`, which is a package manager's. */
const MACOS_PROGRAMS = ["usr/bin", "usr/sbin", "usr/lib", "usr/libexec", "usr/share", "bin", "sbin"] as const;
const MACOS_FRAMEWORKS = [
  "System/Library",
  "System/Cryptexes",
  "System/Volumes/Preboot/Cryptexes",
  "Library/Apple",
  "Library/Frameworks",
  "Library/Developer/CommandLineTools",
] as const;
const MACOS_STATE = ["dyld", "timezone", "xcode_select_link"].map((name) => `private/var/db/${name}`);
/** Settings of the machine that Core Foundation reads when a program starts: language, formats, logging. */
const MACOS_SETTINGS = [".GlobalPreferences.plist", "com.apple.networkd.plist", "Logging"].map(
  (name) => `Library/Preferences/${name}`,
);
/** All of these on a Mac, by their names in `/`. */
export const MACOS = [
  ...MACOS_PROGRAMS,
  ...MACOS_FRAMEWORKS,
  ...MACOS_STATE,
  ...MACOS_SETTINGS,
  "private/var/select",
];

/** Certificates of authorities, at the paths of each family of distributions; no folder with private keys. */
const SSL = ["certs", "cert.pem", "ca-bundle.pem", "openssl.cnf"].map((name) => `ssl/${name}`);
const PKI = ["ca-trust/extracted", "java/cacerts", "tls/certs", "tls/cert.pem", "tls/openssl.cnf"].map(
  (name) => `pki/${name}`,
);
const LOADER = ["alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d"] as const;
const NAMES = [
  "localtime",
  "os-release",
  "protocols",
  "services",
  "fonts",
  "mime.types",
  "texmf",
  "R",
  "chromium.d",
  "ImageMagick-6",
  "ImageMagick-7",
  ...["dictionaries-common", "libreoffice", "ocamlfind.conf", "perl/XML"],
  ...["OpenCL/vendors", "vulkan"],
] as const;

/**
 * Folders in `/var/lib` of Debian's packages that links in `/usr` reach: the packages of GHC, dictionaries, and formats
 * and lists of TeX. The packages themselves make all of it, from their own files.
 */
const VAR_LIB = ["aspell", "ghc", "ispell", "texmf"] as const;

/**
 * Parts of `/etc` that programs need to start and to work as usual: the loader, `alternatives`, certificates, time
 * zone, names of ports, fonts, mime types, the config of languages that is reached by links from `/usr`, files without
 * which Debian's launcher of Chromium fails, catalogs of words, the drivers of graphics cards by name, and
 * ImageMagick's restrictions. Left out are files that identify the machine or its place, those that may have
 * credentials (`npmrc`, `pip.conf`, Maven's `settings.xml`, `gitconfig`, `profile`, `environment`), and those that
 * programs do without. Each costs time at every launch, a folder as a mount more than a file as a copy.
 */
const ETC = [...LOADER, ...SSL, ...PKI, "ca-certificates/extracted", "crypto-policies", ...NAMES];

/** Files that macOS's C library reads, not replaceable as on Linux: hosts and services' accounts, no person's. */
const MACOS_ETC = ["hosts", "passwd", "resolv.conf", "shells"] as const;

/** Names in `/etc` that carry a version: `java-17-openjdk`, `ld-musl-x86_64.path`. */
const ETC_VERSIONED = /^(java(-[\w.]+)*|ld-musl-\w+\.path)$/;

/** Extensions of Debian's PHP on the command line; beside them are the pools of its server, with their passwords. */
const PHP = ["cli", "mods-available"] as const;

const BIN = ["usr/local/bin", "usr/bin", "bin", "run/current-system/sw/bin"] as const;
const SBIN = ["usr/local/sbin", "usr/sbin", "sbin"] as const;

/**
 * The files that every program needs to start, on this machine. `top` is the root of the file system; tests pass
 * another. Only an allow-list of `/etc` is granted: files that every user may read, and no target of a link in a root.
 */
export function systemRuntime(
  site: Pick<RuntimeSite, "platform" | "hidden">,
  top: AbsolutePath = ROOT,
): Runtime {
  const at = (name: string): AbsolutePath => joinPath(top, name);
  const folders =
    site.platform === "darwin" ? MACOS : isFolder(EVERYTHING, at("nix/store")) ? [...LINUX, ...NIX] : LINUX;
  const versioned = namesIn(site, at("etc")).filter((name) => ETC_VERSIONED.test(name));
  const programs = both(...folders.map((name) => programGrantOf(at(name))));
  const php = namesIn(site, at("etc/php")).flatMap((version) => PHP.map((part) => `php/${version}/${part}`));
  const besides = site.platform === "darwin" ? MACOS_ETC : [];
  const config = [...ETC, ...besides, ...versioned, ...php].map((name) =>
    openGrantOf(site, at(`etc/${name}`), programs),
  );
  const made = site.platform === "linux" ? VAR_LIB : [];
  const data = made.map((name) => openGrantOf(site, at(`var/lib/${name}`), programs));
  const grant = both(programs, ...config, ...data);
  const path = programFolders([...BIN, ...SBIN].map(at), grant);
  return settled({ name: "system", ...grant, path, env: {}, macos: [] });
}

/** A real folder as it is; for a link only the link, which `settle` keeps if it leads into such a folder. */
function programGrantOf(folder: AbsolutePath): RuntimeGrant {
  const reached = reach(EVERYTHING, folder);
  if (reached === null) return NOTHING;
  return { read: reached.links.length === 0 ? [reached.real] : [], links: reached.links };
}

/** The folders visible inside, each under its first name: with `/bin` → `usr/bin` only `/usr/bin`. */
function programFolders(folders: readonly AbsolutePath[], grant: RuntimeGrant): readonly AbsolutePath[] {
  const byReal = new Map<AbsolutePath, AbsolutePath>();
  for (const folder of folders) {
    const real = reach(EVERYTHING, folder)?.real;
    if (real === undefined || byReal.has(real) || !isFolder(EVERYTHING, real)) continue;
    if (shows(grant, real)) byReal.set(real, folder);
  }
  return [...byReal.values()];
}

/** The path's target, as far as every user of the machine may read it; paths already in `shown` are not checked. */
function openGrantOf(sight: Sight, path: AbsolutePath, shown: RuntimeGrant): RuntimeGrant {
  const reached = reach(sight, path);
  if (reached === null) return NOTHING;
  const open = shows(shown, reached.real)
    ? { read: [reached.real], links: [] }
    : openParts(sight, reached.real);
  return both({ read: [], links: reached.links }, open);
}

/** The path if all in it is open to every user, else its open parts: a key that the supervisor can read is hidden. */
function openParts(sight: Sight, path: AbsolutePath): RuntimeGrant {
  const stats = statsOf(sight, path);
  if (stats === null || !isOpen(stats)) return NOTHING;
  if (!stats.isDirectory()) return { read: [path], links: [] };
  const children = childrenOf(path);
  const links = children.filter((child) => child.isLink).map((child) => child.path);
  const others = children.filter((child) => !child.isLink).map((child) => child.path);
  const parts = others.map((other) => openParts(sight, other));
  const isWhole = parts.every((part, index) => part.read.length === 1 && part.read[0] === others[index]);
  return isWhole
    ? { read: [path], links: [] }
    : both({ read: [], links: grantOf(sight, links).links }, ...parts);
}

function isOpen(stats: Stats): boolean {
  const needed = stats.isDirectory() ? 0o005 : 0o004;
  return (stats.isDirectory() || stats.isFile()) && (stats.mode & needed) === needed;
}
