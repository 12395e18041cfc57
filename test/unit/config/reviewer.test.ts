import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { grantedRows } from "../../../src/cli/offer-text.ts";
import { findings } from "../../../src/config/check.ts";
import { printGrants } from "../../../src/config/grants-line.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { rememberTrust, trustFile } from "../../../src/config/trust.ts";
import { type Machine, machine, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";

interface Reviewer {
  readonly command?: readonly string[];
  readonly url?: string;
  readonly needs?: object;
  readonly more?: object;
  readonly shell?: object;
  readonly approval?: object;
}

/** A project with a writable root, and a reviewer beside it. */
function withReviewer(given: (m: Machine) => Reviewer): Machine {
  const m = machine({
    "srv/review/review": "#!/bin/sh\n",
    "srv/review/rules.txt": "",
    "home/ann/project/notes/review": "#!/bin/sh\n",
  });
  for (const path of ["srv/review/review", "home/ann/project/notes/review"]) chmodSync(m.at(path), 0o755);
  const { command, url, needs = { read: [m.at("srv/review")] }, more, shell, approval } = given(m);
  const reviewer = {
    ...(command === undefined ? {} : { command }),
    ...(url === undefined ? {} : { url }),
    needs,
    only: { tools: ["tickets/*"] },
    ...more,
  };
  const paths = { notes: { root: "./notes", mode: "rw" } };
  m.write({
    [CONFIG]: JSON.stringify({
      version: 1,
      sandbox: { paths, runtimes: [] },
      ...(shell === undefined ? {} : { shell }),
      approval: { ...approval, reviewer },
    }),
  });
  return m;
}

const load = (m: Machine) => loadConfig(m.host, { config: m.at(CONFIG) });
const program = (m: Machine): Reviewer => ({ command: [m.at("srv/review/review"), "rules.txt", "--fast"] });

describe("a reviewer of a config", () => {
  test("is found with the files that its command names, by their real paths", () => {
    const m = withReviewer((at) => {
      symlinkSync("review", at.at("srv/review/link"));
      return { command: [at.at("srv/review/link"), "rules.txt", "--fast"] };
    });
    expect(load(m).config.reviewer).toMatchObject({
      command: [m.at("srv/review/review"), m.at("srv/review/rules.txt"), "--fast"],
      start: m.at("srv/review"),
      files: [m.at("srv/review/review"), m.at("srv/review/rules.txt")],
      isChanged: false,
    });
  });

  test("is told with what it may answer, its access and its digest", () => {
    const m = withReviewer((at) => ({
      ...program(at),
      needs: { read: [at.at("srv/review")], hosts: ["api.example.org:443"], env: ["KEY"] },
      more: { may: ["allow_once", "deny"], budget: { calls: 5 } },
    }));
    const loaded = load(m);
    const digest = loaded.config.reviewer?.digest.slice(0, 16);
    const words =
      "~/srv/review/review rules.txt --fast ALLOWS WITHOUT A PERSON and denies calls of tickets/*, at most 5 a session and 10 in a row, each within 20s, reads ~/srv/review, reaches api.example.org:443, gets the variables KEY, SHA-256";
    const told = (text: string) => text.replaceAll(m.folder, "~");
    expect(told(printGrants(loaded.config))).toContain(`the reviewer ${words} ${digest}`);
    expect(grantedRows(m.host, loaded).map(([name, row]) => [name, told(row)])).toContainEqual([
      "reviewer",
      `${words} ${digest}`,
    ]);
  });

  test.each<readonly [string, (m: Machine) => Reviewer, string]>([
    [
      "in a root that tools write",
      () => ({ command: ["./notes/review"] }),
      "is in the root `notes`, where tools may write",
    ],
    [
      "reached by a link in such a root",
      (m) => {
        symlinkSync(m.at("srv/review/review"), m.at("home/ann/project/notes/link"));
        return { command: ["./notes/link"] };
      },
      "is in the root `notes`, where tools may write",
    ],
    [
      "with a file in such a root",
      (m) => ({ command: [m.at("srv/review/review"), "./notes/review"] }),
      "is in the root `notes`, where tools may write",
    ],
    [
      "with a folder around such a root",
      (m) => ({ ...program(m), needs: { read: [m.at("home/ann/project")] } }),
      "contains the root `notes`, where tools may write",
    ],
    ["that is missing", (m) => ({ command: [m.at("srv/review/none")] }), "is no program on this machine"],
    [
      "that is no program",
      (m) => ({ command: [m.at("srv/review/rules.txt")] }),
      "is no program on this machine",
    ],
    ["without a command or a service", () => ({}), "either `command` or `url`"],
    ["with both", (m) => ({ ...program(m), url: "http://127.0.0.1:80/" }), "either `command` or `url`"],
    ["on another machine", () => ({ url: "https://review.example.org/" }), "approval.reviewer.url"],
    ["found by a name", () => ({ url: "http://localhost:8080/" }), "approval.reviewer.url"],
    [
      "where a command could answer",
      () => ({ url: "http://127.0.0.1:8080/", shell: { network: "host" } }),
      "a command could answer in place of the reviewer",
    ],
    [
      "at a port that leads to a command",
      () => ({ url: "http://127.0.0.1:8080/", shell: { ports: [8080] } }),
      "a command could answer in place of the reviewer",
    ],
    [
      "for every tool",
      (m) => ({ ...program(m), more: { only: { tools: ["*"] } } }),
      "approval.reviewer.only.tools",
    ],
    [
      "for destructive tools",
      (m) => ({ ...program(m), more: { only: { tools: ["x"], risk: ["destructive"] } } }),
      "risk",
    ],
  ])("%s is refused at its line", (_, given, message) => {
    const m = withReviewer(given);
    const refusal = refusalOf(() => load(m), m.folder);
    expect(refusal).toMatchObject({
      code: "CONFIG_INVALID",
      at: expect.stringContaining("cofferdam.yaml:1:"),
    });
    expect(`${refusal.message} ${refusal.hint}`).toContain(message);
    // The control: the same project with a reviewer outside.
    expect(load(withReviewer(program)).config.reviewer).not.toBeNull();
  });

  test("whose files change keeps its config trusted, but answers nothing until it is trusted again", () => {
    const m = withReviewer(program);
    rememberTrust(m.host, trustFile(m.host));
    expect(loadConfig(m.host).config.reviewer).toMatchObject({ isChanged: false });
    expect(trustFile(m.host).before).toEqual({ trusted: true });
    writeFileSync(m.at("srv/review/rules.txt"), "others");
    const changed = loadConfig(m.host);
    expect(changed.config.reviewer).toMatchObject({ isChanged: true });
    expect(changed.notes.at(-1)).toContain("the reviewer changed after the config was trusted");
    const offer = trustFile(m.host);
    expect(offer.before).toEqual({ trusted: false, reason: "changed: the reviewer's program" });
    expect(offer.changed).toEqual(["the program of approval.reviewer"]);
    rememberTrust(m.host, offer);
    expect(loadConfig(m.host).config.reviewer).toMatchObject({ isChanged: false });
  });

  test("that has no effect is a finding", () => {
    const m = withReviewer((at) => ({
      ...program(at),
      more: { only: { tools: ["shell", "tickets/*"] } },
      approval: { mode: "strict" },
    }));
    m.write({ "etc/profiles.d/team.yaml": "profile: team\napproval: { reviewer: false }\n" });
    const told = findings(load(m)).map(({ message }) => message);
    expect(told).toEqual([
      "the reviewer is never asked about `shell`: it reviews tools of your own and of MCP servers",
      "an operator profile forbids a reviewer: it answers nothing",
      "`mode: strict` leaves no request for the reviewer",
    ]);
    expect(findings(load(withReviewer(program)))).toEqual([]);
  });
});
