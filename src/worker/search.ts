import type { FileAnswer, FileRequest } from "../tool/files/protocol.ts";
import { Budget } from "./budget.ts";
import type { Content } from "./descriptor.ts";
import { at, codeOf, Fault, isGone } from "./faults.ts";
import { globTest } from "./glob.ts";
import type { Grants } from "./grants.ts";
import { type Match, Matches, type Seek } from "./matches.ts";
import { kindOf } from "./node.ts";
import { fileAt, folderAt, readableAt } from "./read.ts";
import type { Answer, RequestOf } from "./request.ts";
import { linesOf, NoText } from "./text.ts";
import { filesBelow, type TreeEntry } from "./tree.ts";
import { type Place, walk } from "./walk.ts";

/** Larger files are passed over. */
const MOST_FILE = 64n * 1024n ** 2n;

/**
 * Lines of text files that match: of all below a folder that the glob takes, or of one file, whatever the glob says. A
 * line is looked at up to 64 KiB; the time is looked at between lines, so one expression that runs away is ended from
 * outside.
 */
export function search(grants: Grants, wanted: RequestOf<"search">): Answer<FileAnswer<"search">> {
  using place = walk(grants, wanted.path, "followed");
  const budget = new Budget(wanted.mostFound, wanted.timeMs);
  const run = new Run(seekerOf(wanted.wanted, place.path), wanted.context, budget);
  at(place.path, () => {
    for (const file of filesAt(grants, place, wanted.glob, budget)) {
      using content = file.open();
      run.take(file.path, content);
      if (!budget.hasTime()) break;
    }
  });
  const { matches, files, passedOver } = run;
  return { answer: { target: place.path, matches, files, passedOver, stopped: budget.stopped } };
}

interface Candidate {
  readonly path: string;
  /** The file opened to be read, and null when it is to be passed over. */
  open(): Content | null;
}

function* filesAt(grants: Grants, place: Place, glob: string | null, budget: Budget): Generator<Candidate> {
  const { stat, descriptor } = readableAt(grants, place);
  if (kindOf(stat) !== "folder") {
    fileAt(grants, place);
    yield { path: place.path, open: () => (stat.size > MOST_FILE ? null : descriptor.content()) };
    return;
  }
  folderAt(grants, place);
  const matches = globTest(glob, place.path);
  for (const entry of filesBelow(grants, { descriptor, path: place.path }, budget))
    if (entry.kind === "file" && matches(entry.path))
      yield { path: entry.path, open: () => openFile(grants, entry) };
}

/** As for a read: what is opened is what the kernel calls by the path that was asked about. */
function openFile(grants: Grants, { folder, name, path }: TreeEntry): Content | null {
  if (!grants.canRead(path, "file")) return null;
  try {
    using node = folder.descriptor.place(name);
    const stat = node.stat();
    return stat.isFile() && stat.size <= MOST_FILE && node.isAt(path) ? node.content() : null;
  } catch (error) {
    if (isGone(error) || ["EACCES", "EPERM", "ENAMETOOLONG"].includes(codeOf(error) ?? "")) return null;
    throw error;
  }
}

/** One search through file after file. */
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

  take(path: string, content: Content | null): void {
    const found = content === null ? null : this.#matchesIn(path, content);
    if (found === null) this.passedOver += 1;
    else {
      this.files += 1;
      this.matches.push(...found);
    }
  }

  /** Null when it turns out to be no text. */
  #matchesIn(path: string, content: Content): readonly Match[] | null {
    const matches = new Matches(path, this.#seek, this.#context, this.#budget);
    try {
      for (const line of linesOf(content)) if (!matches.take(line)) break;
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

/** Without `g` and `y`, which would begin at where the last line's match ended. */
function regexFrom(source: string, flags: string, path: string): RegExp {
  try {
    return new RegExp(source, new RegExp("", flags).flags.replace(/[gy]/g, ""));
  } catch (error) {
    throw new Fault("BAD_PATTERN", path, error instanceof Error ? error.message : "it is no expression");
  }
}
