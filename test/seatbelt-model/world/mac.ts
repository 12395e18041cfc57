import { type Planted, type Start, USER, worldOf } from "./spec.ts";
import type { World } from "./world.ts";

/**
 * What every Mac has, as far as profiles speak of it: the read-only system volume and the data volume with its firmlinks,
 * the links at the top, devices, `/Users/me` with a project in `work`, a case-sensitive volume at `/Volumes/Build`.
 */
export const MAC: readonly Planted[] = [
  { path: "/", kind: "volume", isReadOnly: true, owner: 0 },
  { path: "/System/Library/Frameworks/Security", kind: "file", bytes: "code" },
  { path: "/System/Volumes/Data", kind: "volume" },
  { path: "/System/Volumes/Data/home", kind: "folder" },
  { path: "/Users", kind: "firmlink", alsoAt: "/System/Volumes/Data/Users" },
  { path: "/Applications", kind: "firmlink", alsoAt: "/System/Volumes/Data/Applications" },
  { path: "/Library", kind: "firmlink", alsoAt: "/System/Volumes/Data/Library" },
  { path: "/Volumes", kind: "firmlink", alsoAt: "/System/Volumes/Data/Volumes" },
  { path: "/opt", kind: "firmlink", alsoAt: "/System/Volumes/Data/opt" },
  { path: "/private", kind: "firmlink", alsoAt: "/System/Volumes/Data/private" },
  { path: "/usr/local", kind: "firmlink", alsoAt: "/System/Volumes/Data/usr/local" },
  { path: "/tmp", kind: "symlink", target: "private/tmp" },
  { path: "/var", kind: "symlink", target: "private/var" },
  { path: "/etc", kind: "symlink", target: "private/etc" },
  { path: "/home", kind: "symlink", target: "/System/Volumes/Data/home" },
  { path: "/bin/sh", kind: "file", bytes: "code", mode: 0o755 },
  { path: "/usr/bin/env", kind: "file", bytes: "code", mode: 0o755 },
  { path: "/usr/bin/sudo", kind: "file", bytes: "code", mode: 0o4511 },
  { path: "/usr/lib/dyld", kind: "file", bytes: "code", mode: 0o755 },
  { path: "/private/tmp", kind: "folder", mode: 0o1777 },
  { path: "/private/etc/hosts", kind: "file", bytes: "127.0.0.1 localhost" },
  { path: "/private/var/run/mDNSResponder", kind: "socket", listener: "host", mode: 0o666 },
  { path: "/private/var/run/docker.sock", kind: "socket", listener: "host", mode: 0o666 },
  { path: "/private/var/folders/me/T", kind: "folder", owner: USER, mode: 0o700 },
  { path: "/private/tmp/com.apple.launchd.x", kind: "folder", owner: USER, mode: 0o700 },
  { path: "/private/tmp/com.apple.launchd.x/Listeners", kind: "socket", listener: "host" },
  { path: "/dev", kind: "volume" },
  { path: "/dev/null", kind: "device", vnode: "CHARACTER-DEVICE" },
  { path: "/dev/zero", kind: "device", vnode: "CHARACTER-DEVICE" },
  { path: "/dev/urandom", kind: "device", vnode: "CHARACTER-DEVICE" },
  { path: "/dev/disk0", kind: "device", vnode: "BLOCK-DEVICE", mode: 0o640 },
  { path: "/dev/tty", kind: "device", vnode: "TTY" },
  { path: "/dev/ttys000", kind: "device", vnode: "TTY", owner: USER, mode: 0o620 },
  { path: "/Library/Preferences/.GlobalPreferences.plist", kind: "file", bytes: "plist" },
  { path: "/opt/homebrew", kind: "folder", owner: USER },
  { path: "/opt/homebrew/bin/node", kind: "file", bytes: "code", mode: 0o755 },
  { path: "/Volumes/Build", kind: "volume", isCaseSensitive: true, owner: USER },
  { path: "/Users/me", kind: "folder", owner: USER },
  { path: "/Users/me/.ssh", kind: "folder", mode: 0o700 },
  { path: "/Users/me/.ssh/id", kind: "file", bytes: "SECRET-KEY", mode: 0o600 },
  { path: "/Users/me/.zshrc", kind: "file", bytes: "PATH=/bin" },
  { path: "/Users/me/work/.env", kind: "file", bytes: "SECRET-TOKEN" },
  { path: "/Users/me/work/.git/config", kind: "file", bytes: "[core]" },
  { path: "/Users/me/work/.git/hooks/pre-commit", kind: "file", bytes: "#!/bin/sh", mode: 0o755 },
  { path: "/Users/me/work/src/main.c", kind: "file", bytes: "int main;" },
  { path: "/Users/me/work/run.sh", kind: "file", bytes: "#!/bin/sh\ntrue", mode: 0o755 },
];

/** A Mac with more on it; what a line says of something that is there changes it. The process works in `/Users/me/work`. */
export function macWith(planted: readonly Planted[] = [], start: Start = {}): World {
  return worldOf([...MAC, ...planted], {
    cwd: "/Users/me/work",
    descriptors: { 0: "/dev/ttys000", 1: "/dev/ttys000", 2: "/dev/ttys000" },
    ...start,
  });
}
