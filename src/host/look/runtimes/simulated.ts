import { type AbsolutePath, joinPath, knownPath, ROOT } from "../../../profile/path.ts";
import type { Link, Runtime } from "../../../tool/facts.ts";
import { type SimulatedMac, there } from "../mac/simulated.ts";
import { listedRuntime } from "./by-hand.ts";
import { XCODE } from "./developer.ts";
import type { RuntimeRequest } from "./finding.ts";
import { type EndOf, endOnDisk, settle } from "./grant.ts";
import { BREWED } from "./installed.ts";
import { LANGUAGES } from "./language.ts";
import type { RuntimeSite } from "./site.ts";
import { MACOS } from "./system.ts";

/**
 * The simulated Mac's runtimes, in the order in which they would be found there. Folders listed by hand are looked up
 * here, and have the paths of this machine; links have those of the Mac. Throws `CONFIG_INVALID` for such a folder.
 */
export function simulatedRuntimes(
  site: RuntimeSite,
  mac: SimulatedMac,
  requests: readonly RuntimeRequest[],
): readonly Runtime[] {
  const others = [...new Set(requests)].filter((request) => request !== "system");
  const runtimes = others.map((request): Runtime => {
    const found =
      typeof request === "string"
        ? simulatedLanguage(mac, request)
        : listedRuntime(site, request.name, request.read);
    return { ...found, macos: LANGUAGES.find(({ name }) => name === found.name)?.macos ?? [] };
  });
  const ends = linkTargets(mac);
  const endOf: EndOf = (link) => ends.get(link) ?? endOnDisk(link);
  return settle(runtimes, requests.includes("system") ? simulatedSystem() : null, endOf).map((runtime) => ({
    ...runtime,
    links: runtime.links.map((link) =>
      ends.has(link.path) ? link : { ...link, path: there(mac, link.path) },
    ),
  }));
}

/** Targets of the links of a simulated Mac. */
export function linkTargets(mac: SimulatedMac): ReadonlyMap<AbsolutePath, AbsolutePath> {
  return new Map([...LINKS, certificates(mac)].map(({ path, end }) => [path, end]));
}

/** A link that every Mac has, and its final target. */
interface SimulatedLink extends Link {
  readonly end: AbsolutePath;
}

const COMMAND_LINE_TOOLS = knownPath("/Library/Developer/CommandLineTools");

const LINKS: readonly SimulatedLink[] = [
  ["/etc", "private/etc", "/private/etc"],
  ["/private/etc/localtime", "/var/db/timezone/zoneinfo/UTC", "/private/var/db/timezone/zoneinfo/UTC"],
  ["/private/etc/resolv.conf", "../var/run/resolv.conf", "/private/var/run/resolv.conf"],
  ["/private/var/db/xcode_select_link", COMMAND_LINE_TOOLS, COMMAND_LINE_TOOLS],
  ["/var", "private/var", "/private/var"],
].map(([path = "", target = "", end = ""]) => ({ path: knownPath(path), target, end: knownPath(end) }));

/** A Mac's files in `/etc` that programs need; `resolv.conf` by its target. */
const CONFIG = [
  ...["hosts", "passwd", "protocols", "services", "shells"],
  ...["cert.pem", "certs", "openssl.cnf"].map((name) => `ssl/${name}`),
].map((name) => `private/etc/${name}`);

/** The `system` runtime of a Mac with the command line tools: whole, since nothing of it can be looked up. */
export function simulatedSystem(): Runtime {
  const isLink = (path: AbsolutePath): boolean => LINKS.some((link) => link.path === path);
  const read = [...MACOS, ...CONFIG, "private/var/run/resolv.conf"].map((name) => joinPath(ROOT, name));
  return {
    name: "system",
    read: read.filter((path) => !isLink(path)),
    links: LINKS.map(({ path, target }) => ({ path, target })),
    path: ["/usr/bin", "/bin", "/usr/sbin", "/sbin"].map(knownPath),
    env: {},
    macos: [],
  };
}

/** Homebrew's OpenSSL reaches the authorities' certificates by a link. */
function certificates({ brew }: SimulatedMac): SimulatedLink {
  return {
    path: joinPath(brew, "etc/openssl@3/cert.pem"),
    target: "../ca-certificates/cert.pem",
    end: joinPath(brew, "etc/ca-certificates/cert.pem"),
  };
}

/** A language's programs as they are found on a usual Mac, in a recent version. */
function simulatedLanguage(mac: SimulatedMac, name: string): Runtime {
  const { home, brew } = mac;
  const { path: link, target } = certificates(mac);
  const brewed = (folder: string): Runtime => ({
    ...NOTHING_FOUND,
    name,
    read: BREWED.map((part) => joinPath(brew, part)).filter((path) => path !== link),
    links: [{ path: link, target }],
    path: [joinPath(brew, `Cellar/${folder}`)],
  });
  const alone = (folder: AbsolutePath): Runtime => ({
    ...NOTHING_FOUND,
    name,
    read: [folder],
    path: [joinPath(folder, "bin")],
  });
  switch (name) {
    case "node":
      return brewed("node/24.1.0/bin");
    case "python":
      return brewed("python@3.13/3.13.3/Frameworks/Python.framework/Versions/3.13/bin");
    case "git":
      return brewed("git/2.49.0/bin");
    case "go":
      return alone(joinPath(brew, "Cellar/go/1.24.3/libexec"));
    case "rust":
      return alone(joinPath(home, ".rustup/toolchains/stable-aarch64-apple-darwin"));
    case XCODE:
      return { ...NOTHING_FOUND, name, read: [COMMAND_LINE_TOOLS] };
    default:
      return { ...NOTHING_FOUND, name };
  }
}

const NOTHING_FOUND: Omit<Runtime, "name"> = { read: [], links: [], path: [], env: {}, macos: [] };
