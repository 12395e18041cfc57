import { expect, test } from "vitest";
import { findings } from "../../../src/config/check.ts";
import { printGrants } from "../../../src/config/grants-line.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { effectiveFor } from "../../../src/decide/call-policy.ts";
import { explainCall } from "../../../src/decide/explain.ts";
import { grantedView } from "../../../src/decide/granted-view.ts";
import { type Prepared, runFor } from "../../../src/decide/prepare.ts";
import { createDraft } from "../../../src/session/draft.ts";
import { type Machine, machine } from "../config/machine.ts";

const FILE = "home/ann/project/cofferdam.yaml";
const OWN = "home/ann/.config/cofferdam/profiles.d/own.yaml";

/** A small project whose config says this under `shell`, and what an operator says. */
function project(shell: string, operator = ""): Machine {
  const m = machine(operator === "" ? {} : { [OWN]: `profile: own\n${operator}\n` });
  say(m, shell);
  return m;
}

function say(m: Machine, shell: string): void {
  const paths = `paths: { ws: { root: ., mode: rw, write_approval: false } }`;
  m.write({ [FILE]: `version: 1\nsandbox: { ${paths} }\nshell: ${shell}\n` });
}

const draftOf = (m: Machine) => createDraft({ host: m.host, config: m.at(FILE) });

async function prepared(m: Machine, ports?: readonly number[]): Promise<Prepared> {
  return draftOf(m).prepare({ argv: ["true"], ...(ports === undefined ? {} : { ports }) });
}

/** What a person's call gets, or why it gets nothing. */
async function planned(m: Machine, ports?: readonly number[]) {
  const all = await prepared(m, ports);
  const { rendering, profile } = runFor(all, true);
  if (rendering.kind === "plan") return { opens: rendering.plan.ports, profile: profile.ports };
  return "refusal" in rendering ? { ...rendering.refusal } : { kind: rendering.kind };
}

test("a call has open what it asks for of what the config lists, and none where it asks for none", async () => {
  const m = project("{ ports: [8080, 5173] }");
  expect(await planned(m, [5173])).toEqual({ opens: [5173], profile: [5173] });
  expect(await planned(m, [8080, 5173, 8080])).toEqual({ opens: [5173, 8080], profile: [5173, 8080] });
  expect(await planned(m)).toEqual({ opens: [], profile: [] });
});

test("a port that the config does not list is refused by its number; its remedy adds it to the list", async () => {
  const m = project("{ ports: [5173] }");
  const refused = await planned(m, [5173, 8080]);
  expect(refused).toEqual({
    field: "ports",
    reason: "the config does not list the port 8080",
    remedy: "write `shell: { ports: [5173, 8080] }` in the config",
  });
  expect(await planned(m, [8080, 4000])).toMatchObject({
    remedy: "write `shell: { ports: [4000, 5173, 8080] }` in the config",
  });
  say(m, "{ ports: [5173, 8080] }");
  expect(await planned(m, [8080])).toEqual({ opens: [8080], profile: [8080] });
  expect(await planned(m, [5173])).toEqual({ opens: [5173], profile: [5173] });
});

test("an operator narrows the ports, or forbids them; the remedy names the question that names the profile", async () => {
  const m = project("{ ports: [5173, 8080] }", "ports: [8080]");
  expect(await planned(m, [8080])).toMatchObject({ opens: [8080] });
  expect(await planned(m, [5173])).toEqual({
    field: "ports",
    reason: "operator profiles do not allow the port 5173",
    remedy: "run `cofferdam explain port 5173` to find the profile, and list the port under its `ports`",
  });
  m.write({ [OWN]: "profile: own\nports: []\n" });
  expect(await planned(m, [8080])).toMatchObject({ reason: "operator profiles do not allow the port 8080" });
  m.write({ [OWN]: "profile: own\nports: any\n" });
  expect(await planned(m, [5173])).toMatchObject({ opens: [5173] });
});

test("on the machine's own network a port is refused, and without it the same call is planned", async () => {
  const m = project("{ ports: [5173], network: host }");
  expect(await planned(m, [5173])).toMatchObject({
    field: "ports",
    reason: expect.stringContaining("the port 5173 is a port of the machine"),
  });
  expect(await planned(m)).toMatchObject({ opens: [] });
  const { onYes } = explainCall(await prepared(m), { ask: "port", port: 5173 });
  expect([onYes.allowed, onYes.decidedBy.layer]).toEqual([false, "config"]);
  expect(onYes.decidedBy.because).toContain("`network: host`");
  const { config } = loadConfig(m.host, { config: m.at(FILE), profiles: [] });
  expect(printGrants(config)).toContain("no call opens port 5173, because its network is the machine's own");
  // An operator who takes that network away leaves the call its own, and with it the port.
  m.write({ [OWN]: "profile: own\nnetwork: none\n" });
  expect(explainCall(await prepared(m), { ask: "port", port: 5173 }).onYes.allowed).toBe(true);
  expect(await planned(m, [5173])).toMatchObject({ opens: [5173] });
});

test("what a yes is bound to has the ports in it, and what people are shown names them", async () => {
  const m = project("{ ports: [5173, 8080] }");
  const [none, one, other] = [await prepared(m), await prepared(m, [5173]), await prepared(m, [8080])];
  expect(new Set([none, one, other].map(({ argsHash }) => argsHash)).size).toBe(3);
  expect(new Set([none, one, other].map(({ grantKey }) => grantKey.cacheKey)).size).toBe(3);
  const { settings } = draftOf(m).policy;
  expect(grantedView(one.withApproval, settings).network).toBe(
    "none; port 5173 of this machine's loopback leads into the sandbox",
  );
  expect(grantedView(none.withApproval, settings).network).toBe("none");
});

test("two calls that ask for the same ports have one profile, so that one layout serves both", () => {
  const { withApproval } = draftOf(project("{ ports: [5173, 8080] }")).policy;
  expect(effectiveFor(withApproval, [5173]).profile).toBe(effectiveFor(withApproval, [5173]).profile);
  expect(effectiveFor(withApproval, [5173]).profile).not.toBe(effectiveFor(withApproval, [8080]).profile);
  const { withApproval: bare } = draftOf(project("{}")).policy;
  expect(effectiveFor(bare, [])).toBe(bare);
});

test("`trust` names the ports, and `check` those that no call opens", () => {
  const lines = (m: Machine) => {
    const loaded = loadConfig(m.host, { config: m.at(FILE), profiles: [] });
    return { grants: printGrants(loaded.config), found: findings(loaded).map(({ message }) => message) };
  };
  const plain = lines(project("{ ports: [8080, 5173] }"));
  expect(plain.grants).toContain(
    "programs on this machine reach a call's servers at ports 5173, 8080 of the loopback, if the call asks for it",
  );
  expect(plain.found).toEqual([]);
  expect(lines(project("{ ports: [8080, 5173] }", "ports: [8080]")).found).toEqual([
    "no call opens port 5173: the profile `own` does not allow it",
  ]);
  expect(lines(project("{ ports: [8080], network: host }")).found).toEqual([
    "no call opens a port: with `network: host` its servers listen on the machine's own network",
  ]);
});

test("`check` tells an MCP server's unlisted port with the whole list; the list that it tells leaves none", () => {
  const m = project("{}");
  const hints = (shell: string): readonly (string | null)[] => {
    const servers = "{ web: { command: [server], needs: { ports: [8080, 4000] } } }";
    say(m, `${shell}\nmcp: { servers: ${servers} }`);
    return findings(loadConfig(m.host, { config: m.at(FILE), profiles: [] })).map(({ hint }) => hint);
  };
  const listed = "{ ports: [4000, 5173, 8080] }";
  expect(hints("{ ports: [5173] }")).toEqual([
    `list it: \`shell: ${listed}\``,
    `list it: \`shell: ${listed}\``,
  ]);
  expect(hints(listed)).toEqual([]);
});

test.each([
  [80, "write 1024 or more"],
  [65_536, "write 65535 or less"],
  [1.5, "a port is a whole number from 1024 to 65535"],
])("%d is no port for a config", (port, hint) => {
  const m = project(`{ ports: [${port}] }`);
  expect(() => draftOf(m)).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      message: `invalid \`shell.ports.0\`: the number \`${port}\``,
      hint,
    }),
  );
});
