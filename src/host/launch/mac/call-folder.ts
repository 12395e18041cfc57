import { randomBytes } from "node:crypto";
import {
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import type { RulePlan } from "../../../backend/plan.ts";
import { printMessage } from "../../../backend/seatbelt/sbpl.ts";
import { CALL_NAMES, TAG_MARK } from "../../../backend/seatbelt/start-program.ts";
import { CofferdamError, escapeInvisible, visible } from "../../../errors.ts";
import { type AbsolutePath, joinPath, nameOf, parentOf } from "../../../profile/path.ts";
import type { FileAtHome, GivenFile } from "../../../tool/launch.ts";
import { namesIn } from "../../look/names-in.ts";
import { codeOf } from "../../system-error.ts";
import { isRunning, printProcess, readProcess, thisProcess } from "../process-id.ts";
import { ask } from "../spawn.ts";
import { inFolder } from "../state-files.ts";
import type { RemovalTools } from "./ground.ts";

/** Owner of the folder, if tools run as another user than the supervisor. */
type Owner = { readonly uid: number; readonly gid: number } | null;

/** Time limit of a removal, in milliseconds. The next supervisor removes the rest. */
const REMOVAL_MS = 30_000;

/** Suffix of a folder being removed. No rule of any call grants anything below that name. */
const GONE = ".gone";

/** A call's folder, named `<pid>.<start>-<16 hex digits>` by its supervisor; nothing inside may touch its canary. */
export class CallFolder {
  readonly path: AbsolutePath;
  /** Tag of this call in the kernel's log. */
  readonly tag: string;
  readonly #canary = `${randomBytes(16).toString("hex")}\n`;
  readonly #owner: Owner;
  readonly #given: readonly GivenFile[];
  readonly #atHome: readonly FileAtHome[];
  #isGone = false;

  /** Makes the folder completely or not at all. Throws node's errors, and `SANDBOX_UNAVAILABLE` on a full disk. */
  constructor(
    calls: AbsolutePath,
    owner: Owner,
    { rules, given, atHome }: Pick<RulePlan, "rules" | "given" | "atHome">,
  ) {
    const id = randomBytes(8).toString("hex");
    this.tag = `cofferdam-${id}`;
    this.path = joinPath(calls, `${printProcess(thisProcess())}-${id}`);
    this.#owner = owner;
    this.#given = given;
    this.#atHome = atHome;
    const text = rules.text.replaceAll(printMessage(TAG_MARK), printMessage(this.tag));
    try {
      inFolder(calls, () => this.#make(text));
    } catch (cause) {
      rmSync(this.path, { recursive: true, force: true });
      throw cause;
    }
  }

  /** The arguments of a launch, with the placeholders of passed contents replaced by paths in this folder. */
  wordsOf(argv: readonly string[]): readonly string[] {
    const places = new Map<string, string>(this.#given.map(({ path }) => [path, this.#placeOf(path)]));
    return argv.map((word) => places.get(word) ?? word);
  }

  place(name: keyof typeof CALL_NAMES): AbsolutePath {
    return joinPath(this.path, CALL_NAMES[name]);
  }

  /** Checks from outside that the canary is unchanged and nothing was added. Throws `SANDBOX_UNAVAILABLE` otherwise. */
  assertTried(): void {
    const problem = this.#problem();
    if (problem === null) return;
    throw new CofferdamError("SANDBOX_UNAVAILABLE", `the sandbox differs from the plan: ${problem}`, {
      hint: "run `cofferdam doctor`",
    });
  }

  /** Removes the folder after everything in it has ended. Returns a description of the remains, or null. */
  async remove(tools: RemovalTools): Promise<string | null> {
    if (this.#isGone) return null;
    this.#isGone = true;
    return removeFolder(this.path, tools);
  }

  #make(rules: string): void {
    this.#folder(this.path);
    for (const name of ["home", "temporary", "given"] as const) this.#folder(this.place(name));
    this.#file(this.place("rules"), rules);
    this.#file(this.place("canary"), this.#canary);
    for (const { path, bytes } of this.#given) this.#file(this.#placeOf(path), bytes);
    for (const { name, text } of this.#atHome) this.#file(joinPath(this.place("home"), name), text);
  }

  #problem(): string | null {
    const names = readdirSync(this.path).sort().join();
    const { rules, canary, given, home, temporary, control } = CALL_NAMES;
    if (names !== [rules, canary, given, home, temporary].sort().join())
      return "a file was created in a read-only place";
    if (readFileSync(this.place("canary"), "utf8") !== this.#canary) return "a hidden file was written";
    const left = joinPath(this.place("temporary"), control);
    const stats = lstatSync(left, { throwIfNoEntry: false });
    const uid = this.#owner?.uid ?? process.getuid?.();
    if (stats?.isFile() !== true) return "a granted file could not be written";
    if (stats.uid !== uid) return `the start program does not run as user ${uid}`;
    unlinkSync(left);
    return null;
  }

  #placeOf(given: AbsolutePath): AbsolutePath {
    return joinPath(this.place("given"), nameOf(given));
  }

  #folder(path: AbsolutePath): void {
    mkdirSync(path, { mode: 0o700 });
    if (this.#owner !== null) chownSync(path, this.#owner.uid, this.#owner.gid);
  }

  #file(path: AbsolutePath, content: string | Uint8Array): void {
    writeFileSync(path, content, { mode: 0o600, flag: "wx" });
    if (this.#owner !== null) chownSync(path, this.#owner.uid, this.#owner.gid);
  }
}

/** Removes folders of ended supervisors. The next supervisor retries failed removals. */
export async function sweepCallFolders(calls: AbsolutePath, tools: RemovalTools): Promise<void> {
  for (const name of namesIn(calls)) {
    const [, maker = ""] = /^(\d+\.\d+)-[0-9a-f]{16}(?:\.gone)?$/.exec(name) ?? [];
    const owner = readProcess(maker);
    if (owner !== null && !isRunning(owner)) await removeFolder(joinPath(calls, name), tools);
  }
}

/**
 * Renames first: rules name paths, so a process still inside cannot get in the way. Usually the folder is then empty;
 * otherwise rm(1) runs (follows no links, any depth), and once more after everything was made removable.
 */
async function removeFolder(path: AbsolutePath, tools: RemovalTools): Promise<string | null> {
  const gone = path.endsWith(GONE) ? path : renamed(path);
  if (isRemovedEmpty(gone)) return null;
  const until = performance.now() + REMOVAL_MS;
  const complaintOf = async (file: AbsolutePath, words: readonly string[]): Promise<string> => {
    const timeoutMs = Math.max(1, Math.ceil(until - performance.now()));
    const { status, stderr } = await ask(file, [...words, gone], { timeoutMs });
    if (status === 0) return "";
    return stderr.trim().split("\n").at(0) ?? "";
  };
  await complaintOf(tools.rm, ["-rf", "--"]);
  if (!isThere(gone)) return null;
  if (tools.chflags !== null) await complaintOf(tools.chflags, ["-R", "nouchg,nouappnd"]);
  await complaintOf(tools.chmod, ["-R", "u+rwX"]);
  const why = await complaintOf(tools.rm, ["-rf", "--"]);
  return isThere(gone) ? `${visible(gone)} could not be removed: ${escapeInvisible(why)}` : null;
}

function renamed(path: AbsolutePath): AbsolutePath {
  const gone = joinPath(parentOf(path), `${nameOf(path)}${GONE}`);
  try {
    renameSync(path, gone);
    return gone;
  } catch {
    // Another process removed it, or renaming is not allowed.
    return path;
  }
}

function isRemovedEmpty(folder: AbsolutePath): boolean {
  const { rules, canary, given, home, temporary } = CALL_NAMES;
  try {
    for (const name of readdirSync(joinPath(folder, given))) unlinkSync(joinPath(folder, `${given}/${name}`));
    // The contents passed to the launch are there; the folder is not empty if anything else is in it.
    for (const name of readdirSync(joinPath(folder, home)).filter((one) => one.startsWith(".gitconfig")))
      unlinkSync(joinPath(folder, `${home}/${name}`));
    for (const name of [given, home, temporary]) rmdirSync(joinPath(folder, name));
    for (const name of [rules, canary]) unlinkSync(joinPath(folder, name));
    rmdirSync(folder);
    return true;
  } catch (cause) {
    return codeOf(cause) === "ENOENT" && !isThere(folder);
  }
}

function isThere(path: AbsolutePath): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
