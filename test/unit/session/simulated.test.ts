import { expect, test } from "vitest";
import { explainCall } from "../../../src/decide/explain.ts";
import { simulatedMac } from "../../../src/host/look/mac/simulated.ts";
import { knownPath } from "../../../src/profile/path.ts";
import { createDraft } from "../../../src/session/draft.ts";
import { createSupervisor } from "../../../src/session/supervisor.ts";
import { machine } from "../config/machine.ts";

const OWN = `profile: own
files:
  - { path: "\${workspace}", access: write }
  - { path: "\${runtime}", access: read }
  - { path: "\${home}/notes", access: read }
  - { path: /etc/own, access: read }
expect:
  - { allow: read, path: "\${home}/notes/a.md" }
  - { deny: read, path: "\${home}/.ssh/id_ed25519" }
  - { allow: read, path: "/private/etc/own/a" }
`;

/** A project of ann's, with a tool that is listed by hand, on a simulated Mac. */
function simulated(runtimes: string) {
  const made = machine({ "home/ann/project/own.yaml": OWN, "home/ann/tool/bin/x": "" });
  const config = `version: 1
sandbox:
  paths: { app: { root: ., mode: rw, write_approval: false } }
  os_profile: [own.yaml]
  runtimes: [${runtimes}, { name: tool, read: [${made.at("home/ann/tool")}] }]
`;
  made.write({ "home/ann/project/cofferdam.yaml": config });
  const user = { ...made.host.user, name: "ann" };
  return { host: { ...made.host, user, simulated: simulatedMac(user) }, config: "cofferdam.yaml" };
}

test("roots, own files, folders listed by hand and the ceiling have the Mac's paths", () => {
  const { policy, loaded } = createDraft(simulated("system"));
  const { settings, ceiling } = policy;
  expect(settings.roots.map(({ path }) => path)).toEqual(["/Users/ann/project"]);
  expect([...settings.ownFiles].sort()).toEqual([
    "/Users/ann/project/cofferdam.yaml",
    "/Users/ann/project/own.yaml",
  ]);
  expect(settings.runtimes.find(({ name }) => name === "tool")?.path).toEqual(["/Users/ann/tool/bin"]);
  const own = loaded.ceiling.layers.find(({ name }) => name === "own");
  const files = own?.profile.files.map(({ path, access }) => `${access} ${path}`) ?? [];
  expect(files).toEqual(
    expect.arrayContaining([
      "write /Users/ann/project",
      "read /Users/ann/tool",
      "read /Users/ann/notes",
      "read /private/etc/own",
      "read /bin",
      "read /usr/bin",
    ]),
  );
  expect(files.filter((line) => line.includes("/tmp/") || line.includes("/home/"))).toEqual([]);
  expect(ceiling).toBe(loaded.ceiling);
});

test("a call can be prepared where the system's programs are, and is not found where they are not asked for", async () => {
  const kinds = ["system", "git"].map(async (runtimes) => {
    const { withApproval, facts } = await createDraft(simulated(runtimes)).prepare({ argv: ["true"] });
    return [withApproval.rendering.kind, facts.mac?.calls];
  });
  const calls = "/Users/ann/.local/state/cofferdam/calls";
  expect(await Promise.all(kinds)).toEqual([
    ["plan", calls],
    ["not-found", calls],
  ]);
});

test("a program and a folder that are written as paths are those on the Mac", async () => {
  const launch = async (argv: readonly [string], cwd?: string) => {
    const folder = cwd === undefined ? {} : { cwd };
    const { withApproval } = await createDraft(simulated("system")).prepare({ argv, ...folder });
    return [withApproval.launch?.argv[0], withApproval.launch?.cwd];
  };
  expect(await launch(["/bin/ls"])).toEqual(["/bin/ls", "/Users/ann/project"]);
  expect(await launch(["./run.sh"], "sub")).toEqual([
    "/Users/ann/project/sub/run.sh",
    "/Users/ann/project/sub",
  ]);
  expect(await launch(["true"])).toEqual(["/usr/bin/true", "/Users/ann/project"]);
});

test("nothing is run on a simulated Mac", async () => {
  await expect(createSupervisor(simulated("system"))).rejects.toMatchObject({
    code: "USAGE",
    message: "a simulated Mac can't run anything",
  });
});

test("a program that is not shown there is told with the question that names what hides it", async () => {
  const draft = createDraft(simulated("system"));
  const path = knownPath("/Users/ann/.ssh/run");
  const prepared = await draft.prepare({ argv: [path] });
  expect(prepared.withApproval.rendering).toMatchObject({
    kind: "not-found",
    hint: `run \`cofferdam explain read ${path}\` to see why`,
  });
  const facts = { kind: "file", bornInside: false } as const;
  const explained = explainCall(prepared, { ask: "read", path, facts }).onYes;
  expect([explained.allowed, explained.decidedBy.because.length > 0]).toEqual([false, true]);
  expect(explainCall(prepared, { ask: "read", path: knownPath("/bin/ls"), facts }).onYes.allowed).toBe(true);
});
