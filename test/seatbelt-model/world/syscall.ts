import type { Query } from "../query.ts";
import type { Errno, Fails } from "./errno.ts";

/** How a file is opened. `creates` without `exclusive` opens what is there. */
export interface OpenMode {
  readonly access: "read" | "write" | "read-write";
  readonly creates?: "or-opens" | "exclusive";
  readonly truncates?: true;
  /** `O_NOFOLLOW`: a link at the end is `ELOOP`. */
  readonly isNofollow?: true;
  /** A descriptor of the folder that a relative path starts at, as `openat` takes it. */
  readonly at?: DescriptorNumber;
}

/** A port of an address, or the path of a unix socket. */
export type Address =
  | { readonly family: "AF_INET" | "AF_INET6"; readonly host: string; readonly port: number }
  | { readonly family: "AF_UNIX"; readonly path: string };

/** Of a stream, or of datagrams. */
export type SocketType = "SOCK_STREAM" | "SOCK_DGRAM";

/** An open file by its number, or the one with the highest: in a run without inherited ones, what was opened last. */
export type DescriptorNumber = number | "newest";

/** One system call with its arguments; paths are absolute or start at the working folder. */
export type Syscall =
  | { readonly call: "stat" | "lstat" | "readlink" | "readdir"; readonly path: string }
  | { readonly call: "access"; readonly path: string; readonly rights: readonly ("read" | "write")[] }
  | ({ readonly call: "open"; readonly path: string } & OpenMode)
  | { readonly call: "read"; readonly descriptor: DescriptorNumber }
  | { readonly call: "write"; readonly descriptor: DescriptorNumber; readonly bytes: string }
  | { readonly call: "ioctl"; readonly descriptor: DescriptorNumber; readonly command: number }
  | { readonly call: "mkdir" | "rmdir" | "unlink" | "chdir"; readonly path: string }
  | { readonly call: "rename" | "swap" | "link" | "clonefile"; readonly from: string; readonly to: string }
  | { readonly call: "symlink"; readonly target: string; readonly path: string }
  | { readonly call: "chmod"; readonly path: string; readonly mode: number }
  | { readonly call: "chown"; readonly path: string; readonly owner: number }
  | { readonly call: "utimes"; readonly path: string; readonly mtime: number }
  | { readonly call: "truncate"; readonly path: string; readonly length: number }
  | { readonly call: "getxattr"; readonly path: string; readonly name: string }
  | { readonly call: "setxattr"; readonly path: string; readonly name: string; readonly value: string }
  | { readonly call: "getcwd" }
  | { readonly call: "exec" | "dlopen"; readonly path: string }
  | {
      readonly call: "socket";
      readonly domain: string;
      readonly type: SocketType;
      readonly protocol: number;
    }
  | { readonly call: "connect" | "bind" | "listen"; readonly address: Address; readonly type: SocketType }
  | { readonly call: "kill"; readonly process: "self" | "child" | "other" }
  | { readonly call: "mach-lookup" | "sysctl-read"; readonly name: string };

/** What a call gives back to the process. */
export type Returned =
  | { readonly is: "nothing" }
  | { readonly is: "bytes"; readonly bytes: string }
  | { readonly is: "names"; readonly names: readonly string[] }
  /** A link's target, the working folder, an attribute's value. */
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "stat"; readonly id: number; readonly mode: number; readonly sizeBytes: number }
  | { readonly is: "descriptor"; readonly descriptor: number }
  | { readonly is: "connected"; readonly to: "host" | "sandbox" | "network" };

/** How a call ended: what the sandbox refuses is `EPERM`, and `query` is the first question that got a no. */
export type Result =
  | { readonly kind: "done"; readonly returned: Returned }
  | { readonly kind: "refused"; readonly errno: "EPERM"; readonly query: Query }
  | { readonly kind: "fails"; readonly errno: Errno };

/** What is asked before a call, all of which must be allowed; or why it fails whatever the sandbox says. */
export type Asked = { readonly kind: "queries"; readonly queries: readonly Query[] } | Fails;
