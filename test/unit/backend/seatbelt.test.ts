import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BACKENDS, backendFor } from "../../../src/backend/all.ts";
import type { Facts, Node } from "../../../src/backend/facts.ts";
import type { Plan, Refusal, Rendering } from "../../../src/backend/plan.ts";
import { renderSeatbelt } from "../../../src/backend/seatbelt/render.ts";
import { CofferdamError } from "../../../src/errors.ts";
import { run } from "../../../src/host/run.ts";
import { lookAtSurroundings } from "../../../src/host/surroundings.ts";
import { parseProfile, printProfile } from "../../../src/profile/canonical.ts";
import { type AbsolutePath, knownPath, upwards } from "../../../src/profile/path.ts";
import { parsePatterns } from "../../../src/profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, type ProfileParts } from "../../../src/profile/profile.ts";
import type { Launch } from "../../../src/tool/launch.ts";
import { path, profile } from "../../support/generate.ts";

const APP = "/Users/ada/work/app";
const LAUNCH: Launch = {
  argv: [knownPath("/bin/sh"), "-c", "make"],
  cwd: knownPath(APP),
  env: { LANG: "C" },
};

describe("a workspace with protected parts, notes by suffix and a runtime", () => {
  const profile = normalProfile({
    files: [
      entry(APP, "write"),
      entry(`${APP}/vendor`, "read"),
      entry(`${APP}/private`, "none"),
      entry(`${APP}/private/shared/fonts`, "read"),
      entry("/Users/ada/notes", "write", [".md", ".txt"]),
      ...["/bin", "/usr/bin", "/usr/lib", "/System/Library", "/private/var/db/timezone"].map((path) =>
        entry(path, "read"),
      ),
    ],
    masks: [
      ...masks(`${APP}/.git/hooks`, "read"),
      ...masks("**/.env", "none"),
      ...masks("**/.vscode/*.json", "read", true),
      ...masks("/etc/ssl/private", "none"),
      ...masks("/Users/ada/.ssh", "none"),
    ],
  });
  const facts = machine(
    { [`${APP}/.git/hooks`]: "folder", [`${APP}/api/.env`]: "file", "/etc": link("/private/etc") },
    { hits: [knownPath(`${APP}/api/.env`)] },
  );
  const plan = planOf(renderSeatbelt(profile, LAUNCH, facts));

  it("is rendered as the golden file says", async () => {
    await expect(`${plan.argv[1]}\n`).toMatchFileSnapshot("../../golden/seatbelt/workspace.sb");
  });

  it("is started by the system's own launcher, with the rules as an argument", () => {
    expect({
      ...plan,
      argv: plan.argv.with(1, "RULES"),
      clauses: [],
      approximations: [],
      standings: {},
    }).toEqual({
      backend: "seatbelt",
      version: "0",
      file: "/usr/bin/sandbox-exec",
      argv: ["-p", "RULES", "--", "/bin/sh", "-c", "make"],
      inputs: [],
      gateFd: null,
      sizesFd: null,
      expects: null,
      placeholders: [],
      clauses: [],
      approximations: [],
      standings: {},
      tree: null,
    });
  });

  it("says where it is tighter", () => {
    expect(plan.approximations.map((one) => `${one.name} ${one.path}`)).toEqual([
      "glob-always /",
      "glob-always /",
      "suffix-folder /Users/ada/notes",
      `pinned-node ${APP}/.git`,
      `pinned-node ${APP}/api`,
      "no-scratch /private/var/empty",
    ]);
  });

  it("claims no protection that was not seen", () => {
    const claimed = Object.entries(plan.standings).map(([name, standing]) => `${name} ${standing.kind}`);
    expect(claimed).toEqual([
      "files partial",
      "network partial",
      "sockets partial",
      "processes partial",
      "capabilities partial",
      "syscalls absent",
      "terminal absent",
      "environment absent",
      "descriptors absent",
      "limits enforced",
    ]);
  });

  it("has a clause for each rule on files", () => {
    const text = plan.argv[1] ?? "";
    expect(plan.clauses.every((clause) => text.includes(clause.args.join("")))).toBe(true);
    const hooks = plan.clauses.filter((clause) => clause.path === `${APP}/.git/hooks`);
    expect(hooks.map((clause) => clause.args.join("").slice(0, 18))).toEqual(["(deny file-write* "]);
  });

  it("is refused by the host, because nothing could prove it", async () => {
    using surroundings = await lookAtSurroundings(knownPath("/bin/sh"));
    const options = {
      stdin: null,
      wallMs: 1,
      outputBytes: 1,
      sinks: null,
      signal: null,
      runAs: null,
      surroundings,
      onProven: null,
    } as const;
    const error = await run(plan, options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CofferdamError);
    expect(error).toMatchObject({ code: "SANDBOX_UNAVAILABLE", hint: "use Linux with bubblewrap" });
  });
});

describe("what can't be enforced is refused, and what is close to it is not", () => {
  const write = (path: string, suffixes?: readonly string[]): ProfileParts => ({
    files: [entry(path, "write", suffixes)],
  });
  const masked = (pattern: string, atMost: Mask["atMost"]): ProfileParts => ({
    ...write(APP),
    masks: masks(pattern, atMost),
  });
  const hits = (count: number): readonly AbsolutePath[] =>
    Array.from({ length: count }, (_, index) => knownPath(`${APP}/p${index}/.env`));

  const cases: readonly (readonly [
    what: string,
    field: string,
    refused: readonly [ProfileParts, Facts],
    twin: readonly [ProfileParts, Facts],
  ])[] = [
    [
      "the machine's own network",
      "network",
      [{ network: "host" }, machine()],
      [{ network: "none" }, machine()],
    ],
    ["every public address", "network", [{ network: "open" }, machine()], [{}, machine()]],
    [
      "listed hosts",
      "network",
      [{ network: { hosts: [{ name: "a.test", port: 443, private: false }], never: [] } }, machine()],
      [{ network: { hosts: [], never: [] } }, machine()],
    ],
    ["the whole disk", "files", [write("/"), machine()], [write("/Users"), machine()]],
    [
      "the shared temporary folder",
      "files",
      [write("/private/tmp"), machine()],
      [write("/private/tmp/mine"), machine()],
    ],
    [
      "the data volume by its other name",
      "files",
      [write("/System"), machine()],
      [write("/System/Library"), machine()],
    ],
    ["a device", "files", [write("/dev/disk0"), machine()], [write("/devices"), machine()]],
    [
      "a root below a link of every macOS",
      "files",
      [write("/tmp/mine"), machine()],
      [write("/private/tmp/mine"), machine()],
    ],
    [
      "a root that is a link",
      "files",
      [write(APP), machine({ [APP]: link("/Volumes/app") })],
      [write("/Volumes/app"), machine({ [APP]: link("/Volumes/app") })],
    ],
    [
      "a literal mask behind a link that leads nowhere",
      "masks",
      [
        masked(`${APP}/.git/hooks`, "read"),
        machine({ [`${APP}/.git`]: { kind: "link", id: "l", target: null } }),
      ],
      [masked(`${APP}/.git/hooks`, "read"), machine({ [`${APP}/.git`]: link(`${APP}/git`) })],
    ],
    [
      "a pattern through a link",
      "masks",
      [masked(`${APP}/keys/*.pem`, "none"), machine({ [`${APP}/keys`]: link("/Volumes/keys") })],
      [masked(`${APP}/keys/*.pem`, "none"), machine({ [`${APP}/keys`]: "folder" })],
    ],
    [
      "a root that no rule can spell",
      "files",
      [write("/Users/zoë"), machine()],
      [write("/Users/zoe"), machine()],
    ],
    [
      "a suffix that no rule can spell",
      "files",
      [write(APP, [".é"]), machine()],
      [write(APP, [".e"]), machine()],
    ],
    [
      "a path too long for a string",
      "files",
      [write(`/Users/${"a/".repeat(450)}a`), machine()],
      [write(`/Users/${"a/".repeat(400)}a`), machine()],
    ],
    [
      "more pins than a rule takes",
      "masks",
      [masked("**/.env", "none"), machine({}, { hits: hits(256) })],
      [masked("**/.env", "none"), machine({}, { hits: hits(250) })],
    ],
    [
      "more rules than the kernel takes",
      "files",
      [
        { files: Array.from({ length: 5_000 }, (_, index) => entry(`/Users/ada/f${index}`, "read")) },
        machine(),
      ],
      [
        { files: Array.from({ length: 1_200 }, (_, index) => entry(`/Users/ada/f${index}`, "read")) },
        machine(),
      ],
    ],
    [
      "a longer text than an argument should be",
      "files",
      [
        {
          files: Array.from({ length: 1_500 }, (_, index) =>
            entry(`/Users/ada/${"f".repeat(60)}${index}`, "read"),
          ),
        },
        machine(),
      ],
      [
        {
          files: Array.from({ length: 700 }, (_, index) =>
            entry(`/Users/ada/${"f".repeat(60)}${index}`, "read"),
          ),
        },
        machine(),
      ],
    ],
  ];

  it.each(cases)("%s", (_, field, [parts, facts], [twinParts, twinFacts]) => {
    expect(refusalOf(renderSeatbelt(normalProfile(parts), LAUNCH, facts)).field).toBe(field);
    planOf(renderSeatbelt(normalProfile(twinParts), LAUNCH, twinFacts));
  });

  it("with field, reason and remedy", () => {
    const refusal = refusalOf(renderSeatbelt(normalProfile(write("/tmp/mine")), LAUNCH, machine()));
    expect(refusal).toEqual({
      field: "files",
      reason: "/tmp/mine goes through the symlink /tmp, where no rule would match",
      remedy: "write /private/tmp/mine",
    });
  });
});

describe("the rules hold what they must", () => {
  it("masks hold for what a masked link leads to", () => {
    const profile = normalProfile({
      files: [entry(APP, "write")],
      masks: masks(`${APP}/.git/hooks`, "read"),
    });
    const plan = planOf(renderSeatbelt(profile, LAUNCH, machine({ [`${APP}/.git`]: link(`${APP}/git`) })));
    expect(plan.argv[1]).toContain(
      `(require-any (literal "${APP}/git/hooks") (subpath "${APP}/git/hooks")))`,
    );
    expect(plan.approximations).toContainEqual({
      name: "link-target",
      path: `${APP}/git/hooks`,
      reason: `${APP}/.git/hooks goes through a symlink; what it leads to is capped at read as well`,
    });
  });

  it("quotes and backslashes of a path stay in their string", () => {
    const plan = planOf(
      renderSeatbelt(
        normalProfile({ files: [entry('/Users/a")(allow default)\\', "read")] }),
        LAUNCH,
        machine(),
      ),
    );
    expect(plan.argv[1]).toContain('(subpath "/Users/a\\")(allow default)\\\\")');
  });

  it("what a protected path is called may be anything", () => {
    const hidden = `${APP}/gehe\u0301im\n`;
    const profile = normalProfile({ files: [entry(APP, "write"), entry(hidden, "none")] });
    expect(planOf(renderSeatbelt(profile, LAUNCH, machine())).argv[1]).toContain(
      `(regex "^${APP}/gehe[^ -~]+im[^ -~]+$") (regex "^${APP}/gehe[^ -~]+im[^ -~]+/") (regex "^${APP}/geh[^ -~]+im[^ -~]+$")`,
    );
  });

  it("a device that a mask names is gone, too", () => {
    const rules = (parts: ProfileParts) =>
      planOf(renderSeatbelt(normalProfile(parts), LAUNCH, machine())).argv[1];
    const files = [entry(APP, "write")];
    expect(rules({ files })).toContain('(allow file-write-data (literal "/dev/null" "/dev/zero"))');
    expect(rules({ files, masks: masks("**/null", "read") })).toContain(
      '(allow file-write-data (literal "/dev/zero"))',
    );
  });

  it("no socket and no limit is passed over in silence", () => {
    const profile = normalProfile({
      sockets: [knownPath("/private/var/run/a.sock")],
      limits: { memoryBytes: 1 },
    });
    const { approximations, standings } = planOf(renderSeatbelt(profile, LAUNCH, machine()));
    expect(approximations[0]).toMatchObject({ name: "no-sockets", path: "/private/var/run/a.sock" });
    expect(standings.limits.kind).toBe("absent");
  });
});

describe("a profile of any kind", () => {
  it("is rendered or refused, and gives the same plan each time", () => {
    const anyFacts = fc.array(path, { maxLength: 4 }).map((hits) => machine({}, { hits }));
    fc.assert(
      fc.property(profile, anyFacts, (given, facts) => {
        const offline = { ...given, network: "none" } as const;
        expect(renderSeatbelt(offline, LAUNCH, facts)).toEqual(renderSeatbelt(offline, LAUNCH, facts));
        const rewritten = parseProfile(printProfile(offline));
        expect(renderSeatbelt(rewritten, LAUNCH, { ...facts, hits: facts.hits.toReversed() })).toEqual(
          renderSeatbelt(offline, LAUNCH, facts),
        );
      }),
      { numRuns: 500 },
    );
  });
});

describe("the list of backends", () => {
  it("has one for each platform", () => {
    expect(BACKENDS.map(({ name, platform }) => [name, platform])).toEqual([
      ["bubblewrap", "linux"],
      ["seatbelt", "darwin"],
    ]);
    expect(backendFor("darwin")).toBe(BACKENDS[1]);
  });
});

function entry(path: string, access: FileEntry["access"], suffixes?: readonly string[]): FileEntry {
  return { path: knownPath(path), access, suffixes: suffixes ?? "any" };
}

function masks(text: string, atMost: Mask["atMost"], ignoreCase = false): readonly Mask[] {
  return parsePatterns(text).map((pattern) => ({ pattern, atMost, ignoreCase }));
}

function link(target: string): Node {
  return { kind: "link", id: target, target: knownPath(target) };
}

/** A Mac on which these nodes stand, with the folders above them. */
function machine(
  nodes: Readonly<Record<string, Node | "folder" | "file">> = {},
  found: Partial<Facts> = {},
): Facts {
  const all = new Map<AbsolutePath, Node>();
  for (const [text, node] of Object.entries(nodes)) {
    for (const at of upwards(knownPath(text))) if (!all.has(at)) all.set(at, { kind: "folder", id: at });
    all.set(knownPath(text), typeof node === "string" ? { kind: node, id: text } : node);
  }
  return {
    ways: new Map(),
    arch: "arm64",
    launcher: {
      path: knownPath("/usr/bin/sandbox-exec"),
      version: "0",
      options: new Set(),
      shell: knownPath("/bin/sh"),
      perl: null,
    },
    user: { uid: 501, gid: 20, isCaller: true },
    nodes: all,
    hits: [],
    repositories: [],
    gitLinks: [],
    unsearched: [],
    shown: new Map(),
    mounts: [],
    links: [],
    emptyFile: null,
    devices: { kind: "host" },
    coreDumps: { kind: "file" },
    tree: {
      memory: { kind: "absent", reason: "there are none", fix: "use Linux" },
      pids: { kind: "absent", reason: "there are none", fix: "use Linux" },
    },
    ...found,
  };
}

function planOf(rendering: Rendering): Plan {
  if (rendering.kind === "plan") return rendering.plan;
  throw new Error(`refused: ${rendering.refusal.reason}`);
}

function refusalOf(rendering: Rendering): Refusal {
  if (rendering.kind === "refusal") return rendering.refusal;
  throw new Error("was not refused");
}
