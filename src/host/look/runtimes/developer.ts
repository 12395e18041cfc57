import {
  type AbsolutePath,
  isInside,
  joinPath,
  knownPath,
  nameOf,
  parentOf,
  ROOT,
} from "../../../profile/path.ts";
import { isFile, reach } from "./disk.ts";
import { found, missing, type RuntimeFinding, unfit } from "./finding.ts";
import { both, grantOf, NOTHING, type RuntimeGrant } from "./grant.ts";
import { absoluteIn, holdsPrivate } from "./private.ts";
import type { RuntimeSite } from "./site.ts";

/** Name of the runtime for Apple's developer tools. */
export const XCODE = "xcode";

/** The link by which macOS selects the developer tools, then their usual folders: the first that exists counts. */
const CHOSEN = [
  "private/var/select/developer_dir",
  "private/var/db/xcode_select_link",
  "Applications/Xcode.app/Contents/Developer",
  "Library/Developer/CommandLineTools",
] as const;

/** `xcode-select` requires it (https://macops.ca/developer-binaries-on-os-x-xcode-select-and-xcrun). */
const MARK = "usr/lib/libxcrun.dylib";

/** Record of the agreement to Xcode's licence: without it, its programs only ask for it. */
const LICENCE = "Library/Preferences/com.apple.dt.Xcode.plist";

/** The programs in `/usr/bin` that start a developer tool of the same name, as far as a runtime is found by them. */
const STAND_INS: readonly AbsolutePath[] = ["/usr/bin/git", "/usr/bin/python3"].map(knownPath);

/** True for a program of macOS that starts the developer tool of the same name. */
export function isStandIn({ platform }: Pick<RuntimeSite, "platform">, program: AbsolutePath): boolean {
  return platform === "darwin" && STAND_INS.includes(program);
}

/**
 * This Mac's selected developer tools (xcode-select(1)): Xcode, or the command line tools, and the record of the
 * agreement to its licence. Their cache of paths (`xcrun_db`) is never written, because programs outside start the
 * paths in it. Other systems need none: a config may name both kinds. `top`: root of the file system, another in tests.
 */
export function findDeveloperTools(site: RuntimeSite, top: AbsolutePath = ROOT): RuntimeFinding {
  if (site.platform !== "darwin") return found(XCODE, NOTHING, []);
  const chosen = CHOSEN.map((name) => joinPath(top, name)).find((path) => isFile(site, joinPath(path, MARK)));
  const folder = chosen === undefined ? null : reach(site, chosen);
  if (chosen === undefined || folder === null)
    return missing(XCODE, "is not on this machine", "run `xcode-select --install`");
  const whole = wholeOf(folder.real);
  if (holdsPrivate(site, whole))
    return unfit(XCODE, whole, "contains private files of a user", "install it elsewhere");
  const beside: RuntimeGrant = { read: [whole], links: folder.links };
  return found(XCODE, both(beside, grantOf(site, [joinPath(top, LICENCE)]), remembered(site, top)), []);
}

/** Xcode's programs need the rest of its bundle; the command line tools need nothing else. */
function wholeOf(folder: AbsolutePath): AbsolutePath {
  const contents = parentOf(folder);
  return nameOf(contents) === "Contents" && nameOf(parentOf(contents)).endsWith(".app") ? contents : folder;
}

/** `xcrun` keeps it in the person's temporary folder (confstr(3): `_CS_DARWIN_USER_TEMP_DIR`), which TMPDIR names. */
function remembered(site: RuntimeSite, top: AbsolutePath): RuntimeGrant {
  const folder = absoluteIn(site, "TMPDIR");
  const file = folder === null ? null : reach(site, joinPath(folder, "xcrun_db"));
  const isOwn = file !== null && isInside(file.real, joinPath(top, "private/var/folders"));
  return isOwn && isFile(site, file.real) ? { read: [file.real], links: file.links } : NOTHING;
}
