import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BACKENDS, backendFor } from "../../../src/backend/all.ts";
import { renderSeatbelt } from "../../../src/backend/seatbelt/render.ts";
import { parseProfile, printProfile } from "../../../src/profile/canonical.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { normalProfile, type ProfileParts } from "../../../src/profile/profile.ts";
import type { ProgramStart } from "../../../src/tool/launch.ts";
import { macCase } from "../../support/mac/mac-case.ts";
import { entry, link, machine, masks, planOf, write } from "../../support/mac/machine.ts";

const APP = "/Users/ada/work/app";
const LAUNCH: ProgramStart = {
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
    await expect(plan.rules.text).toMatchFileSnapshot("../../golden/seatbelt/workspace.sb");
  });

  it("is started by the system's own launcher, with the start program and the program's words", () => {
    expect({
      ...plan,
      argv: plan.argv.with(2, "START"),
      rules: {},
      clauses: [],
      approximations: [],
      fixed: [],
      enforcement: {},
    }).toEqual({
      backend: "seatbelt",
      version: "15.1",
      file: "/usr/bin/sandbox-exec",
      argv: ["/bin/sh", "-c", "START", "cofferdam-start", "/bin/sh", "-c", "make"],
      kind: "rules",
      rules: {},
      environment: { LANG: "C" },
      cwd: APP,
      given: [],
      atHome: [],
      inputs: [],
      placeholders: [],
      ports: [],
      proxy: null,
      clauses: [],
      approximations: [],
      limits: [],
      fixed: [],
      enforcement: {},
      tree: null,
    });
  });

  it("says where it is tighter", () => {
    expect(plan.approximations.map((one) => `${one.name} ${one.path}`)).toEqual([
      "glob-always /",
      "suffix-folder /Users/ada/notes",
      `pinned-node ${APP}/.git`,
      `pinned-node ${APP}/api`,
      "no-links /Users/ada/notes",
      `no-links ${APP}`,
    ]);
  });

  it("claims of each protection what rules can hold", () => {
    const claimed = Object.entries(plan.enforcement).map(([name, standing]) => `${name} ${standing.kind}`);
    expect(claimed).toEqual([
      "files tighter",
      "network enforced",
      "sockets enforced",
      "processes partial",
      "capabilities enforced",
      "syscalls partial",
      "terminal enforced",
      "environment enforced",
      "descriptors enforced",
      "limits enforced",
    ]);
  });

  it("has a clause for each path that a rule on files names, by what stands in the text of it", () => {
    const oneLine = plan.rules.text.replace(/\n */g, " ");
    for (const { args } of plan.clauses) {
      const filters = args.join("").match(/^\((?:allow|deny) [^ ]+ (.*)\)$/)?.[1] ?? "";
      expect(filters).not.toBe("");
      for (const part of filters.match(/\((literal|subpath) "[^"]*"\)/g) ?? [])
        expect(oneLine).toContain(part);
      // Regexes that begin alike are printed as one.
      for (const [, tail = ""] of filters.matchAll(
        /\(regex "\^?\/([^"]*?)(?:\(\/\[\^\/\]\*\)\?\(\/\.\*\)\?)?\$"\)/g,
      ))
        expect(oneLine).toContain(tail.replace("Users/ada/work/app/", ""));
    }
    const about = (path: string) =>
      plan.clauses.filter((one) => one.path === path).map(({ args }) => args.join(""));
    expect(about(`${APP}/.git/hooks`)).toEqual([
      `(deny file-write* (literal "${APP}/.git/hooks") (subpath "${APP}/.git/hooks") ` +
        `(regex "^${APP}/[.][gG][iI][tT]/[hH][oO][oO]([kK]|[^ -~]+)([sS]|[^ -~]+)(/[^/]*)?(/.*)?$"))`,
    ]);
    expect(about("/usr/lib")).toEqual(['(allow file-read* (literal "/usr/lib") (subpath "/usr/lib"))']);
    expect(about("/Users/ada/.ssh")).toEqual([]);
  });
});

describe("the rules hold what they must", () => {
  it("masks hold for what a masked link leads to", () => {
    const profile = normalProfile({
      files: [entry(APP, "write")],
      masks: masks(`${APP}/.git/hooks`, "read"),
    });
    const plan = planOf(renderSeatbelt(profile, LAUNCH, machine({ [`${APP}/.git`]: link(`${APP}/git`) })));
    expect(plan.rules.text).toContain(`    (literal "${APP}/git/hooks")\n    (subpath "${APP}/git/hooks")\n`);
    expect(plan.approximations).toContainEqual({
      name: "link-target",
      path: `${APP}/git/hooks`,
      reason: `${APP}/.git/hooks goes through a symlink, so its target is also capped at read`,
    });
  });

  it("the reason of such a limit does not name a path that is hidden", () => {
    const profile = normalProfile({
      files: [entry(APP, "write")],
      masks: masks(`${APP}/.git/hooks`, "none"),
    });
    const plan = planOf(renderSeatbelt(profile, LAUNCH, machine({ [`${APP}/.git`]: link(`${APP}/git`) })));
    expect(plan.approximations).toContainEqual({
      name: "link-target",
      path: `${APP}/git/hooks`,
      reason: "a hidden path goes through a symlink, so its target is also capped at none",
    });
  });

  it("never-weaker: a masked link in a hidden folder caps its target as its own mask does, and its way stays", () => {
    const at = (name: string) => knownPath(`${APP}/${name}`);
    const glob = [...masks("**/.envrc", "read"), ...masks("**/.envrc", "none")];
    for (const [cap, more] of [
      ["read", masks(`${APP}/deep`, "none")],
      ["none", glob],
    ] as const) {
      const profile = normalProfile({
        files: [entry(APP, "write")],
        masks: [...masks("**/.envrc", "read"), ...more],
      });
      const facts = machine({ [`${APP}/deep/.envrc`]: link(`${APP}/real/env`) });
      const ways = new Map([[at("deep/.envrc"), { links: [at("by/env")], detours: [at("out")] }]]);
      const plan = planOf(renderSeatbelt(profile, LAUNCH, { ...facts, hits: [at("deep/.envrc")], ways }));
      expect(plan.limits.filter(({ name }) => name === "link-target")).toMatchObject([
        { path: at("real/env"), atMost: cap },
      ]);
      expect(plan.fixed).toEqual(expect.arrayContaining([at("by/env"), at("out")]));
    }
  });

  it("further links by which a protected path is found stay where they are, and so do detours", () => {
    const profile = normalProfile({
      files: [entry(APP, "write")],
      masks: [...masks(`${APP}/agent.json`, "read"), ...masks("**/.envrc", "read")],
    });
    const nodes = {
      [`${APP}/agent.json`]: link(`${APP}/real/agent.json`),
      [`${APP}/.envrc`]: link(`${APP}/real/env`),
    };
    const at = (name: string) => knownPath(`${APP}/${name}`);
    const ways = new Map([
      [at("agent.json"), { links: [at("by/agent")], detours: [at("out")] }],
      [at(".envrc"), { links: [at("by/env")], detours: [] }],
    ]);
    const hits = [at(".envrc")];
    const plan = planOf(renderSeatbelt(profile, LAUNCH, machine(nodes, { ways, hits })));
    const never = plan.rules.text.slice(plan.rules.text.indexOf("; Never moved, made or removed"));
    for (const name of ["by", "by/agent", "by/env", "out", "real"])
      expect(never).toContain(`(literal "${APP}/${name}")`);
  });

  it("quotes and backslashes of a path stay in their string", () => {
    const plan = planOf(
      renderSeatbelt(
        normalProfile({ files: [entry('/Users/a")(allow default)\\', "read")] }),
        LAUNCH,
        machine(),
      ),
    );
    expect(plan.rules.text).toContain('(subpath "/Users/a\\")(allow default)\\\\")');
  });

  it("what a protected path is called may be anything", () => {
    const hidden = `${APP}/gehe\u0301im\n`;
    const profile = normalProfile({ files: [entry(APP, "write"), entry(hidden, "none")] });
    const { text } = planOf(renderSeatbelt(profile, LAUNCH, machine())).rules;
    expect(text).toContain(
      '/[aA][pP][pP]/[gG][eE][hH][^ -DF-Z_-df-~]*[^ -~]+[^ -DF-Z_-df-~]*[iI][mM][^ -~]+(/[^/]*)?(/.*)?$")',
    );
  });

  it("a root that no text can spell is an argument of the launcher", () => {
    const { rules } = planOf(renderSeatbelt(normalProfile(write("/Users/zo\u00eb/app")), LAUNCH, machine()));
    expect(rules.parameters).toEqual({ PATH1: "/Users/zo\u00eb/app", PATH2: "/Users/zo\u00eb" });
    expect(rules.text).toContain('(require-any (literal (param "PATH1")) (subpath (param "PATH1")))');
    expect(rules.text).toMatch(/^[ -~\n]*$/);
  });

  it("a device that a mask names is gone, too", () => {
    const rules = (parts: ProfileParts) =>
      planOf(renderSeatbelt(normalProfile(parts), LAUNCH, machine())).rules.text;
    const files = [entry(APP, "write")];
    expect(rules({ files })).toContain(
      '(literal "/dev/null") (literal "/dev/zero") (literal "/dev/dtracehelper")',
    );
    expect(rules({ files, masks: masks("**/null", "read") })).not.toContain(
      '(require-any (literal "/dev/null") (literal "/dev/zero")',
    );
  });

  it("no limit that Darwin does not know is passed over in silence", () => {
    const limits = (given: ProfileParts["limits"] & {}) =>
      planOf(renderSeatbelt(normalProfile({ limits: given }), LAUNCH, machine())).enforcement.limits;
    expect(limits({ memoryBytes: 1 }).kind).toBe("partial");
    expect(limits({ cpuSeconds: 1, fileBytes: 1, openFiles: 9 }).kind).toBe("enforced");
  });
});

describe("a profile of any kind", () => {
  it("is rendered or refused, and gives the same plan each time", () => {
    fc.assert(
      fc.property(macCase, ({ profile: given, facts }) => {
        expect(renderSeatbelt(given, LAUNCH, facts)).toEqual(renderSeatbelt(given, LAUNCH, facts));
        const rewritten = parseProfile(printProfile(given));
        expect(renderSeatbelt(rewritten, LAUNCH, { ...facts, hits: facts.hits.toReversed() })).toEqual(
          renderSeatbelt(given, LAUNCH, facts),
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
