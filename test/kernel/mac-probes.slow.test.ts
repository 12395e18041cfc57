import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Launcher } from "../../src/backend/facts.ts";
import { kernelFindings } from "../../src/host/launch/mac/probes/kept.ts";
import { type Probed, runProbes } from "../../src/host/launch/mac/probes/run.ts";
import { knownPath } from "../../src/profile/path.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

/** A sandbox program that keeps nothing back, and one that takes no text. */
const OPEN = '#!/bin/sh\necho x >>"$0.log"\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n';
const REFUSING = "#!/bin/sh\necho 'sandbox-exec: no' >&2; exit 65\n";

/** What only macOS has a call or a program for. */
const OF_MACOS = ["swap", "clone", "default process-info*", "default iokit-get-properties", "default nvram*"];

describe("questions about the kernel", () => {
  let folder: string;
  let place: Place;
  let launcher: Launcher;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cofferdam-mac-"));
    place = new Place(CALLER, { isFirst: true });
    const [path, shell] = [knownPath(join(folder, "sandbox-exec")), knownPath("/bin/sh")];
    launcher = { path, version: "0", options: new Set(), shell, perl: null };
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    place[Symbol.dispose]();
  });

  const become = (text: string): void => writeFileSync(launcher.path, text, { mode: 0o755 });

  it("are problems where the sandbox program keeps nothing back, and leave nothing behind", async () => {
    become(OPEN);
    const before = leftovers();
    const found = await runProbes(launcher);
    expect(idsOf(found, "problem")).toEqual([
      "exceptions",
      "literal-and-subpath",
      "foreign-letters",
      "rename-over",
      "link",
      "network-none",
      "socket-by-files",
      "parameters",
      "brackets",
      "regexes",
      "mistakes",
    ]);
    expect(idsOf(found, "weaker")).toEqual([
      "new-folder",
      "one-port",
      "listening",
      "default file-map-executable",
    ]);
    // The disk here tells `name` and `NAME` apart.
    expect(idsOf(found, "not-tried")).toEqual(["asked-case", ...OF_MACOS]);
    expect(leftovers()).toEqual(before);
  });

  it("have no answer where no text is taken, but that calls will not start", async () => {
    become(REFUSING);
    const found = await runProbes(launcher);
    expect(idsOf(found, "problem")).toEqual([
      "exceptions",
      "literal-and-subpath",
      "foreign-letters",
      "parameters",
      "brackets",
      "regexes",
      "named-operations",
    ]);
  });

  it("are asked once for a build where that is kept, and are kept on request alone", async () => {
    become(OPEN);
    const host = place.host();
    mkdirSync(host.stateFolder, { recursive: true });
    await kernelFindings(host, launcher, "read");
    expect(readdirSync(host.stateFolder)).toEqual([]);
    const kept = await kernelFindings(host, launcher, "keep");
    expect(kept.at(-1)).toMatchObject({ id: "tag-in-log", value: "not-tried" });
    expect(readFileSync(join(host.stateFolder, "kernel.json"), "utf8")).toContain("precedence");
    const starts = readFileSync(`${launcher.path}.log`, "utf8");
    expect(await kernelFindings(host, launcher, "read")).toEqual(kept);
    expect(readFileSync(`${launcher.path}.log`, "utf8")).toBe(starts);
    become(REFUSING);
    const others = await kernelFindings(host, launcher, "read");
    expect(others).not.toEqual(kept);
  });
});

function idsOf(found: readonly Probed[], standing: Probed["standing"]): readonly string[] {
  return found.filter((one) => one.standing === standing).map(({ id }) => id);
}

function leftovers(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("cofferdam-p-"));
}
