/** Why a call fails, by the names of `errno.h`. */
export type Errno =
  | "EACCES"
  | "EBADF"
  | "EBUSY"
  | "ECONNREFUSED"
  | "EADDRINUSE"
  | "EEXIST"
  | "EILSEQ"
  | "EINVAL"
  | "EISDIR"
  | "ELOOP"
  | "ENAMETOOLONG"
  | "ENOATTR"
  | "ENOENT"
  | "ENOEXEC"
  | "ENOTDIR"
  | "ENOTEMPTY"
  | "ENOTSOCK"
  | "ENOTSUP"
  | "ENOTTY"
  | "EOPNOTSUPP"
  | "EPERM"
  | "EROFS"
  | "EXDEV";

/** A failure that does not come from the sandbox. */
export interface Fails {
  readonly kind: "fails";
  readonly errno: Errno;
}

/** The failure with this number. */
export function fails(errno: Errno): Fails {
  return { kind: "fails", errno };
}
