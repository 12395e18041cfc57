import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandRules } from "../../../src/config/command-decisions.ts";
import type { Outlook } from "../../../src/decide/outlook.ts";
import { shellOutlook } from "../../../src/decide/shell-outlook.ts";
import { instructionsFor } from "../../../src/mcp/instructions.ts";
import { createDraft, type Draft } from "../../../src/session/draft.ts";
import { draftFetchTools, fetchOutlook } from "../../../src/session/fetch-outlook.ts";
import { machine } from "../config/machine.ts";

/** What calls have in common under a config, below an operator's profile. */
function drafted(config: string, profile = "network: host", root = "mode: rw"): Draft {
  const at = machine({
    "home/ann/project/a": "a",
    "home/ann/project/cofferdam.yaml": `version: 1\nsandbox: { runtimes: [], paths: { project: { root: ., ${root} } } }\n${config}\n`,
    "home/ann/.config/cofferdam/profiles.d/own.yaml": `profile: own\nfiles: [{ path: /, access: write }]\n${profile}\n`,
  });
  return createDraft({ host: at.host, config: join(at.project, "cofferdam.yaml") });
}

describe("what a command that no rule covers would come to", () => {
  test.each<[Outlook["action"], config: string, profile?: string]>([
    ["ask", ""],
    ["allow", "shell: { default: { approval: false } }"],
    ["deny", "shell: { default: { allowed: false } }"],
    [
      "ask",
      "shell: { default: { approval: false } }\napproval: { rules: [{ pattern: shell, action: ask }] }",
    ],
    [
      "deny",
      "shell: { default: { approval: false } }\napproval: { rules: [{ pattern: '*', action: deny }] }",
    ],
    ["deny", "approval: { mode: strict }"],
    ["allow", "approval: { mode: approve_all }"],
    ["ask", "shell: { default: { approval: false } }", "approval: { rules: [{ shell: '*', action: ask }] }"],
    ["ask", "approval: { mode: approve_all }", "approval: { rules: [{ shell: '*', action: ask }] }"],
    ["ask", "", "approval: { rules: [{ shell: rm, action: deny }] }"],
  ])("%s: %s %s", (action, config, profile) => {
    expect(shellOutlook(drafted(config, profile).policy)).toMatchObject({ root: "any command", action });
  });

  test("is told with how many rules may say otherwise", () => {
    const rules = "shell: { rules: [{ pattern: rm, allowed: false }, { pattern: ls, approval: false }] }";
    expect(shellOutlook(drafted(rules).policy)).toEqual({
      root: "a command that no rule covers",
      action: "ask",
      reason: "no rule covers this command; 2 rules may say otherwise",
    });
  });
});

describe("a default of `beyond`", () => {
  const outlookIn = (root: string, mode = "interactive") =>
    shellOutlook(
      drafted(`approval: { mode: ${mode} }\nshell: { default: { approval: beyond } }`, undefined, root)
        .policy,
    );

  test("is told as asking if approval adds access; twin: not if it adds none, or if the mode approves", () => {
    const gains = "mode: rw, write_approval: true";
    expect(outlookIn(gains)).toMatchObject({ action: "allow", asksForAccess: true });
    expect(outlookIn("mode: rw, write_approval: false")).not.toHaveProperty("asksForAccess");
    expect(outlookIn(gains, "approve_all")).not.toHaveProperty("asksForAccess");
  });

  test("is no secret to a model: the instructions name the roots where writing needs approval", () => {
    const { policy } = drafted("", undefined, "mode: rw, write_approval: true");
    const said = instructionsFor(policy.settings, policy.withApproval.profile, commandRules(policy, null));
    expect(said).toContain("(read and write, writing needs approval)");
  });
});

describe("what pages would come to", () => {
  const told = async (name: string, config: string, profile?: string): Promise<readonly string[]> => {
    const draft = drafted(config, profile);
    const tool = draftFetchTools(draft).find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return (await fetchOutlook(tool, draft)).map(({ root, action }) => `${root}: ${action}`);
  };

  test("is told of every listed host as it is written, and of others by one that no list holds", async () => {
    const hosts = [
      "example.com",
      "*.com",
      "docs.example.org:8443",
      "1.1.1.1",
      "2606:4700:4700::1111",
      "[2606:4700:4700::1001]:8443",
      "10.0.0.3:80 private",
    ];
    const config = `web_fetch: { domains: ${JSON.stringify(hosts)} }`;
    expect(await told("web_fetch", config)).toEqual([
      ...hosts.map((host) => `${host}: allow`),
      "other hosts: ask",
    ]);
    expect(await told("web_fetch_add_domain", config)).toEqual(["other hosts: ask"]);
  });

  test.each<[string, readonly string[], config: string, profile?: string]>([
    ["always", ["a.test: ask", "other hosts: ask"], "web_fetch: { domains: [a.test], approval: always }"],
    ["never", ["a.test: allow", "other hosts: deny"], "web_fetch: { domains: [a.test], approval: never }"],
    [
      "strict",
      ["a.test: allow", "other hosts: deny"],
      "web_fetch: { domains: [a.test] }\napproval: { mode: strict }",
    ],
    [
      "a ceiling",
      ["a.test: allow", "b.test: deny", "other hosts: deny"],
      "web_fetch: { domains: [a.test, b.test] }",
      "network: { hosts: [a.test] }",
    ],
  ])("follows %s", async (_, rows, config, profile) => {
    expect(await told("web_fetch", config, profile)).toEqual(rows);
  });
});
