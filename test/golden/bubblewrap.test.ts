import { describe, expect, test } from "vitest";
import { renderBubblewrap } from "../../src/backend/bubblewrap/render.ts";
import type { Facts } from "../../src/backend/facts.ts";
import type { MountPlan } from "../../src/backend/plan.ts";
import { parseHostRule } from "../../src/profile/host-rule.ts";
import { type AbsolutePath, absolutePath, pathFromBytes } from "../../src/profile/path.ts";
import { parsePatterns } from "../../src/profile/pattern.ts";
import { type FileEntry, type Mask, normalProfile, type Profile } from "../../src/profile/profile.ts";
import { fakedFacts } from "../support/faked-facts.ts";

const at = (text: string): AbsolutePath => absolutePath(text);
const entry = (
  path: string,
  access: FileEntry["access"],
  suffixes: FileEntry["suffixes"] = "any",
): FileEntry => ({ path: at(path), access, suffixes });
const mask = (pattern: string, atMost: Mask["atMost"]): readonly Mask[] =>
  parsePatterns(pattern).map((parsed) => ({ pattern: parsed, atMost, ignoreCase: false }));

const LAUNCH = {
  argv: [at("/usr/bin/true"), "--help"],
  cwd: at("/w"),
  env: { PATH: "/usr/bin", HOME: "/tmp/home" },
} as const;

/** Each case is one golden file: a plan, one argument a line, so that its diff is the review. */
const CASES: readonly (readonly [name: string, profile: Profile, facts: Facts])[] = [
  [
    "workspace",
    normalProfile({
      sockets: [],
      files: [
        entry("/usr", "read"),
        entry("/w", "write"),
        entry("/w/docs", "read"),
        entry("/w/secret", "none"),
        entry("/w/secret/shared", "write"),
      ],
      masks: [
        ...mask("**/.git/hooks", "read"),
        ...mask("**/.git/config", "read"),
        ...mask("**/.env", "none"),
        ...mask("/w/.envrc", "read"),
      ],
      limits: { processes: 64, openFiles: 256, cpuSeconds: 60, scratchBytes: 64 * 1024 ** 2 },
    }),
    fakedFacts(["/w/docs/", "/w/secret/shared/", "/w/a/.git/hooks/", "/w/a/.git/config", "/w/.env"], {
      hits: [at("/w/a/.git/hooks"), at("/w/a/.git/config"), at("/w/.env")],
    }),
  ],
  [
    "hosts",
    normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "write")],
      network: { hosts: [parseHostRule("registry.example.org:443")], never: [] },
    }),
    fakedFacts(["/w/"]),
  ],
  [
    "suffixes",
    normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "write", [".md"])],
    }),
    fakedFacts(["/w/a.md", "/w/sub/b.md", "/w/c.sh"], {
      shown: new Map([[at("/w"), [at("/w/a.md"), at("/w/sub/b.md")]]]),
    }),
  ],
  [
    "host-network-as-another-user",
    normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "write")],
      masks: mask("**/*.key", "none"),
      network: "host",
    }),
    fakedFacts(["/w/a.key", "/w/b.key"], {
      coreDumps: { kind: "handler", limiter: at("/usr/bin/prlimit") },
      hits: [at("/w/a.key"), at("/w/b.key")],
      emptyFile: null,
      nameFiles: {
        hosts: "127.0.0.1 localhost\n127.0.1.1 machine\n203.0.113.7 vm\n\n",
        resolver: "nameserver 127.0.0.53\noptions edns0\n",
      },
      user: { uid: 1001, gid: 1001, isCaller: false },
    }),
  ],
  [
    "root-with-devices-of-its-own",
    normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "write")],
    }),
    fakedFacts(["/w/"], {
      user: { uid: 0, gid: 0, isCaller: true },
      emptyFile: at("/root/.local/state/cofferdam/empty"),
      devices: { kind: "made", folder: at("/root/.local/state/cofferdam/devices") },
    }),
  ],
  [
    "granted-devices",
    normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "write")],
      devices: ["gpu", "serial"],
    }),
    fakedFacts(["/w/"], {
      deviceNodes: [
        {
          group: "gpu",
          path: at("/dev/dri/renderD128"),
          source: at("/dev/dri/renderD128"),
          isExposed: false,
          links: [
            { path: at("/sys/dev/char/226:128"), target: "../../devices/pci0/0000:01:00.0/drm/renderD128" },
          ],
          files: [{ path: at("/sys/devices/pci0/0000:01:00.0/vendor"), text: "0x1002\n" }],
          folders: [at("/sys/devices/virtual/kfd/kfd/topology")],
        },
        {
          group: "kvm",
          path: at("/dev/kvm"),
          source: at("/dev/kvm"),
          isExposed: false,
          links: [],
          files: [],
          folders: [],
        },
        {
          group: "serial",
          path: at("/dev/ttyUSB0"),
          source: at("/root/.local/state/cofferdam/granted-devices/dev:ttyUSB0"),
          isExposed: false,
          links: [{ path: at("/dev/serial/by-id/usb-board"), target: "../../ttyUSB0" }],
          files: [],
          folders: [],
        },
      ],
    }),
  ],
  [
    "root-with-the-hosts-devices",
    normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "write")],
    }),
    fakedFacts(["/w/"], {
      user: { uid: 0, gid: 0, isCaller: true },
      devices: { kind: "exposed", reason: "others can't be made without CAP_MKNOD" },
    }),
  ],
  [
    "root-with-cgroups",
    normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "write")],
      limits: { processes: 64, memoryBytes: 2 * 1024 ** 3, strict: true },
    }),
    fakedFacts(["/w/"], {
      user: { uid: 0, gid: 0, isCaller: true },
      devices: { kind: "made", folder: at("/root/.local/state/cofferdam/devices") },
      tree: {
        memory: { kind: "held", door: 0, except: "not all of it" },
        pids: { kind: "held", door: 1, except: null },
      },
    }),
  ],
  [
    "terminal",
    normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "read")],
      terminal: true,
    }),
    fakedFacts(["/w/"]),
  ],
  [
    "port",
    normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "write")],
      ports: [5173, 8080],
    }),
    fakedFacts(["/w/"]),
  ],
  [
    "copied-settings",
    normalProfile({
      sockets: [],
      files: [
        entry("/usr", "read"),
        entry("/w", "write"),
        entry("/etc/services", "read"),
        entry("/etc/large", "read"),
        entry("/etc/ours", "write"),
        entry("/etc/ours/protected.conf", "read"),
        entry("/etc/open.conf", "write"),
      ],
    }),
    fakedFacts([
      "/w/",
      "/etc/services+",
      "/etc/large",
      "/etc/ours/",
      "/etc/ours/protected.conf+",
      "/etc/open.conf+",
    ]),
  ],
  [
    "old-launcher",
    normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "read")],
    }),
    fakedFacts(["/w/"], { launcher: { ...fakedFacts([]).launcher, version: "0.6.1", options: new Set() } }),
  ],
];

describe("a plan is the same to the letter, until somebody means to change it:", () => {
  test.each(CASES)("%s", async (name, profile, facts) => {
    await expect(printPlan(planOf(profile, facts))).toMatchFileSnapshot(`bubblewrap/${name}.txt`);
  });
});

test("settings of the system are copied for whoever supervises alone: others may be kept from them by an access list", () => {
  const profile = normalProfile({
    sockets: [],
    files: [entry("/usr", "read"), entry("/w", "read"), entry("/etc/services", "read")],
  });
  const optionFor = (isCaller: boolean) =>
    planOf(profile, fakedFacts(["/w/", "/etc/services+"], { user: { uid: 1000, gid: 1000, isCaller } }))
      .clauses.find(({ path }) => path === "/etc/services")
      ?.args.find((word) => /^--(?:file|ro-bind)$/.test(word));
  expect([true, false].map(optionFor)).toEqual(["--file", "--ro-bind"]);
});

test.each([
  ["read", /^\/w\/repo\/\.git\/hooks is a protected symlink to \/w\/shared, so this may also /],
  ["none", /^a protected symlink leads here, so this may also /],
] as const)(
  "the reason of a link's target names the link where the call sees it: at most %s",
  (atMost, reason) => {
    const facts = fakedFacts(["/w/repo/.git/hooks → /w/shared", "/w/shared/"], {
      hits: [at("/w/repo/.git/hooks")],
    });
    const files = [entry("/usr", "read"), entry("/w", "write")];
    const plan = planOf(normalProfile({ sockets: [], files, masks: mask("**/.git/hooks", atMost) }), facts);
    expect(plan.limits.filter(({ name }) => name === "link-target")).toMatchObject([
      { path: "/w/shared", reason: expect.stringMatching(reason) },
    ]);
  },
);

test("a mask on a symlink caps what it leads to, and holds the link; where it can't, the folder of the link", () => {
  const look = (coversLinks: boolean) =>
    fakedFacts(["/w/repo/.git/hooks → /w/shared", "/w/shared/"], {
      hits: [at("/w/repo/.git/hooks")],
      coversLinks,
    });
  const profile = normalProfile({
    sockets: [],
    files: [entry("/usr", "read"), entry("/w", "write")],
    masks: mask("**/.git/hooks", "read"),
  });
  const plan = planOf(profile, look(true));
  expect(plan.limits.map(({ name, path }) => [name, path])).toEqual([["link-target", "/w/shared"]]);
  const clauses = plan.clauses.map(({ path, args }) => `${path}: ${args.join(" ")}`);
  expect(clauses.slice(-4)).toEqual([
    "/w/repo: --bind /w/repo /w/repo",
    "/w/repo/.git: --bind /w/repo/.git /w/repo/.git",
    "/w/repo/.git/hooks: ",
    "/w/shared: --ro-bind /w/shared /w/shared",
  ]);
  expect(plan).toMatchObject({ launchers: 2 });
  expect(plan.argv.slice(plan.argv.indexOf("-e") + 2, plan.argv.lastIndexOf("--args"))).toEqual([
    ...["--", "157", "1", Buffer.from("/w/repo/.git/hooks").toString("hex"), "/usr/bin/bwrap"],
  ]);
  const without = planOf(profile, look(false));
  expect(without.limits.map(({ name, path }) => [name, path])).toEqual([
    ["link-target", "/w/shared"],
    ["link-folder", "/w/repo/.git"],
  ]);
  expect(without).toMatchObject({ launchers: 1 });
  expect(without.clauses.flatMap((clause) => clause.args).join(" ")).toContain(
    "--ro-bind /w/repo/.git /w/repo/.git --ro-bind /w/shared /w/shared",
  );
});

test("a protected symlink right in a writable root is refused only where nothing could hold it", () => {
  const look = (coversLinks: boolean) =>
    fakedFacts(["/w/.envrc → /w/other", "/w/other"], { hits: [at("/w/.envrc")], coversLinks });
  const profile = normalProfile({
    sockets: [],
    files: [entry("/usr", "read"), entry("/w", "write")],
    masks: mask("**/.envrc", "read"),
  });
  expect(renderBubblewrap(profile, LAUNCH, look(false))).toMatchObject({
    kind: "refusal",
    refusal: { field: "masks", remedy: expect.stringContaining("install perl") },
  });
  expect(planOf(profile, look(true)).limits.map(({ path }) => path)).toEqual(["/w/other"]);
});

test("never-weaker: a terminal that can't be made is a refusal, never a plan without one", () => {
  const files = [entry("/usr", "read"), entry("/w", "read")];
  const render = (facts: Partial<Facts>, masks: readonly Mask[] = []) =>
    renderBubblewrap(
      normalProfile({
        sockets: [],
        files,
        masks,
        terminal: true,
      }),
      LAUNCH,
      fakedFacts(["/w/", "/usr/bin/perl"], facts),
    );
  const { launcher } = fakedFacts([]);
  const withoutPerl = render({ launcher: { ...launcher, perl: null } });
  expect(withoutPerl).toMatchObject({ kind: "refusal", refusal: { field: "terminal" } });
  expect("refusal" in withoutPerl && withoutPerl.refusal.remedy).toMatch(
    /^install perl: `apt install perl-base`/,
  );
  const cutOff = render({}, mask("/usr/bin/perl", "none"));
  expect(cutOff).toMatchObject({ kind: "refusal", refusal: { field: "terminal" } });
  expect(render({})).toMatchObject({ kind: "plan", plan: { sizesFd: 12 } });
  expect(
    renderBubblewrap(
      normalProfile({
        sockets: [],
        files,
      }),
      LAUNCH,
      fakedFacts(["/w/"], { launcher: { ...launcher, perl: null } }),
    ),
  ).toMatchObject({ kind: "plan", plan: { sizesFd: null } });
});

test("a place that every sandbox has for itself can't be granted, a folder below it can", () => {
  const profile = (path: string): Profile =>
    normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "read"), entry(path, "write")],
    });
  expect(renderBubblewrap(profile("/tmp"), LAUNCH, fakedFacts(["/tmp/", "/w/"]))).toMatchObject({
    kind: "refusal",
  });
  expect(renderBubblewrap(profile("/tmp/mine"), LAUNCH, fakedFacts(["/tmp/mine/", "/w/"]))).toMatchObject({
    kind: "plan",
  });
});

test("more mounts than the budget are refused with their number, fewer are not", () => {
  const keys = (count: number): readonly AbsolutePath[] =>
    Array.from({ length: count }, (_, index) => at(`/w/${index}.key`));
  const render = (count: number) => {
    const profile = normalProfile({
      sockets: [],
      files: [entry("/usr", "read"), entry("/w", "write")],
      masks: mask("**/*.key", "none"),
    });
    return renderBubblewrap(profile, LAUNCH, fakedFacts(["/w/", ...keys(count)], { hits: keys(count) }));
  };
  expect(render(300)).toMatchObject({
    kind: "refusal",
    refusal: { reason: "302 mounts are needed, 300 of them for masks; the maximum is 256" },
  });
  expect(render(200)).toMatchObject({ kind: "plan" });
});

function planOf(profile: Profile, facts: Facts): MountPlan {
  const rendering = renderBubblewrap(profile, LAUNCH, facts);
  if (rendering.kind !== "plan" || rendering.plan.kind === "rules")
    throw new Error(`no plan: ${JSON.stringify(rendering)}`);
  return rendering.plan;
}

function printPlan(plan: MountPlan): string {
  const options = plan.inputs.flatMap((input) =>
    input.fd === 3 && "bytes" in input ? pathFromBytes(input.bytes).split("\0").slice(0, -1) : [],
  );
  const made = plan.inputs.flatMap((input) =>
    input.fd > 6 && "bytes" in input
      ? [`--- descriptor ${input.fd}`, pathFromBytes(input.bytes).trimEnd()]
      : [],
  );
  const copied = plan.inputs.flatMap((input) =>
    "file" in input ? [`--- descriptor ${input.fd}: a copy of ${input.file}`] : [],
  );
  const standings = Object.entries(plan.enforcement).map(
    ([name, standing]) => `${name}: ${standing.kind}${"reason" in standing ? ` (${standing.reason})` : ""}`,
  );
  return [
    plan.file,
    ...plan.argv,
    "--- options",
    ...options,
    ...made,
    ...copied,
    ...(plan.connector === null
      ? []
      : [`--- ports ${plan.ports.join(", ")}, into which is connected by`, ...plan.connector]),
    "--- placeholders",
    ...plan.placeholders.map(({ path }) => path),
    "--- standings",
    ...standings,
    "",
  ].join("\n");
}
