import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { blocksOf, markOf, PAGES, pageText } from "../support/docs/pages.ts";
import { runHere } from "../unit/cli/command-line.ts";

sandboxMustWork("the configs of the docs");

const blocks = PAGES.flatMap((page) =>
  blocksOf(pageText(page))
    .filter((block) => block.language === "yaml" && markOf(block, "not run") === null)
    .map(({ text }, at) => ({ page, number: at + 1, text })),
);

const Config = z.looseObject({
  profile: z.string().optional(),
  version: z.number().optional(),
  sandbox: z
    .looseObject({
      paths: z.record(z.string(), z.looseObject({ root: z.string() })).optional(),
      os_profile: z.array(z.string()).optional(),
    })
    .optional(),
});
const Checked = z.looseObject({
  findings: z.array(z.looseObject({ severity: z.string(), message: z.string() })),
});

describe.skipIf(unusable !== null)(
  "a YAML block is a config or an operator profile that `cofferdam check` accepts",
  () => {
    test.each(blocks)("$page, block $number", async ({ text }) => {
      const home = realpathSync(mkdtempSync(join(homedir(), ".cofferdam-docs-")));
      onTestFinished(() => rmSync(home, { recursive: true, force: true }));
      const here = text.replaceAll("/home/you/", `${home}/`);
      const parsed = Config.parse(parse(here));
      const { profile, version, sandbox } = parsed;
      const config = join(home, "agent/cofferdam.yaml");
      const named = [
        ...Object.values(sandbox?.paths ?? {}).map(({ root }) => root),
        ...(here.match(/(?<=read: \[)[^\]]+/g) ?? []).flatMap((list) => list.split(/,\s*/)),
      ];
      mkdirSync(dirname(config), { recursive: true });
      for (const folder of named) mkdirSync(resolve(dirname(config), folder), { recursive: true });
      writeFileSync(join(home, "agent/team.yaml"), here);
      for (const file of sandbox?.os_profile?.filter((name) => name.includes("/")) ?? []) {
        mkdirSync(resolve(dirname(config), dirname(file)), { recursive: true });
        writeFileSync(resolve(dirname(config), file), "profile: other\n");
      }
      const part = {
        version: 1,
        ...(profile === undefined ? parsed : {}),
        sandbox: { paths: WORKSPACE, ...sandbox },
      };
      const isWhole = profile === undefined && version !== undefined && sandbox?.paths !== undefined;
      writeFileSync(config, isWhole ? here : JSON.stringify(part));
      const words = ["check", "--json", "--config", config];
      if (profile !== undefined) words.push("--profile", join(home, "agent/team.yaml"));
      const variables = { ...VARIABLES, HOME: home, XDG_STATE_HOME: join(home, ".state") };
      const { stdout, stderr } = await runHere(words, dirname(config), {
        PATH: process.env["PATH"] ?? "",
        ...variables,
      });
      // A language that this machine does not have is no mistake of the page.
      if (/the runtime `\w+` (?:was|is) /.test(stderr)) return;
      expect(stderr).toBe("");
      expect(
        Checked.parse(JSON.parse(stdout)).findings.filter(({ message }) => !isOfThisMachine(message)),
      ).toEqual([]);
    });
  },
);

const WORKSPACE = { workspace: { root: ".", mode: "rw", write_approval: false } };

/** Variables that configs of the docs name. */
const VARIABLES = {
  ANNS_TOKEN: "0123456789abcdef0123456789abcdef",
  TELEGRAM_BOT_TOKEN: "1:a",
  COFFERDAM_DATABASE_URL: "postgres://you@db.example.org/cofferdam",
};

/** A warning about this machine instead of the config. */
function isOfThisMachine(message: string): boolean {
  return /device|runtime/.test(message);
}
