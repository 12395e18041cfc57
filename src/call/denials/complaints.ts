/** Why an act of a program failed, judged by its messages. */
export type ComplaintKind = "busy" | "read-only" | "cross-mount" | "refused";

/** An output line about a failed act, and the lines before it that may name its path. */
export interface Complaint {
  readonly kind: ComplaintKind;
  readonly line: string;
  /** The nearest line first. */
  readonly before: readonly string[];
}

/** Messages of runtimes: strerror(3) (C, Go, Python), Node's codes, Java's exceptions, Rust's kinds and `os error`. */
const KINDS: readonly (readonly [kind: ComplaintKind, how: RegExp])[] = [
  [
    "busy",
    /device or resource busy|resource busy or locked|\bEBUSY\b|\bResourceBusy\b|\berrno[ :=]+16\b|\bos error 16\b/i,
  ],
  ["read-only", /read-only file ?system|\bEROFS\b|ReadOnlyFileSystem|\berrno[ :=]+30\b|\bos error 30\b/i],
  ["cross-mount", /cross-device link|\bEXDEV\b|\bCrossesDevices\b|\berrno[ :=]+18\b|\bos error 18\b/i],
  [
    "refused",
    /permission denied|operation not permitted|\bEACCES\b|\bEPERM\b|AccessDenied|\bPermissionError\b|\bos error (?:1|13)\b/i,
  ],
];

/** Maximum of complaints that are read, and of characters of a line. */
const MAX_COMPLAINTS = 100;
const MAX_LINE = 4_096;
/** An error with causes names the path a few lines before the reason (`Caused by:`). */
const MAX_BEFORE = 4;

/** True if a part may be a complaint, or reports a missing program. */
export function isComplaint(said: string): boolean {
  return KINDS.some(([, how]) => how.test(said)) || /not found|no such file/i.test(said);
}

/** The last complaints in a program's output. */
export function complaintsIn(said: string): readonly Complaint[] {
  const lines = said.split("\n").flatMap((line) => (line.trim() === "" ? [] : plain(line)));
  return lines
    .flatMap((line, at): Complaint[] => {
      const kind = KINDS.find(([, how]) => how.test(line))?.[0];
      if (kind === undefined) return [];
      return [{ kind, line, before: lines.slice(Math.max(0, at - MAX_BEFORE), at).reverse() }];
    })
    .slice(-MAX_COMPLAINTS);
}

/** Names of acts that take a name away; `rm` and `mv` are words of a command. */
const REMOVING = /remov|unlink|rmdir|renam|\bmov|delet|rmtree|\brm\b|\bmv\b|\bclean|\bprune/i;

/** True if the text is about removing, moving or renaming. */
export function isAboutRemoving(text: string): boolean {
  return REMOVING.test(withoutPaths(text));
}

/** The text without quoted words and words with a slash: the name of a path says nothing about the act. */
export function withoutPaths(text: string): string {
  return text.replace(PATHS, "");
}

const PATHS = /(['"`])[^\s'"`]*\1|‘[^\s’]*’|(?<![^\s'"`‘(=,;])[^\s'"`‘(=,;/]*\/[^\s'"`’),;]*/g;

/** How a text names a path: itself, or something below it; null if it does not. */
export function mentionOf(text: string, name: string): "itself" | "below" | null {
  let found: "below" | null = null;
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(at + name.length)];
    if (/[\p{L}\p{N}_./~-]$/u.test(before) || /^[\p{L}\p{N}_-]|^\.[\p{L}\p{N}]/u.test(after)) continue;
    if (!/^\/[^\s'"`]/.test(after)) return "itself";
    found = "below";
  }
  return found;
}

/** Possible paths in a line: its quoted parts, and its words. */
export function pathsIn(line: string): readonly string[] {
  const quoted = [...line.matchAll(/'([^']+)'|"([^"]+)"|`([^`]+)`|‘([^’]+)’/g)].flatMap((found) =>
    found.slice(1).filter((part) => part !== undefined),
  );
  const words = line.split(/\s+/).map((word) => word.replace(/^['"`‘([]+|['"`’)\],:;.]+$/g, ""));
  return [...new Set([...quoted, ...words])].filter((one) => one !== "");
}

function plain(line: string): string {
  return withoutDots(line.slice(0, MAX_LINE).replace(ESCAPES, ""));
}

/** The text without `./` before names. */
export function withoutDots(text: string): string {
  return text.replace(/(^|[\s'"`‘(=:])(?:\.\/)+(?=[^\s'"`])/g, "$1");
}

/** Colours and similar control sequences (ECMA-48). */
const ESCAPES = new RegExp(`${String.fromCodePoint(27)}\\[[0-9;?]*[ -/]*[@-~]`, "g");

/** Complaints that end with a path: of the C library, Go and Rust; of Python; of Node. */
const WITH_PATH: readonly RegExp[] = [
  /(?:^|[\s'"‘])(\/[^\s'"‘’:]+)['"’]?: (?:permission denied|read-only file system|no such file or directory)(?: \(os error \d+\))?$/i,
  /^\w*Error: \[Errno (?:2|13|30)\] [\w -]+: '(\/[^\s']+)'$/,
  /\b(?:ENOENT|EACCES|EROFS): [\w -]+, \w+ '(\/[^\s']+)'/,
];

/** The absolute paths of the last complaints in a known form. Any program can print them: they prove nothing. */
export function complainedPaths(said: string): readonly string[] {
  const lines = said.split("\n").filter((line) => line.length <= MAX_LINE);
  const found = lines.flatMap((line) => WITH_PATH.flatMap((form) => form.exec(line)?.[1] ?? []));
  return [...new Set(found)].filter((path) => !/\p{C}/u.test(path)).slice(-MAX_COMPLAINTS);
}
