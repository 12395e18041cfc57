import {
  type AbsolutePath,
  isInside,
  joinPath,
  knownPath,
  nameOf,
  parentOf,
  ROOT,
} from "../../profile/path.ts";
import { isFile, reach } from "./disk.ts";
import { type Finding, found, missing, unfit } from "./finding.ts";
import { both, type Grant, grantOf, NOTHING } from "./grant.ts";
import { absoluteIn, holdsPrivate } from "./private.ts";
import type { Site } from "./site.ts";

/** Name of the runtime that Apple's developer tools are. */
export const XCODE = "xcode";

/** Where macOS says which folder is the developer tools', then where they are installed: the first that is there counts. */
const CHOSEN = [
  "private/var/select/developer_dir",
  "private/var/db/xcode_select_link",
  "Applications/Xcode.app/Contents/Developer",
  "Library/Developer/CommandLineTools",
] as const;

/** What every such folder has: `xcode-select` takes no other (https://macops.ca/developer-binaries-on-os-x-xcode-select-and-xcrun). */
const MARK = "usr/lib/libxcrun.dylib";

/** Whether Xcode's licence was agreed to: without it, its programs do nothing but ask. */
const LICENCE = "Library/Preferences/com.apple.dt.Xcode.plist";

/** Of the programs in `/usr/bin` that stand for one among the developer tools, those that a runtime is found by. */
const STAND_INS: readonly AbsolutePath[] = ["/usr/bin/git", "/usr/bin/python3"].map(knownPath);

/** True for a program of macOS that starts the one of that name among the developer tools. */
export function isStandIn({ platform }: Pick<Site, "platform">, program: AbsolutePath): boolean {
  return platform === "darwin" && STAND_INS.includes(program);
}

/**
 * The developer tools that are chosen on this Mac (xcode-select(1)): Xcode, or the command line tools, and what tells them
 * that the licence was agreed to. What they remember of each other (`xcrun_db`) is read and never written, because programs
 * outside start what it names. Elsewhere than on macOS there are none and nothing needs them: a config may speak of both.
 * `top` is the root of the file system; tests give another.
 */
export function findDeveloperTools(site: Site, top: AbsolutePath = ROOT): Finding {
  if (site.platform !== "darwin") return found(XCODE, NOTHING, []);
  const chosen = CHOSEN.map((name) => joinPath(top, name)).find((path) => isFile(site, joinPath(path, MARK)));
  const folder = chosen === undefined ? null : reach(site, chosen);
  if (chosen === undefined || folder === null)
    return missing(XCODE, "is not on this machine", "run `xcode-select --install`");
  const whole = wholeOf(folder.real);
  if (holdsPrivate(site, whole))
    return unfit(XCODE, whole, "holds what is a person's own", "install it elsewhere");
  const beside: Grant = { read: [whole], links: folder.links };
  return found(XCODE, both(beside, grantOf(site, [joinPath(top, LICENCE)]), remembered(site, top)), []);
}

/** Xcode's programs need what its bundle holds beside them; the command line tools stand alone. */
function wholeOf(folder: AbsolutePath): AbsolutePath {
  const contents = parentOf(folder);
  return nameOf(contents) === "Contents" && nameOf(parentOf(contents)).endsWith(".app") ? contents : folder;
}

/** `xcrun` keeps it in the person's own temporary folder (confstr(3): `_CS_DARWIN_USER_TEMP_DIR`), which TMPDIR names. */
function remembered(site: Site, top: AbsolutePath): Grant {
  const folder = absoluteIn(site, "TMPDIR");
  const file = folder === null ? null : reach(site, joinPath(folder, "xcrun_db"));
  const isOwn = file !== null && isInside(file.real, joinPath(top, "private/var/folders"));
  return isOwn && isFile(site, file.real) ? { read: [file.real], links: file.links } : NOTHING;
}
