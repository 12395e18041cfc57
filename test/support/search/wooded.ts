import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AbsolutePath, knownPath } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import { type Mask, normalProfile, type Profile } from "../../../src/profile/profile.ts";

/** A folder of its own for one test, gone after disposal. */
export class Wood implements Disposable {
  readonly top: AbsolutePath = knownPath(realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-search-"))));

  /** A path below the folder. */
  at(name: string): AbsolutePath {
    return knownPath(`${this.top}/${name}`);
  }

  /** Plants what is named: a name that ends in `/` is a folder, `→` makes a link, anything else is an empty file. */
  plant(...names: readonly string[]): void {
    for (const name of names) {
      const [path = "", target] = name.split(" → ");
      mkdirSync(join(this.top, path, path.endsWith("/") ? "." : ".."), { recursive: true });
      if (target !== undefined) symlinkSync(target, join(this.top, path));
      else if (!path.endsWith("/")) writeFileSync(join(this.top, path), "");
    }
  }

  /** A profile that grants the folder, with what is capped in it. */
  profile({ none = [], read = [], access = "write" }: Caps = {}): Profile {
    const masks = [...none.map(maskOf("none")), ...read.map(maskOf("read"))].flat();
    return normalProfile({ files: [{ path: this.top, access, suffixes: "any" }], masks });
  }

  /** Paths as they stand below the folder. */
  names(paths: readonly AbsolutePath[]): readonly string[] {
    return paths.map((path) => path.slice(this.top.length + 1));
  }

  [Symbol.dispose](): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}

interface Caps {
  readonly none?: readonly string[];
  readonly read?: readonly string[];
  readonly access?: "read" | "write";
}

function maskOf(atMost: Mask["atMost"]): (text: string) => readonly Mask[] {
  return (text) => parsePatterns(text).map((pattern) => ({ pattern, atMost, ignoreCase: false }));
}
