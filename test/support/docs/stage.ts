import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CALLER } from "../battery/people.ts";
import { putTried } from "../battery/tried-machine.ts";
import { type Block, blocksOf, markOf, pageText, ROOT } from "./pages.ts";
import { shownAs, Volatile } from "./volatile.ts";

/** The folder in which the pages play. */
const SHOWN = "/home/you";

/** What the stage is made with, apart from the folder of each page. */
export interface StageOptions {
  /** The Node that the programs of the page run on. */
  readonly node?: string;
}

/**
 * A home with a folder `agent` in it and one shell, in which the commands of one page run one after another. Not below `/tmp`,
 * which each sandbox has for itself.
 */
export class Stage {
  readonly home = realpathSync(mkdtempSync(join(homedir(), ".cofferdam-docs-")));
  readonly folder = join(this.home, "agent");
  readonly #shell: ChildProcess;
  readonly #volatile = new Volatile();
  #printed = "";

  constructor({ node = process.execPath }: StageOptions = {}) {
    for (const name of ["agent/notes", "agent/docs", ".state"])
      mkdirSync(join(this.home, name), { recursive: true });
    putTried(join(this.home, ".state"), CALLER);
    writeFileSync(join(this.folder, ".env"), "TOKEN=abc\n");
    writeFileSync(join(this.folder, "cofferdam.yaml"), readmeConfig());
    writeFileSync(join(this.folder, "notes/ideas.md"), "# Ideas\n");
    writeFileSync(join(this.folder, "docs/guide.md"), "how to\n");
    this.#shell = spawn("sh", { cwd: this.folder, env: this.#env(), stdio: ["pipe", "pipe", "inherit"] });
    this.#shell.stdout?.on("data", (chunk) => {
      this.#printed += String(chunk);
    });
    this.#type(`cofferdam() { ${JSON.stringify(process.execPath)} ${JSON.stringify(MAIN)} "$@"; }`);
    this.#type(`node() { ${JSON.stringify(node)} --no-warnings "$@"; }`);
  }

  /** Plays the page's blocks in their order, and gives the page with the outputs that its commands had. */
  async play(page: string, blocks: readonly Block[]): Promise<string> {
    let text = page;
    for (const block of blocks) text = await this.#playBlock(text, block);
    return text;
  }

  async #playBlock(page: string, block: Block): Promise<string> {
    const file = markOf(block, "file");
    if (file !== null) this.#write(file, block.text);
    for (const { key, value } of block.marks) if (key === "setup") await this.#mustRun(value);
    if (markOf(block, "not run") !== null) return page;
    if (block.language === "console") {
      const played = await this.#played(block);
      return page.replace(block.text, () => played);
    }
    if (block.language === "sh") for (const line of commandsOf(block.text)) await this.#mustRun(line);
    return page;
  }

  /** The text of a console block, with what its commands print now. */
  async #played({ text }: Block): Promise<string> {
    const parts: string[] = [];
    for (const part of text.split(/^\$ /m).slice(1)) {
      const end = part.indexOf("\n");
      const [line, expected] = [part.slice(0, end), part.slice(end + 1)];
      const { output } = await this.#run(line);
      parts.push(`$ ${line}\n${shownAs(this.#volatile.asOnThePage(expected, output), expected)}`);
    }
    return parts.join("");
  }

  /** Runs a command that prints nothing of interest, and must succeed. */
  async #mustRun(line: string): Promise<void> {
    const { output, status } = await this.#run(line);
    if (status !== 0) throw new Error(`\`${line}\` ended with ${status}: ${output}`);
  }

  async #run(line: string): Promise<{ readonly output: string; readonly status: number }> {
    this.#printed = "";
    this.#type(
      `(exit \${status:-0}); { ${this.#volatile.asHere(line.replaceAll(`${SHOWN}/`, `${this.home}/`))}\n} 2>&1 </dev/null; status=$?; printf '%s %s\\n' "${END}" "$status"`,
    );
    while (!ENDED.test(this.#printed))
      await new Promise((resolve) => this.#shell.stdout?.once("data", resolve));
    const [, output = "", status = ""] = ENDED.exec(this.#printed) ?? [];
    const shown = output
      .replaceAll(this.home, SHOWN)
      .replaceAll(process.execPath, "/usr/bin/node")
      .replaceAll(ROOT, "/usr/lib/node_modules/cofferdam");
    return { output: shown, status: Number(status) };
  }

  #type(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }

  #write(name: string, text: string): void {
    const file = join(this.folder, name.replace(`${SHOWN}/agent/`, "").replace(`${SHOWN}/`, "../"));
    if (name.endsWith(".ts")) this.#install();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replaceAll(`${SHOWN}/`, `${this.home}/`));
  }

  /** Installs cofferdam and zod as npm would, for a page that shows a program. */
  #install(): void {
    const folder = join(this.folder, "node_modules");
    if (existsSync(folder)) return;
    mkdirSync(folder);
    symlinkSync(ROOT, join(folder, "cofferdam"));
    symlinkSync(join(ROOT, "node_modules/zod"), join(folder, "zod"));
  }

  #env(): NodeJS.ProcessEnv {
    const { PATH, LANG } = process.env;
    return {
      PATH,
      LANG,
      HOME: this.home,
      XDG_STATE_HOME: join(this.home, ".state"),
      NO_COLOR: "1",
      GIT_AUTHOR_NAME: "you",
      GIT_AUTHOR_EMAIL: "you@example.org",
      GIT_COMMITTER_NAME: "you",
      GIT_COMMITTER_EMAIL: "you@example.org",
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#shell.once("close", resolve));
    this.#shell.stdin?.end();
    await ended;
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** The config that the README shows. */
function readmeConfig(): string {
  const block = blocksOf(pageText("README.md")).find((one) => markOf(one, "file") === "cofferdam.yaml");
  return block?.text ?? "";
}

const MAIN = join(ROOT, "dist/cli/main.js");
const END = "@@@ ended";
const ENDED = /^(.*?)@@@ ended (\d+)\n$/s;

/** The commands of a block without output: a line each, also where one goes on after a backslash. */
function commandsOf(text: string): readonly string[] {
  return text
    .replaceAll("\\\n", "")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));
}
