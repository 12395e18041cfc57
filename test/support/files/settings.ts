import fc from "fast-check";
import { absolutePath } from "../../../src/profile/path.ts";
import type { ToolSettings } from "../../../src/tool/derive.ts";
import type { Root } from "../../../src/tool/facts.ts";
import { SandboxSection, ShellSection } from "../../../src/tool/settings.ts";

/** A root that is written without asking, but for what is said. */
export function rootAt(name: string, path: string, more: Partial<Root> = {}): Root {
  return {
    name,
    path: absolutePath(path),
    mode: "rw",
    suffixes: "any",
    writeApproval: false,
    readApproval: false,
    at: null,
    ...more,
  };
}

const PLACES = { notes: "/w/notes", inner: "/w/notes/inner", deep: "/w/notes/inner/deep", docs: "/docs" };

/** Any roots, some of them in others. */
export const roots: fc.Arbitrary<readonly Root[]> = fc
  .subarray(Object.entries(PLACES), { minLength: 1 })
  .chain((places) =>
    fc.tuple(
      ...places.map(([name, path]) =>
        fc
          .record({
            mode: fc.constantFrom("rw", "rw", "ro", "none"),
            suffixes: fc.constantFrom<Root["suffixes"][]>("any", "any", [".md"], [".md", ".txt"]),
            writeApproval: fc.boolean(),
            readApproval: fc.boolean(),
          })
          .map((more) => rootAt(name, path, more)),
      ),
    ),
  );

/** The settings of tools that a config with these roots gives. */
export function settingsWith(given: readonly Root[], ownFiles: ToolSettings["ownFiles"] = []): ToolSettings {
  return {
    roots: given,
    runtimes: [],
    sandbox: SandboxSection.parse({}),
    shell: ShellSection.parse({}),
    ownFiles,
  };
}
