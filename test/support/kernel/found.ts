import type { Case } from "./agreement.ts";
import type { Probe } from "./probe.ts";
import type { ProfileSketch } from "./profile-sketch.ts";
import type { Plant, TreeSketch } from "./tree.ts";

/** A case that a random one once made known, by what it is about. */
export interface Found {
  readonly case: Case;
  /** The act that was allowed, by its path in the tree; null when nothing could be started at all. */
  readonly act: { readonly op: Probe["op"]; readonly path: string } | null;
  /** The mistake that lets it happen again, by its name among the mutants. */
  readonly mutant: string | null;
}

const file = (name: string, mode = 0o644): Plant => ({ kind: "file", name, mode });
const folder = (name: string, holds: readonly Plant[], mode = 0o755): Plant => ({
  kind: "folder",
  name,
  mode,
  holds,
});
const link = (name: string, number: number): Plant => ({
  kind: "link",
  name,
  leads: { to: "thing", number, isAbsolute: false },
});

type Mask = ProfileSketch["masks"][number];
/** Things are counted from `w`, which is 0, each folder before what it holds. */
const literal = (number: number, below: readonly string[], atMost: Mask["atMost"]): Mask => ({
  pattern: { kind: "literal", spot: { number, below } },
  atMost,
  ignoreCase: false,
});
const glob = (text: string, atMost: Mask["atMost"]): Mask => ({
  pattern: { kind: "glob", spot: { number: 0, below: [] }, text },
  atMost,
  ignoreCase: false,
});
const entry = (
  number: number,
  below: readonly string[],
  access: "none" | "write",
): ProfileSketch["entries"][number] => ({ spot: { number, below }, access, suffixes: "any" });

function about(
  holds: readonly Plant[],
  said: Partial<Pick<ProfileSketch, "roots" | "entries" | "masks">>,
  bind: TreeSketch["bind"] = null,
  maxEntries: Case["maxEntries"] = null,
): Case {
  const profile: ProfileSketch = { roots: ["write", null], suffixes: "any", entries: [], masks: [], ...said };
  return {
    tree: { holds, hasCrowd: false, bind },
    profile,
    turn: 0,
    seed: 0,
    maxEntries,
    sparedMounts: null,
    coversLinks: true,
  };
}

/** Each was found by a random case, and is tried for itself ever since. */
export const FOUND: Readonly<Record<string, Found>> = {
  "what must not be made can't be made after a file in its way was moved": {
    case: about([file("f")], { masks: [literal(1, ["x"], "none")] }),
    act: { op: "displace", path: "w/f/x" },
    mutant: "pins nothing",
  },
  "what must not be made stays so below a folder that a glob hides": {
    case: about([folder("a", [folder(".git", [])])], {
      masks: [literal(2, ["config"], "read"), glob("**/.git", "none")],
    }),
    act: { op: "displace", path: "w/a/.git/config" },
    mutant: "pins nothing",
  },
  "what one profile keeps from changing stays where it is when another profile hides the folder around it": {
    case: about([folder("a", [folder(".git", [file("config")])])], {
      masks: [glob("**/.git/config", "read"), glob("**/.git", "none")],
    }),
    act: { op: "displace", path: "w/a/.git/config" },
    mutant: "pins nothing",
  },
  "what one profile keeps from changing stays where it is when another profile hides it": {
    case: about([folder("a", [file("config")])], {
      masks: [glob("**/config", "read"), glob("*/config", "none")],
    }),
    act: { op: "displace", path: "w/a/config" },
    mutant: "pins nothing",
  },
  "what lies beside something that a glob hides stays where it is, though that needs only some folders to keep their names":
    {
      case: about([folder("a", [folder(".git", [file("config"), file("x.md")])])], {
        entries: [entry(4, [], "none")],
        masks: [glob("**/.git/config", "none")],
      }),
      act: { op: "displace", path: "w/a/.git/x.md" },
      mutant: "pins nothing",
    },
  "an entry that grants nothing holds for the name of a symlink": {
    case: about([folder("a", [link("l", 3)]), file("b")], { entries: [entry(2, [], "none")] }),
    act: { op: "remove", path: "w/a/l" },
    mutant: "puts no mount on a link",
  },
  "a protected symlink to the folder that holds it stays where it is": {
    case: about([folder("a", [folder("b", [link(".git", 2)])])], { entries: [entry(3, [], "none")] }),
    act: { op: "displace", path: "w/a/b/.git" },
    mutant: "pins nothing",
  },
  "what an entry hides behind a symlink can't be made anew after its folder was moved": {
    case: about([folder("a", [link("l", 3)]), folder("b", [folder("c", [])])], {
      entries: [entry(2, ["c", "s"], "none")],
    }),
    act: { op: "displace", path: "w/a/l/c/s" },
    mutant: "pins nothing",
  },
  "a folder with a suffix list stays what it is behind a symlink": {
    case: about([folder("a", [link("l", 3)]), folder("b", [folder("c", [])])], {
      entries: [{ ...entry(2, ["c"], "write"), suffixes: [".md"] }],
    }),
    act: { op: "displace", path: "w/a/l/c" },
    mutant: "puts no mount on a link",
  },
  "a protected path behind two symlinks stays what it is": {
    case: about([folder("a", [link("l", 3)]), folder("b", [link("m", 5)]), folder("c", [])], {
      entries: [entry(2, ["m"], "none")],
    }),
    act: { op: "displace", path: "w/a/l/m" },
    mutant: "puts no mount on a link",
  },
  "a granted path that runs below a file stops no search": {
    case: about([file("f")], { entries: [entry(1, ["x"], "write")], masks: [glob("**/.env", "none")] }),
    act: null,
    mutant: null,
  },
  "a granted path through a symlink to itself stops no search": {
    case: about([{ kind: "link", name: "l", leads: { to: "itself" } }], {
      entries: [entry(1, ["x"], "write")],
      masks: [glob("**/.env", "none")],
    }),
    act: null,
    mutant: null,
  },
  "what lies beyond the bound of a search can't be changed": {
    case: about(
      [folder("a", [folder("b", [file("config")])])],
      { masks: [glob("**/config", "read")] },
      null,
      1,
    ),
    act: { op: "write", path: "w/a/b/config" },
    mutant: "takes no notice of what was not searched",
  },
  "a folder below one that was not searched has another name, which is read-only too": {
    case: about(
      [folder("b", [file("x")]), folder("a", [file("1"), file("2")])],
      {
        roots: ["write", "write"],
        masks: [
          {
            pattern: { kind: "glob", spot: { number: 12, below: [] }, text: "**/.env" },
            atMost: "read",
            ignoreCase: false,
          },
        ],
      },
      { from: 0, at: 4 },
      6,
    ),
    act: { op: "write", path: "w/a/1" },
    mutant: "takes no notice of what was not searched",
  },
  "what must not be made is held once when its folder has two names": {
    case: about(
      [folder("a", [file("x")]), folder("b", [])],
      { masks: [literal(1, ["new"], "none")] },
      { from: 1, at: 2 },
    ),
    act: null,
    mutant: null,
  },
  "what must not be made can't be made by the other name of its folder, where only a glob speaks of that": {
    case: {
      ...about(
        [folder("a", [folder("b", [])]), folder("c", [])],
        { masks: [literal(2, [".git"], "read"), glob("**/.git", "read")] },
        { from: 1, at: 3 },
      ),
      // By this one the act is among those that are tried.
      seed: 2,
    },
    act: { op: "create", path: "w/c/b/.git" },
    mutant: "holds nothing that is missing, by any name of it",
  },
  "what only a glob would match, and is not there, may be made, whatever other name its folder has": {
    case: {
      ...about(
        [folder("a", [folder(".git", [])]), folder("c", [])],
        {
          masks: [
            {
              pattern: { kind: "glob", spot: { number: 1, below: [] }, text: "**/config" },
              atMost: "read",
              ignoreCase: false,
            },
          ],
        },
        { from: 1, at: 3 },
      ),
      // By this one the act is among those that are tried.
      seed: 5,
    },
    act: null,
    mutant: null,
  },
  "what a protected link leads to stays what it is by the other name of its folder": {
    case: about(
      [folder("a", [link("x.md", 4)]), folder("c", [file("t")]), folder("d", [])],
      { masks: [glob("**/x.md", "read")] },
      { from: 2, at: 3 },
    ),
    act: { op: "write", path: "w/d/t" },
    mutant: "mounts everything writable",
  },
};

/** The same for a user: root looks into any folder. */
export const CLOSED: Case = about([folder("b", [file(".env")], 0o600)], { masks: [glob("**/.env", "none")] });
