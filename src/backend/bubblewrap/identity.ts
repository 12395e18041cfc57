import type { AbsolutePath } from "../../profile/path.ts";
import { knownPath } from "../../profile/path.ts";
import type { NameFiles } from "../facts.ts";

/** The host name of a sandbox. */
export const HOST_NAME = "cofferdam";

/** HOME inside: private, on the scratch space, gone after the call. */
export const HOME = knownPath("/tmp/home");

/** A file made for the call, in a folder made for the call. */
export interface MadeFile {
  readonly path: AbsolutePath;
  readonly text: string;
}

/**
 * The files that describe the user and host: root, the caller and `nobody`, this host alone, no resolver. They hold
 * none of the machine's users, names or networks. With `names`, for its own network, its hosts and resolver are there.
 */
export function identityFiles(
  user: { readonly uid: number; readonly gid: number },
  names: NameFiles | null,
): readonly MadeFile[] {
  const { uid, gid } = user;
  const people = [
    ...(uid === 0
      ? [`root:x:0:0:root:${HOME}:/bin/sh`]
      : ["root:x:0:0:root:/nonexistent:/bin/sh", `user:x:${uid}:${gid}:user:${HOME}:/bin/sh`]),
    "nobody:x:65534:65534:nobody:/nonexistent:/bin/false",
  ];
  const groups = ["root:x:0:", ...(gid === 0 ? [] : [`user:x:${gid}:`]), "nogroup:x:65534:"];
  const hosts = names?.hosts?.trimEnd() ?? "127.0.0.1 localhost\n::1 localhost ip6-localhost";
  const made = (path: string, lines: readonly string[]): MadeFile => ({
    path: knownPath(path),
    text: `${lines.join("\n")}\n`,
  });
  return [
    made("/etc/passwd", people),
    made("/etc/group", groups),
    made("/etc/nsswitch.conf", [
      "passwd: files",
      "group: files",
      "hosts: files dns",
      "services: files",
      "protocols: files",
    ]),
    made("/etc/hosts", [hosts, `127.0.1.1 ${HOST_NAME}`]),
    made("/etc/resolv.conf", [names?.resolver?.trimEnd() ?? "# no resolver inside"]),
  ];
}
