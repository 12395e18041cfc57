import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Event } from "../../../src/event/event.ts";
import { FileJournal, type JournalOptions } from "../../../src/journal/journal.ts";
import { type AbsolutePath, knownPath } from "../../../src/profile/path.ts";

/** An event that says this text, at this place in the run. */
export function event(seq: number, text: string, config: string | null = null): Event {
  const envelope = { version: 1, seq, at: "2030-01-02T03:04:05.678Z", runId: "run", sessionId: "s" };
  return Event.parse(
    seq === 0
      ? { ...envelope, callId: null, type: "session.started", config, ceiling: [text], mode: "interactive" }
      : { ...envelope, callId: "c", type: "approval.failed", approvalId: "a", reason: text },
  );
}

/** A folder of records, of its own unless it is named; gone at the end. */
export class RecordFolder implements Disposable {
  readonly path: AbsolutePath;

  constructor(path?: AbsolutePath) {
    this.path = path ?? knownPath(realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-journal-"))));
  }

  /** Writes a record: an event for each text. */
  record(run: string, texts: readonly string[], options: JournalOptions & { config?: string } = {}): void {
    const { config = null, ...rest } = options;
    using journal = new FileJournal(this.path, run, rest);
    for (const [seq, text] of texts.entries()) journal.write(event(seq, text, config));
  }

  /** The files of a run, by name, with what they hold, byte for byte. */
  files(run: string): readonly (readonly [name: string, bytes: Buffer])[] {
    return readdirSync(this.path)
      .filter((name) => name.startsWith(`${run}.jsonl`))
      .toSorted()
      .map((name) => [name, readFileSync(join(this.path, name))]);
  }

  /** Puts other files in the place of those of a run; what is the same stays. */
  replace(run: string, files: Iterable<readonly [name: string, bytes: Uint8Array]>): void {
    const now = new Map(files);
    for (const [name, bytes] of this.files(run))
      if (!now.has(name)) rmSync(join(this.path, name));
      else if (bytes.equals(now.get(name) ?? bytes)) now.delete(name);
    for (const [name, bytes] of now) writeFileSync(join(this.path, name), bytes);
  }

  at(name: string): AbsolutePath {
    return knownPath(join(this.path, name));
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The lines of files that end in a line break, as they stand there, in the order of the files. */
export function wholeLines(files: Iterable<readonly [name: string, bytes: Uint8Array]>): readonly string[] {
  return [...files].flatMap(([, bytes]) => Buffer.from(bytes).toString("latin1").split("\n").slice(0, -1));
}
