import type { Stats } from "node:fs";
import { type AbsolutePath, joinPath, ROOT } from "../../profile/path.ts";
import type { Runtime } from "../../tool/facts.ts";
import { childrenOf, EVERYTHING, isFolder, namesIn, reach, type Sight, statsOf } from "./disk.ts";
import { both, type Grant, grantOf, NOTHING, settled, shows } from "./grant.ts";
import type { Site } from "./site.ts";

/** Where distributions install programs: a real folder is granted, a link into one becomes a link. */
const LINUX = ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32"] as const;

/** NixOS: every program lies in the store, and `/etc` and the system's programs are links into it. */
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
/** Settings of the machine that Core Foundation reads when a program starts: language, formats, what is logged. */
const MACOS_SETTINGS = [".GlobalPreferences.plist", "com.apple.networkd.plist", "Logging"].map(
  (name) => `Library/Preferences/${name}`,
);
/** What a Mac has of all this, by its names in `/`. */
export const MACOS = [
  ...MACOS_PROGRAMS,
  ...MACOS_FRAMEWORKS,
  ...MACOS_STATE,
  ...MACOS_SETTINGS,
  "private/var/select",
];

/** Certificates of authorities, where each family of distributions has them; no folder in which private keys lie. */
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
 * What Debian's packages keep in `/var/lib` and reach by links from `/usr`: the packages of GHC, dictionaries, and formats and
 * lists of TeX. All of it is made by the packages themselves, from what they install.
 */
const VAR_LIB = ["aspell", "ghc", "ispell", "texmf"] as const;

/**
 * What programs need of `/etc` to start and to work as usual: the loader, `alternatives`, certificates, time zone,
 * names of ports, fonts, mime types, the config of languages that is reached by links from `/usr`, what Debian's
 * launcher of Chromium fails without, catalogs of words, the drivers of graphics cards by name, and
 * what ImageMagick may not do. Left out is what says who or where the
 * machine is, what may hold credentials (`npmrc`, `pip.conf`, Maven's `settings.xml`, `gitconfig`, `profile`, `environment`),
 * and what programs do without: each costs at every launch, a folder as a mount more than a file as a copy.
 */
const ETC = [...LOADER, ...SSL, ...PKI, "ca-certificates/extracted", "crypto-policies", ...NAMES];

/**
 * What the C library reads on macOS besides, where nothing can be put in its place as on Linux: names and addresses of
 * hosts that are written down there, and services' accounts, but no person's.
 */
const MACOS_ETC = ["hosts", "passwd", "resolv.conf", "shells"] as const;

/** Names in `/etc` that carry a version: `java-17-openjdk`, `ld-musl-x86_64.path`. */
const ETC_VERSIONED = /^(java(-[\w.]+)*|ld-musl-\w+\.path)$/;

/** Which extensions Debian's PHP has on the command line; beside them lie the pools of its server, with their passwords. */
const PHP = ["cli", "mods-available"] as const;

const BIN = ["usr/local/bin", "usr/bin", "bin", "run/current-system/sw/bin"] as const;
const SBIN = ["usr/local/sbin", "usr/sbin", "sbin"] as const;

/**
 * What every program needs to start, as this machine has it. `top` is the root of the file system; tests give another.
 * Of `/etc` only an allow-list is granted, and of that only what every user of the machine may read, and what no link
 * in a root leads to.
 */
export function systemRuntime(site: Pick<Site, "platform" | "hidden">, top: AbsolutePath = ROOT): Runtime {
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

/** A real folder as it is; of a link only the link, which `settle` keeps when it leads into such a folder. */
function programGrantOf(folder: AbsolutePath): Grant {
  const reached = reach(EVERYTHING, folder);
  if (reached === null) return NOTHING;
  return { read: reached.links.length === 0 ? [reached.real] : [], links: reached.links };
}

/** The folders that are seen inside, each under the first of its names: with `/bin` → `usr/bin` only `/usr/bin`. */
function programFolders(folders: readonly AbsolutePath[], grant: Grant): readonly AbsolutePath[] {
  const byReal = new Map<AbsolutePath, AbsolutePath>();
  for (const folder of folders) {
    const real = reach(EVERYTHING, folder)?.real;
    if (real === undefined || byReal.has(real) || !isFolder(EVERYTHING, real)) continue;
    if (shows(grant, real)) byReal.set(real, folder);
  }
  return [...byReal.values()];
}

/** What the path leads to, as far as every user of the machine may read it; what `shown` has already is not asked about. */
function openGrantOf(sight: Sight, path: AbsolutePath, shown: Grant): Grant {
  const reached = reach(sight, path);
  if (reached === null) return NOTHING;
  const open = shows(shown, reached.real)
    ? { read: [reached.real], links: [] }
    : openParts(sight, reached.real);
  return both({ read: [], links: reached.links }, open);
}

/**
 * The file or folder itself when everything in it is open to every user, else the open parts of it: a private key that
 * somebody put among the certificates stays hidden although the supervisor may read it.
 */
function openParts(sight: Sight, path: AbsolutePath): Grant {
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
