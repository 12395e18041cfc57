import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, expect, test } from "vitest";
import { dispatch } from "../../../src/cli/dispatch.ts";
import { COMMAND_GROUPS } from "../../../src/cli/help/command-help.ts";
import { TOOL_VALUES } from "../../../src/cli/help/run-commands.ts";
import { isTopic, TOPIC_NAMES, topicList, topicText } from "../../../src/cli/help/topics.ts";
import { HELP_WIDTH } from "../../../src/cli/help/wrap.ts";
import {
  COMMAND_NAMES,
  type CommandName,
  commandHelp,
  helpFor,
  isCommand,
  optionGroups,
  overview,
} from "../../../src/cli/help.ts";
import { FORMATS } from "../../../src/cli/profile-show.ts";
import { ASKS } from "../../../src/cli/target.ts";
import { parseData } from "../../../src/config/parse.ts";
import { ConfigFile } from "../../../src/config/schema.ts";
import { readYaml } from "../../../src/config/yaml.ts";
import { ERRORS } from "../../../src/errors.ts";
import { packageVersion } from "../../../src/host/look/version.ts";
import { DEVICE_GROUPS } from "../../../src/profile/devices.ts";
import { MACOS_GROUPS } from "../../../src/profile/macos.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { SYSCALL_GROUPS } from "../../../src/profile/syscalls.ts";
import { FILE_TOOLS } from "../../../src/tool/files/all.ts";
import { moduleFacts } from "../../support/module-facts.ts";
import { screen } from "./screen.ts";

const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ["--help", overview()],
  ["help", topicList()],
  ...COMMAND_NAMES.map((name) => [name, helpFor(name)] as const),
  ...TOPIC_NAMES.map((name) => [`help ${name}`, topicText(name)] as const),
];

test("every help text fits 80 columns, and no line ends in a blank", () => {
  expect(HELP_WIDTH).toBe(80);
  const wide = TEXTS.flatMap(([name, text]) =>
    text
      .split("\n")
      .flatMap((line) => (line.length > HELP_WIDTH || line.endsWith(" ") ? [[name, line]] : [])),
  );
  expect(wide).toEqual([]);
});

/** The sentences of a help text: paragraphs and the second column of tables. */
function sentencesOf(text: string): readonly string[] {
  const paragraphs = text.split(/\n\n|\n(?= {2}\S)/).map((one) => one.replace(/\s+/g, " ").trim());
  return paragraphs.flatMap((one) => one.split(/(?<=[.:;?]) /));
}

describe("the words of help texts", () => {
  test("a sentence has at most 25 words", () => {
    const long = TEXTS.flatMap(([name, text]) =>
      // Lists of error codes are no sentences.
      sentencesOf(text).flatMap((one) =>
        one.split(" ").length > 25 && !/[A-Z]_[A-Z]/.test(one) ? [[name, one]] : [],
      ),
    );
    expect(long).toEqual([]);
  });

  test("there are no words of the inside, and no sentence begins with a relative clause", () => {
    const INSIDE =
      /\b(?:walls?|unasked|told|twins?|ceiling|corridor|on a yes|a yes|your yes|anew|whoever|whatever|nobody else|that there (?:is|are)|what is|of what|stands? (?:behind|still))\b|(?:^|[.:] )(?:What|Whoever|Of|By|So many) /i;
    const found = TEXTS.flatMap(([name, text]) => {
      // Names of keys and questions are no prose.
      const plain = text.replace(/what happened\?|wall(?:`|: 10m)/g, "");
      const match = INSIDE.exec(plain);
      return match === null ? [] : [[name, plain.slice(match.index, match.index + 60)]];
    });
    expect(found).toEqual([]);
  });
});

describe("the help of a command is a line of usage for each form, one sentence of purpose, options by heading, and examples", () => {
  test.each(COMMAND_NAMES)("%s", (name) => {
    const { usage, purpose, examples } = commandHelp(name);
    const text = helpFor(name);
    const forms = [usage].flat();
    for (const form of forms) expect(form).toMatch(new RegExp(`^${name}\\b`));
    expect(purpose).toMatch(/^[a-z][^.]*$/);
    expect(text.split("\n\n")[0]).toBe(
      `usage: ${forms.map((form) => `cofferdam ${form}`).join(`\n${" ".repeat("usage: ".length)}`)}`,
    );
    expect(text).toMatch(/^[^\n]+(?:\n {7}[^\n]+)*\n\n[A-Z][^\n]+\.\n\n/);
    expect(examples.length).toBeGreaterThan(0);
    expect(text.endsWith(`\n\nExamples:\n${examples.map((one) => `  ${one}`).join("\n")}`)).toBe(true);
    // Each option stands once, under a heading, and `--help` is the last.
    const rows = optionGroups(name).flatMap(([, group]) => group.map(([term]) => term));
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows.at(-1)).toBe("--help");
    for (const [heading, group] of optionGroups(name)) {
      expect(heading).toMatch(/^[A-Z][a-z]+$/);
      expect(group.length).toBeGreaterThan(0);
      expect(text).toContain(`\n\n${heading}:\n  ${group[0]?.[0] ?? ""}`);
    }
  });
});

test("more than three options are in groups", () => {
  const ungrouped = COMMAND_NAMES.filter((name) => {
    const groups = optionGroups(name);
    return groups.length === 1 && (groups[0]?.[1].length ?? 0) > 3;
  });
  expect(ungrouped).toEqual([]);
});

test("the examples are commands with options that they have", () => {
  const own = new Map(COMMAND_NAMES.map((name) => [String(name), optionGroups(name)]));
  const wrong = COMMAND_NAMES.flatMap((name) =>
    commandHelp(name).examples.flatMap((example) => {
      const [, command = "", words = ""] = /\bcofferdam ([a-z]+)([^)"]*)/.exec(example) ?? [];
      const known = (own.get(command) ?? []).flatMap(([, rows]) => rows.map(([term]) => term.split(" ")[0]));
      const used = (words.split(" -- ")[0] ?? "").match(/--[a-z-]+/g) ?? [];
      const actions = (commandHelp(name).actions ?? []).map(([term]) => term.split(" ")[0]);
      const first = words.trim().split(" ")[0] ?? "";
      const isAction = actions.length === 0 || actions.includes(first);
      return command === name && isAction && used.every((option) => known.includes(option)) ? [] : [example];
    }),
  );
  expect(wrong).toEqual([]);
});

test("the values of the table are those of the product", () => {
  const actionsOf = (name: CommandName) =>
    Object.fromEntries(
      (commandHelp(name).actions ?? []).map(([term, , values]) => [term.split(" ")[0] ?? "", values]),
    );
  const access = actionsOf("explain");
  expect(Object.keys(access)).toEqual([...ASKS]);
  expect(access["devices"]).toEqual([...DEVICE_GROUPS].sort());
  expect(access["macos"]).toEqual([...MACOS_GROUPS].sort());
  expect(access["syscalls"]).toEqual([...SYSCALL_GROUPS].sort());
  const format = optionGroups("profile")
    .flatMap(([, rows]) => rows)
    .find(([term]) => term.startsWith("--format"));
  expect(format?.[2]).toEqual(FORMATS);
  expect(TOOL_VALUES.toSorted()).toEqual(
    [...FILE_TOOLS.map(({ name }) => name), "shell", "web_fetch", "web_fetch_add_domain"].toSorted(),
  );
  expect(commandHelp("call").words).toEqual(TOOL_VALUES);
  expect(commandHelp("tools").words).toEqual(TOOL_VALUES);
});

test("the help of explain lists the groups, and the help of mcp shows each form", () => {
  const explain = helpFor("explain").replace(/\s+/g, " ");
  for (const groups of [SYSCALL_GROUPS, DEVICE_GROUPS, MACOS_GROUPS])
    expect(explain).toContain(`: ${[...groups].sort().join(", ")} `);
  expect(helpFor("mcp").split("\n\n")[0]).toBe(
    [
      "usage: cofferdam mcp [OPTIONS]",
      "       cofferdam mcp --wrap NAME [OPTIONS]",
      "       cofferdam mcp --wrap [--name N] [OPTIONS] -- SERVER [ARGUMENT...]",
    ].join("\n"),
  );
});

test("the overview names every command once, under its heading", () => {
  const lines = overview().split("\n");
  const at = (line: string): number => lines.findIndex((one) => one.startsWith(line));
  expect(COMMAND_GROUPS.filter((group) => at(`${group}:`) < 0)).toEqual([]);
  expect(
    COMMAND_NAMES.filter((name) => lines.filter((one) => one.startsWith(`  ${name} `)).length !== 1),
  ).toEqual([]);
});

describe("help TOPIC", () => {
  const run = async (...args: string[]) => {
    const { print, stdout, stderr } = screen();
    return [await dispatch(args, print), stdout(), stderr()];
  };

  test("without a topic, commands and topics are listed", async () => {
    expect(await run("help")).toEqual([0, `${overview()}\n\n${topicList()}\n`, ""]);
    expect(TOPIC_NAMES.filter((name) => !topicList().includes(`\n  ${name} `))).toEqual([]);
  });

  test("a command and a topic are shown by their names", async () => {
    expect(await run("help", "run")).toEqual([0, `${helpFor("run")}\n`, ""]);
    expect(await run("run", "--help")).toEqual([0, `${helpFor("run")}\n`, ""]);
    expect(await run("--help", "run")).toEqual([0, `${helpFor("run")}\n`, ""]);
    for (const name of TOPIC_NAMES) expect(await run("help", name)).toEqual([0, `${topicText(name)}\n`, ""]);
  });

  test("an unknown topic is refused with the nearest name", async () => {
    expect(await run("help", "netwrk")).toEqual([
      64,
      "",
      "cofferdam: no command or topic is named `netwrk`\n  do: did you mean `network`?\n",
    ]);
    // A name that is both a command and a topic is one.
    expect((await run("help", "appr"))[2]).toContain("did you mean `approvals`?");
    expect((await run("help", "xyzzy"))[2]).toBe(
      "cofferdam: no command or topic is named `xyzzy`\n  do: run `cofferdam help`\n",
    );
  });

  test("a topic with the name of a command refers to its help", () => {
    const both = [...COMMAND_NAMES].filter((name: string) => isTopic(name));
    expect(both).toEqual(["approvals", "rules"]);
    for (const name of TOPIC_NAMES.filter((one: string) => isCommand(one)))
      expect(topicText(name)).toContain(`\`cofferdam ${name} --help\``);
  });

  test("every topic but the list of error codes fits a screen of 24 lines", () => {
    const long = TOPIC_NAMES.filter((name) => topicText(name).split("\n").length > 24);
    expect(long.filter((name) => name !== "error-codes")).toEqual([]);
  });

  test("the config of the topic `config` is valid", () => {
    const text = topicText("config")
      .split("\n")
      .filter((line) => line.startsWith("  "))
      .join("\n");
    expect(text).toContain("version: 1");
    const file = readYaml(Buffer.from(text), absolutePath("/cofferdam.yaml"), "CONFIG_INVALID");
    expect(parseData(ConfigFile, file).shell.rules.length).toBe(2);
  });

  test("exit and error codes are those of the table", () => {
    const [codes, statuses] = [topicText("error-codes"), topicText("exit-codes").replace(/\s+/g, " ")];
    for (const [code, { exit, when }] of Object.entries(ERRORS)) {
      expect(codes.replace(/\s+/g, " ")).toContain(`${code} ${when} (${exit})`);
      expect(statuses).toMatch(new RegExp(` ${exit} [^0-9]*\\b${code}\\b`));
    }
  });
});

test("help and version load nothing but their texts", () => {
  const seen = new Set<string>();
  const load = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(new URL(`../../../src/${file}`, import.meta.url), "utf8");
    for (const { specifier, isTypeOnly } of moduleFacts(file, text).imports) {
      const isStatic = !text.includes(`import("${specifier}")`);
      if (isStatic && !isTypeOnly && specifier.startsWith("."))
        load(posix.join(posix.dirname(file), specifier));
      else if (isStatic && !isTypeOnly) expect(specifier).toMatch(/^node:/);
    }
  };
  load("cli/main.ts");
  load("cli/start.ts");
  expect([...seen].sort()).toEqual([
    "channel/ink.ts",
    "cli/dispatch.ts",
    "cli/help.ts",
    "cli/help/approval-commands.ts",
    "cli/help/command-help.ts",
    "cli/help/inspect-commands.ts",
    "cli/help/machine-commands.ts",
    "cli/help/run-commands.ts",
    "cli/help/setup-commands.ts",
    "cli/help/wrap.ts",
    "cli/main.ts",
    "cli/print.ts",
    "cli/signals.ts",
    "cli/start.ts",
    "host/look/version.ts",
    "host/node-version.ts",
    "host/package-folder.ts",
    "policy/spelled-out.ts",
  ]);
});

test("the version is the package's", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  expect(packageVersion()).toBe(version);
});

test("every command can be loaded, and knows the options that its help lists", async () => {
  for (const name of COMMAND_NAMES) {
    const options = [...helpFor(name).matchAll(/^ {2}(--[a-z-]+)/gm)]
      .map((match) => match[1])
      .filter((option) => option !== "--help");
    const { default: nothing, ...module } = await loaders[name]();
    expect([name, nothing, Object.keys(module)]).toEqual([name, undefined, [name]]);
    // One command may have more than one file.
    const source = globSync([`src/cli/commands/${name}{,-*}.ts`, `src/cli/${name}-*.ts`])
      .map((file) => readFileSync(file, "utf8"))
      .join("\n");
    const shared = source.includes("COMMON") ? ["--config", "--profile", "--json"] : [];
    for (const option of options)
      expect(
        shared.includes(`${option}`) || new RegExp(`["\\s]${option?.slice(2)}"?: \\{ type`).test(source),
        `${name} ${option}`,
      ).toBe(true);
  }
});

/** As `dispatch` loads them; an import that nobody can follow is no import. */
const loaders: Readonly<Record<CommandName, () => Promise<Record<string, unknown>>>> = {
  init: () => import("../../../src/cli/commands/init.ts"),
  trust: () => import("../../../src/cli/commands/trust.ts"),
  run: () => import("../../../src/cli/commands/run.ts"),
  call: () => import("../../../src/cli/commands/call.ts"),
  approvals: () => import("../../../src/cli/commands/approvals.ts"),
  quarantine: () => import("../../../src/cli/commands/quarantine.ts"),
  grants: () => import("../../../src/cli/commands/grants.ts"),
  rules: () => import("../../../src/cli/commands/rules.ts"),
  resume: () => import("../../../src/cli/commands/resume.ts"),
  serve: () => import("../../../src/cli/commands/serve.ts"),
  mcp: () => import("../../../src/cli/commands/mcp.ts"),
  tools: () => import("../../../src/cli/commands/tools.ts"),
  check: () => import("../../../src/cli/commands/check.ts"),
  explain: () => import("../../../src/cli/commands/explain.ts"),
  profile: () => import("../../../src/cli/commands/profile.ts"),
  doctor: () => import("../../../src/cli/commands/doctor.ts"),
  journal: () => import("../../../src/cli/commands/journal.ts"),
  selftest: () => import("../../../src/cli/commands/selftest.ts"),
  help: () => import("../../../src/cli/commands/help.ts"),
  completion: () => import("../../../src/cli/commands/completion.ts"),
  schema: () => import("../../../src/cli/commands/schema.ts"),
};
