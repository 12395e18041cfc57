import type { FileAnswer, FileRequest } from "../tool/files/protocol.ts";
import { Budget } from "./budget.ts";
import type { OpenInode } from "./descriptor.ts";
import { at, codeOf, isGone, WorkerFault } from "./faults.ts";
import { globTest } from "./glob.ts";
import type { GrantedFolders } from "./grants.ts";
import { type Match, Matches, type Seek } from "./matches.ts";
import { kindOf } from "./node.ts";
import { nodeOf, readableAt } from "./read.ts";
import type { RequestOf, WorkerAnswer } from "./request.ts";
import { linesOf, NoText } from "./text.ts";
import { filesBelow, type WalkedEntry } from "./tree.ts";
import { type WalkedPlace, walk } from "./walk.ts";

/** Larger files are skipped. */
const MAX_FILE = 64n * 1024n ** 2n;

/**
 * Matching lines of the text files below a folder that match the glob, or of one file regardless of it. Lines are
 * searched to 64 KiB; time is checked between lines, so a runaway expression must be ended from outside.
 */
export function search(
  grants: GrantedFolders,
  wanted: RequestOf<"search">,
): WorkerAnswer<FileAnswer<"search">> {
  using place = walk(grants, wanted.path, "followed");
  const budget = new Budget(wanted.maxFound, wanted.timeMs);
  const run = new Run(seekerOf(wanted.wanted, place.path), wanted.context, budget);
  at(place.path, () => {
    for (const file of filesAt(grants, place, wanted.glob, budget)) {
      using content = file.open();
      run.search(file.path, content);
      if (!budget.hasTime()) break;
    }
  });
  const { matches, files, passedOver } = run;
  return { answer: { target: place.path, matches, files, passedOver, stopped: budget.stopped } };
}

interface Candidate {
  readonly path: string;
  open(): OpenInode | null;
}

function* filesAt(
  grants: GrantedFolders,
  place: WalkedPlace,
  glob: string | null,
  budget: Budget,
): Generator<Candidate> {
  const { stat, descriptor } = readableAt(grants, place);
  if (kindOf(stat) !== "folder") {
    nodeOf("file", grants, place);
    yield { path: place.path, open: () => (stat.size > MAX_FILE ? null : descriptor.content()) };
    return;
  }
  nodeOf("folder", grants, place);
  const matches = globTest(glob, place.path);
  for (const entry of filesBelow(grants, { descriptor, path: place.path }, budget))
    if (entry.kind === "file" && matches(entry.path))
      yield { path: entry.path, open: () => openFile(grants, entry) };
}

/** Opens the file only if the kernel's own path for it is the requested one, like a read. */
function openFile(grants: GrantedFolders, { folder, name, path }: WalkedEntry): OpenInode | null {
  if (!grants.canRead(path, "file")) return null;
  try {
    using node = folder.descriptor.place(name);
    const stat = node.stat();
    return stat.isFile() && stat.size <= MAX_FILE && node.isAt(path) ? node.content() : null;
  } catch (error) {
    if (isGone(error) || ["EACCES", "EPERM", "ENAMETOOLONG"].includes(codeOf(error) ?? "")) return null;
    throw error;
  }
}

class Run {
  readonly matches: Match[] = [];
  files = 0;
  passedOver = 0;
  readonly #seek: Seek;
  readonly #context: number;
  readonly #budget: Budget;

  constructor(seek: Seek, context: number, budget: Budget) {
    this.#seek = seek;
    this.#context = context;
    this.#budget = budget;
  }

  search(path: string, content: OpenInode | null): void {
    const found = content === null ? null : this.#matchesIn(path, content);
    if (found === null) this.passedOver += 1;
    else {
      this.files += 1;
      this.matches.push(...found);
    }
  }

  /** Null for a file that is not text. */
  #matchesIn(path: string, content: OpenInode): readonly Match[] | null {
    const matches = new Matches(path, this.#seek, this.#context, this.#budget);
    try {
      for (const line of linesOf(content)) if (!matches.add(line)) break;
      return matches.found;
    } catch (error) {
      if (error instanceof NoText) return null;
      throw error;
    }
  }
}

function seekerOf(wanted: Extract<FileRequest, { op: "search" }>["wanted"], path: string): Seek {
  if (wanted.kind === "text" && !wanted.ignoreCase)
    return (line) => {
      const start = line.indexOf(wanted.text);
      return start === -1 ? null : { start, length: wanted.text.length };
    };
  const regex =
    wanted.kind === "text" ? plainRegex(wanted.text) : regexFrom(wanted.source, wanted.flags, path);
  return (line) => {
    const found = regex.exec(line);
    return found === null ? null : { start: found.index, length: found[0].length };
  };
}

function plainRegex(text: string): RegExp {
  return new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "iu");
}

/** Without `g` and `y`, which would begin at the end of the last line's match. */
function regexFrom(source: string, flags: string, path: string): RegExp {
  try {
    return new RegExp(source, new RegExp("", flags).flags.replace(/[gy]/g, ""));
  } catch (error) {
    throw new WorkerFault(
      "BAD_PATTERN",
      path,
      error instanceof Error ? error.message : "it is not a regular expression",
    );
  }
}
