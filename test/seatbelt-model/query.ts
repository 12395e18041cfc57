/** What stands at a path, by the names that `vnode-type` knows. */
export type Vnode =
  | "REGULAR-FILE"
  | "DIRECTORY"
  | "SYMLINK"
  | "CHARACTER-DEVICE"
  | "BLOCK-DEVICE"
  | "FIFO"
  | "SOCKET"
  | "TTY";

/** Whom a signal or a question about a process is for. A process is of its own sandbox, too. */
export type Target = "self" | "same-sandbox" | "others";

/** One end of a connection: a host as the kernel sees it (an address, or `localhost`), and a port. */
export interface SocketEnd {
  readonly host: string;
  readonly port: number;
}

/**
 * One question that the kernel asks before it does something: may this process do this to that? `operation` is the most
 * specific one; what it is part of, the table of operations knows. A field that is missing is not about the question, so
 * that a filter on it does not hold.
 */
export interface Query {
  readonly operation: string;
  /** The path that the kernel resolved, canonical; bytes that are not UTF-8 are U+DC80…U+DCFF, one a byte. */
  readonly path?: string;
  readonly vnode?: Vnode;
  readonly target?: Target;
  /** The name of a service, a kernel variable, a POSIX semaphore or shared memory, a preference domain, an extension. */
  readonly name?: string;
  readonly socket?: {
    readonly domain?: string;
    readonly type?: string;
    readonly protocol?: number;
    readonly transport?: "tcp" | "udp";
    readonly local?: SocketEnd;
    readonly remote?: SocketEnd;
  };
  /** Of an ioctl or fsctl. */
  readonly command?: number;
}

/**
 * How the text of a profile may be understood where the sources disagree or say nothing. What we emit must mean the same
 * under all of them.
 */
export interface Reading {
  /**
   * Which of several rules counts. `first` and `last`: in the order of the text, of all whose operation is the asked one or
   * one that it is part of. `specific`: of the most specific operation that has a rule that holds, the last with a filter,
   * and without one the last without.
   */
  readonly precedence: "first" | "last" | "specific";
  /** Whether a backslash in `#"…"` is itself, or escapes as in `"…"`. */
  readonly sharpStrings: "raw" | "cooked";
  /** Where upper and lower case are the same. */
  readonly foldsCase: "nowhere" | "paths" | "paths-and-regexes";
  /** Whether `(subpath "/a")` holds for `/a` itself. */
  readonly subpathHasItself: boolean;
  /** What a regex takes for one character. */
  readonly regexUnit: "byte" | "character";
  /** True for an operation that this system has; `defined?` asks it, and a rule on any other is an error. */
  readonly knows: (operation: string) => boolean;
}
