import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type AbsolutePath, knownPath } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, type Profile } from "../../../src/profile/profile.ts";

/** Who a test's worker runs as when the system's own permissions are to count: root has them all. */
export const ORDINARY = process.getuid?.() === 0 ? { uid: 65_534 } : {};

/** Makes these files that user's own; where the tests do not run as root they are already. */
export function handOver(...paths: readonly string[]): void {
  for (const path of paths) if (ORDINARY.uid !== undefined) chownSync(path, ORDINARY.uid, ORDINARY.uid);
}

/** A folder of a test, gone afterwards: `root` is granted, `outside` is not. */
export class TestTree implements Disposable {
  readonly base: string;
  readonly root: string;
  readonly outside: string;

  constructor(above = tmpdir()) {
    this.base = realpathSync(mkdtempSync(join(above, "cofferdam-worker-")));
    this.root = join(this.base, "root");
    this.outside = join(this.base, "outside");
    mkdirSync(this.root);
    mkdirSync(this.outside);
  }

  /** Makes a file below the granted folder, with the folders above it, and answers its path. */
  file(name: string, content: string | Uint8Array = ""): string {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  /** The profile that grants the root, with what else is said. */
  profile(
    parts: {
      access?: FileEntry["access"];
      suffixes?: readonly string[];
      masks?: readonly Mask[];
      files?: readonly FileEntry[];
    } = {},
  ): Profile {
    const { access = "write", suffixes, masks = [], files = [] } = parts;
    const entry: FileEntry = { path: this.path(), access, suffixes: suffixes ?? "any" };
    return normalProfile({ files: [entry, ...files], masks });
  }

  /** A path below the granted folder. */
  path(name = ""): AbsolutePath {
    return knownPath(join(this.root, name));
  }

  [Symbol.dispose](): void {
    rmSync(this.base, { recursive: true, force: true });
  }
}

/** Masks of one written pattern. */
export function masks(pattern: string, atMost: Mask["atMost"] = "none"): readonly Mask[] {
  return parsePatterns(pattern).map((one) => ({ pattern: one, atMost, ignoreCase: false }));
}
