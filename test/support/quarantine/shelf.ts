import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Quarantine } from "../../../src/host/launch/quarantine/quarantine.ts";
import type { QuarantineRecord } from "../../../src/host/launch/quarantine/record.ts";
import { thisHost } from "../../../src/host/look/host.ts";
import { type AbsolutePath, joinPath, knownPath, parentOf, pathToBytes } from "../../../src/profile/path.ts";
import type { Person } from "../battery/people.ts";
import { FROM, inventoryOf, plantedAt } from "./inventory.ts";

/** Where the tree is, and where the quarantine has its state folder: beside it by default; `/dev/shm` is another file system. */
export interface ShelfOptions {
  readonly treeIn?: string;
  readonly stateIn?: string;
  readonly now?: () => number;
}

/** A tree that calls write in, and a quarantine, in folders of their own that go with it. */
export class Shelf implements Disposable {
  readonly tree: AbsolutePath;
  readonly state: AbsolutePath;
  readonly quarantine: Quarantine;
  readonly #now: () => number;

  constructor({ treeIn = tmpdir(), stateIn = tmpdir(), now = Date.now }: ShelfOptions = {}) {
    this.tree = freshFolder(treeIn);
    this.state = freshFolder(stateIn);
    this.#now = now;
    this.quarantine = this.another();
  }

  /** Another supervisor's view of the same quarantine. */
  another(): Quarantine {
    return new Quarantine(this.state, { id: thisHost().id, now: this.#now });
  }

  /** A path in the tree. */
  at(name: string): AbsolutePath {
    return joinPath(this.tree, name);
  }

  /** Writes a file, and the folders above it. */
  file(name: string, content: string | Buffer, mode = 0o644): AbsolutePath {
    const path = this.at(name);
    mkdirSync(bytesOf(parentOf(path)), { recursive: true });
    writeFileSync(bytesOf(path), content, { mode });
    return path;
  }

  folder(name: string, mode = 0o755): AbsolutePath {
    const path = this.at(name);
    mkdirSync(bytesOf(path), { recursive: true, mode });
    return path;
  }

  link(name: string, target: string | Buffer): AbsolutePath {
    const path = this.at(name);
    mkdirSync(bytesOf(parentOf(path)), { recursive: true });
    symlinkSync(target, bytesOf(path));
    return path;
  }

  /** Gives a person all that is there, so that they can be who takes it. */
  give({ uid, gid, runAs }: Person): void {
    if (runAs.uid !== undefined)
      for (const folder of [this.tree, this.state]) execFileSync("chown", ["-hR", `${uid}:${gid}`, folder]);
  }

  /** Takes things out of the tree. */
  take(...names: readonly string[]): Promise<QuarantineRecord> {
    return this.quarantine.take(plantedAt(...names.map((name) => this.at(name))), FROM);
  }

  /** Everything in the tree, or below a name in it. */
  inventory(name?: string): readonly string[] {
    return inventoryOf(name === undefined ? this.tree : this.at(name));
  }

  /** Everything that is held: the content of the records' folders, without the records themselves. */
  held(): readonly string[] {
    return inventoryOf(joinPath(this.state, "quarantine")).filter((line) => !line.includes("/record.json "));
  }

  [Symbol.dispose](): void {
    for (const folder of [this.tree, this.state]) rmSync(folder, { recursive: true, force: true });
  }
}

function bytesOf(path: AbsolutePath): Buffer {
  return Buffer.from(pathToBytes(path));
}

/** An empty folder, in another one. */
export function freshFolder(where: string): AbsolutePath {
  return knownPath(realpathSync(mkdtempSync(join(where, "cofferdam-shelf-"))));
}
