import fc from "fast-check";
import { joined } from "./names.ts";
import type { Syscall } from "./syscall.ts";

/** Where random calls play. */
export interface Stage {
  /** Folders in which the sandbox may make files. */
  readonly writable: readonly string[];
  /** What it is there to keep: secrets and protected paths, be they there or not. */
  readonly targets: readonly string[];
  /** Names that calls make; some few, so that calls meet. */
  readonly names?: readonly string[];
  /** Names of services and kernel variables. */
  readonly services?: readonly string[];
}

/** What the sequences write, which no file has at the start. */
export const WRITTEN = "WRITTEN-BY-THE-SANDBOX";

/**
 * Random runs of at most `maxCalls` calls: single ones, and among them the chains that get around rules on paths, like to
 * rename a folder above a target, to write and to rename it back. Paths are spelled in every way that leads to the same.
 * Most runs are about one target, so that their calls meet.
 */
export function sequences(stage: Stage, maxCalls = 12): fc.Arbitrary<readonly Syscall[]> {
  const focused = stage.targets.map((path) => about({ ...stage, targets: [path] }, maxCalls));
  return fc.oneof(about(stage, maxCalls), ...focused);
}

function about(stage: Stage, maxCalls: number): fc.Arbitrary<readonly Syscall[]> {
  const parts = fc.oneof({ weight: 3, arbitrary: chains(stage) }, { weight: 2, arbitrary: singles(stage) });
  return fc
    .array(parts, { minLength: 1, maxLength: maxCalls, size: "max" })
    .map((made) => made.flat().slice(0, maxCalls));
}

/** One path of the stage or close to it, as some program might spell it. */
export function pathsOn(stage: Stage): fc.Arbitrary<string> {
  return fc.oneof(target(stage), target(stage), upwards(stage), free(stage)).chain(spelled);
}

/** The ways to write a path that lead to the same on a Mac: case, composition, links and firmlinks, detours. */
export function spelled(path: string): fc.Arbitrary<string> {
  const last = path.split("/").length - 1;
  const segment = fc.oneof(fc.constant(last), fc.nat({ max: last }));
  const changing = (how: (name: string) => string) => segment.map((at) => changed(path, at, how));
  const letters = fc.oneof(changing(flipCase), changing(flipComposition), fc.constant(flipCase(path)));
  const ways = fc.oneof(
    changing((name) => `${name}/../${name}`),
    changing((name) => `./${name}/`),
    fc.constant(path.replace(LINKED, "/$1")),
    fc.constant(path.replace(FIRMLINKED, "/System/Volumes/Data/$1")),
    fc.constant(`${path}/`),
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(path) },
    { weight: 2, arbitrary: letters },
    { weight: 2, arbitrary: ways },
  );
}

const LINKED = /^\/private\/(tmp|var|etc)(?=\/|$)/;
const FIRMLINKED = /^\/(Users|Applications|Library|Volumes|opt|private|usr\/local)(?=\/|$)/;

/** A call by itself. */
function singles(stage: Stage): fc.Arbitrary<readonly Syscall[]> {
  const path = pathsOn(stage);
  const call = <Name extends Syscall["call"]>(...names: readonly Name[]) => fc.constantFrom(...names);
  const two = { from: path, to: path };
  const service = fc.constantFrom(...(stage.services ?? ["com.apple.logd"]));
  const one: fc.Arbitrary<Syscall> = fc.oneof(
    fc.record({ call: call("rename", "swap", "link", "clonefile"), ...two }),
    fc.record({ call: call("rename"), ...two }),
    fc.record({ call: call("stat", "lstat", "readlink", "readdir"), path }),
    fc.record({ call: call("mkdir", "rmdir", "unlink", "chdir"), path }),
    fc.record({ call: call("symlink"), target: path, path }),
    fc.record({ call: call("exec", "dlopen"), path }),
    fc.record({ call: call("chmod"), path, mode: fc.constantFrom(0o600, 0o755, 0o4755) }),
    fc.record({ call: call("chown"), path, owner: fc.constantFrom(0, 501) }),
    fc.record({ call: call("utimes"), path, mtime: fc.constantFrom(1, 2) }),
    fc.record({ call: call("truncate"), path, length: fc.constantFrom(0, 1) }),
    fc.record({ call: call("setxattr"), path, name: fc.constant("x"), value: fc.constant(WRITTEN) }),
    fc.record({ call: call("getxattr"), path, name: fc.constant("x") }),
    fc.record({ call: call("access"), path, rights: fc.subarray(["read", "write"] as const) }),
    fc.record({ call: call("kill"), process: fc.constantFrom("self", "child", "other") }),
    fc.record({ call: call("mach-lookup", "sysctl-read"), name: service }),
    fc.record({
      call: call("connect", "bind", "listen"),
      address: fc.record({ family: fc.constant("AF_UNIX"), path }),
      type: fc.constant("SOCK_STREAM"),
    }),
    fc.constant({ call: "getcwd" }),
  );
  return fc.oneof(
    { weight: 3, arbitrary: one.map((made) => [made]) },
    { weight: 2, arbitrary: path.chain(use) },
  );
}

/** Several calls that only together reach what each alone does not. */
function chains(stage: Stage): fc.Arbitrary<readonly Syscall[]> {
  return fc.oneof(movedAway(stage), replaced(stage), linked(stage), relative(stage), held(stage));
}

/** A target, or a folder above it, goes elsewhere by some call, is used there, and perhaps comes back. */
function movedAway(stage: Stage): fc.Arbitrary<readonly Syscall[]> {
  return fc
    .record({ way: wayDown(stage), to: free(stage), comesBack: fc.boolean(), by: away })
    .chain(({ way: cut, to, comesBack, by }) => {
      const way = by === "link" ? { top: `${cut.top}${cut.rest}`, rest: "" } : cut;
      return fc
        .tuple(spelled(way.top), spelled(to), spelled(`${to}${way.rest}`).chain(use))
        .map(([from, away, used]) => [
          ...(by === "swap" ? [{ call: "mkdir", path: to } as const] : []),
          { call: by, from, to: away },
          ...used,
          ...(comesBack ? [{ call: by === "swap" ? by : "rename", from: to, to: way.top } as const] : []),
        ]);
    });
}

const away = fc.constantFrom("rename", "rename", "swap", "link", "clonefile");

/** Something else comes to where a target or a folder above it is, or would be. */
function replaced(stage: Stage): fc.Arbitrary<readonly Syscall[]> {
  return fc
    .record({ way: wayDown(stage), own: free(stage), other: pathsOn(stage), clears: fc.boolean() })
    .chain(({ way, own, other, clears }) => {
      const making = fc.oneof(
        fc.constant<readonly Syscall[]>(likeIt(own, way.rest)),
        fc.constant<readonly Syscall[]>([{ call: "symlink", target: other, path: own }]),
        use(own),
      );
      const placing = spelled(way.top).chain((top) =>
        fc.constantFrom<Syscall>(
          { call: "rename", from: own, to: top },
          { call: "swap", from: own, to: top },
          { call: "symlink", target: own, path: top },
          { call: "symlink", target: other, path: top },
          { call: "mkdir", path: top },
          { call: "link", from: own, to: top },
        ),
      );
      const cleared = fc.constantFrom<Syscall>(
        { call: "unlink", path: way.top },
        { call: "rmdir", path: way.top },
        { call: "rename", from: way.top, to: `${own}2` },
      );
      return fc
        .tuple(making, cleared, placing, spelled(`${way.top}${way.rest}`).chain(use))
        .map(([made, clear, place, used]) => [...made, ...(clears ? [clear] : []), place, ...used]);
    });
}

/** A tree of the sandbox's own with a file at `rest` in it, to be put where a target's folder is. */
function likeIt(own: string, rest: string): readonly Syscall[] {
  const folders = rest === "" ? [] : prefixes(`${own}${rest}`).filter((path) => path.length >= own.length);
  return [
    ...folders
      .slice(1)
      .toReversed()
      .map((path): Syscall => ({ call: "mkdir", path })),
    { call: "open", path: `${own}${rest}`, access: "write", creates: "or-opens" },
    { call: "write", descriptor: "newest", bytes: WRITTEN },
  ];
}

/** A link of the sandbox's own that leads to a target, and is used or retargeted. */
function linked(stage: Stage): fc.Arbitrary<readonly Syscall[]> {
  return fc
    .record({ way: wayDown(stage), own: free(stage) })
    .chain(({ way, own }) =>
      fc
        .tuple(spelled(way.top), use(`${own}${way.rest}`))
        .map(([top, used]) => [
          { call: "symlink", target: top, path: own },
          ...used,
          { call: "unlink", path: own },
        ]),
    );
}

/** The working folder goes with a folder that is renamed; names are then relative to it. */
function relative(stage: Stage): fc.Arbitrary<readonly Syscall[]> {
  return fc
    .record({ way: wayDown(stage), to: free(stage) })
    .chain(({ way, to }) =>
      fc
        .tuple(spelled(way.top), use(way.rest === "" ? "." : way.rest.slice(1)))
        .map(([top, used]) => [
          { call: "chdir", path: top },
          { call: "rename", from: way.top, to },
          ...used,
          { call: "getcwd" },
        ]),
    );
}

/** A descriptor that is held while what it was opened by is renamed. */
function held(stage: Stage): fc.Arbitrary<readonly Syscall[]> {
  return fc
    .record({
      way: wayDown(stage),
      to: free(stage),
      access: fc.constantFrom("read", "write", "read-write"),
      opensTop: fc.boolean(),
    })
    .map(({ way, to, access, opensTop }) => [
      opensTop
        ? { call: "open", path: way.top, access: "read" }
        : { call: "open", path: `${way.top}${way.rest}`, access, creates: "or-opens" },
      { call: "rename", from: way.top, to },
      ...(opensTop && way.rest !== ""
        ? [{ call: "open", path: way.rest.slice(1), access, at: "newest" } as const]
        : []),
      { call: "write", descriptor: "newest", bytes: WRITTEN },
      { call: "read", descriptor: "newest" },
    ]);
}

/** What a program does with a path once it has it. */
function use(path: string): fc.Arbitrary<readonly Syscall[]> {
  const reads: readonly Syscall[] = [
    { call: "open", path, access: "read" },
    { call: "read", descriptor: "newest" },
  ];
  const writes: readonly Syscall[] = [
    { call: "open", path, access: "write", creates: "or-opens" },
    { call: "write", descriptor: "newest", bytes: WRITTEN },
  ];
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(reads) },
    { weight: 3, arbitrary: fc.constant(writes) },
    {
      weight: 3,
      arbitrary: fc.constantFrom<readonly Syscall[]>(
        [{ call: "unlink", path }],
        [{ call: "truncate", path, length: 0 }],
        [{ call: "readdir", path }],
        [{ call: "dlopen", path }],
        [{ call: "chmod", path, mode: 0o777 }],
      ),
    },
  );
}

/** A target cut in two: itself or a folder above it, mostly one that is near, and what is left below. */
function wayDown(stage: Stage): fc.Arbitrary<{ readonly top: string; readonly rest: string }> {
  return target(stage).chain((path) => {
    const tops = prefixes(path);
    const near = fc.constantFrom(...tops.slice(0, 3));
    return fc
      .oneof({ weight: 3, arbitrary: near }, { weight: 1, arbitrary: fc.constantFrom(...tops) })
      .map((top) => ({ top, rest: path.slice(top.length) }));
  });
}

function target({ targets }: Stage): fc.Arbitrary<string> {
  return fc.constantFrom(...targets);
}

function upwards(stage: Stage): fc.Arbitrary<string> {
  return fc.constantFrom(...[...stage.targets, ...stage.writable].flatMap(prefixes));
}

/** A name of the sandbox's own in a folder where it may make some. */
function free({ writable, names = ["a", "b"] }: Stage): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...writable), fc.constantFrom(...names))
    .map(([folder, name]) => joined(folder, name));
}

/** The path and the folders above it, without the root, the path first. */
function prefixes(path: string): readonly string[] {
  const found = [path];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
    found.push(path.slice(0, at));
  return found;
}

function changed(path: string, at: number, how: (name: string) => string): string {
  return path
    .split("/")
    .map((name, index) => (index === at && name !== "" ? how(name) : name))
    .join("/");
}

function flipCase(name: string): string {
  return name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
}

function flipComposition(name: string): string {
  return name === name.normalize("NFC") ? name.normalize("NFD") : name.normalize("NFC");
}
