import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { BrokerHandler, createDesk, createSupervisor } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { askHere } from "../support/approval/ask-here.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { ANN, BotApi, EVE } from "../support/telegram/bot-api.ts";
import { CHAT, TOKEN } from "../support/telegram/one-bot.ts";
import { type Ended, hostIn, type Place, place } from "../unit/cli/command-line.ts";

sandboxMustWork("approvals from the command line");

const PATIENT = { timeout: 30_000, interval: 20 } as const;

const configOf = (approval = ""): string => `version: 1
sandbox:
  runtimes: [system]
  paths: { workspace: { root: ., mode: rw, write_approval: true } }
approval:
  rules: [{ pattern: "write_file", action: ask }]${approval}
`;
const WRITE = ["write_file", JSON.stringify({ path: "made", content: "hello\n" })] as const;
const HTTP = '\n  channels: { http: { listen: "127.0.0.1:0" } }';

/** What one command printed on stdout, as JSON. */
async function json(at: Place, ...words: readonly string[]): Promise<unknown> {
  return JSON.parse((await at.here([...words, "--json"])).stdout);
}

/** Asks, and leaves it open; the id of the request. */
const suspended = (at: Place, cwd = at.project): Promise<string> => askHere(at, WRITE, { cwd });

const made = (at: Place): boolean => existsSync(join(at.project, "made"));
const inShort = ({ exit, stdout, stderr }: Ended) => [exit, `${stdout}${stderr}`];

describe.skipIf(unusable !== null)("a call that does not wait", () => {
  test("is what a call offers if there is no terminal to ask on, unless requests end with the command", async () => {
    const offered = "or add `--suspend`: the request is kept, and `cofferdam resume` runs the call later";
    const at = await place(configOf());
    const ended = await at.cofferdam(["call", "--quiet", ...WRITE]);
    expect([ended.exit, ended.stderr]).toEqual([77, expect.stringContaining(offered)]);
    const { exit, stderr } = await at.cofferdam(["call", "--quiet", "--suspend", ...WRITE]);
    expect(exit).toBe(75);
    const [id = ""] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stderr) ?? [];
    await at.here(["approvals", "approve", id]);
    expect([(await at.cofferdam(["resume", "--quiet", id])).exit, made(at)]).toEqual([0, true]);
    const forgetting = await place(configOf("\n  store: memory"));
    expect((await forgetting.cofferdam(["call", "--quiet", ...WRITE])).stderr).not.toContain("--suspend");
  });

  test("is listed, shown, approved and resumed by commands of their own, once (S2-10)", async () => {
    const at = await place(configOf());
    const id = await suspended(at);
    const list = await at.cofferdam(["approvals", "list"]);
    expect(list.stdout).toMatch(new RegExp(`^${id.slice(0, 8)} .* write_file .*write to workspace:made\n$`));
    const shown = (await at.cofferdam(["approvals", "show", id.slice(0, 8)])).stdout;
    for (const part of [id, "pending", "hello", at.project]) expect(shown).toContain(part);
    expect(inShort(await at.cofferdam(["resume", "--quiet", id]))).toEqual([
      75,
      expect.stringMatching(
        new RegExp(
          `waiting for approval ${id}: .*\\n  do: run \`cofferdam approvals approve ${id.slice(0, 8)}\`, then \`cofferdam resume ${id.slice(0, 8)}\`\\n$`,
        ),
      ),
    ]);
    const approved = await at.cofferdam(["approvals", "approve", id.slice(0, 8), "--note", "as you like"]);
    expect([approved.exit, approved.stdout]).toEqual([
      0,
      "approved: `write_file` `write to workspace:made`\n",
    ]);
    expect(approved.stderr).toContain(`cofferdam resume ${id.slice(0, 8)}`);
    expect(made(at)).toBe(false);
    expect((await at.cofferdam(["resume", "--quiet", id])).exit).toBe(0);
    expect(readFileSync(join(at.project, "made"), "utf8")).toBe("hello\n");
    expect(inShort(await at.here(["resume", "--quiet", id]))).toEqual([
      77,
      expect.stringContaining("this approval was used already"),
    ]);
    expect(await json(at, "approvals", "show", id)).toMatchObject({
      status: "done",
      decision: { status: "approved", note: "as you like" },
    });
  });

  test.each(["changed", "broken", "revoked"])(
    "is listed, shown and answered while the config is %s",
    async (how) => {
      const at = await place(configOf());
      const [first, second] = [await suspended(at), await suspended(at)];
      const file = join(at.project, "cofferdam.yaml");
      if (how === "changed")
        writeFileSync(file, `${configOf()}  store: { postgres: "postgres://evil.example" }\n`);
      if (how === "broken") writeFileSync(file, "version: [\n");
      if (how === "revoked") await at.here(["trust", "--revoke", "cofferdam.yaml"]);
      const list = await at.here(["approvals", "list"]);
      expect([list.exit, list.stdout]).toEqual([0, expect.stringContaining(first.slice(0, 8))]);
      expect(list.stderr).toMatch(
        /^cofferdam: .*cofferdam.yaml` .*trusted.*; used for this command: the .*store.*\n$/,
      );
      expect((await at.here(["approvals", "show", first])).exit).toBe(0);
      expect((await at.here(["approvals", "reject", first])).exit).toBe(0);
      expect((await at.here(["approvals", "approve", second])).exit).toBe(0);
      for (const words of [["grants"], ["rules", "list"]])
        expect([words, (await at.here(words)).exit]).toEqual([words, 0]);
      // What is not about the answer still needs the config.
      for (const words of [["resume", second], ["rules", "keep", "1"], ["serve"]])
        expect([words, (await at.here(words)).exit]).toEqual([words, 65]);
    },
  );

  test("shows of an answer that it brings another input, and not which", async () => {
    const at = await place(configOf());
    const id = await suspended(at);
    const host = hostIn(at);
    await using desk = await createDesk({ config: join(at.project, "cofferdam.yaml"), host });
    const editedInput = { path: "other", content: "a secret" };
    await desk.broker.respond(id, { status: "approved", scope: "once", by: "ann", editedInput }, "ann");
    const shown = (await at.here(["approvals", "show", id, "--json"])).stdout;
    expect(JSON.parse(shown)).toMatchObject({ status: "approved", decision: { by: "ann", isEdited: true } });
    expect(shown).not.toContain("a secret");
    expect((await at.cofferdam(["resume", "--quiet", id])).exit).toBe(0);
    expect(readFileSync(join(at.project, "other"), "utf8")).toBe("a secret");
    expect(made(at)).toBe(false);
  });

  test("does not run after a no; an answer that comes too late says so, and who was first", async () => {
    const at = await place(configOf());
    const id = await suspended(at);
    expect((await at.here(["approvals", "reject", id, "--note", "not today"])).exit).toBe(0);
    expect(inShort(await at.here(["approvals", "approve", id]))).toEqual([
      77,
      expect.stringMatching(/this answer came too late: `\w+` had answered already/),
    ]);
    expect(inShort(await at.here(["resume", "--quiet", id]))).toEqual([
      77,
      expect.stringContaining("not today"),
    ]);
    expect(made(at)).toBe(false);
  });

  test("is named by the beginning of its id; several that match are listed", async () => {
    const at = await place(configOf());
    const ids = [await suspended(at), await suspended(at)] as const;
    const [id] = ids;
    let unique = 1;
    while (ids[1].startsWith(id.slice(0, unique))) unique += 1;
    const start = id.slice(0, unique);
    const several = {
      exit: 64,
      stderr: expect.stringMatching(new RegExp(`several requests.*${ids[0]}.*${ids[1]}`)),
    };
    if (unique > 1) expect(await at.here(["resume", start.slice(0, -1)])).toMatchObject(several);
    expect((await at.here(["approvals", "approve", start])).exit).toBe(0);
    expect((await at.cofferdam(["resume", "--quiet", start])).exit).toBe(0);
    expect(made(at)).toBe(true);
    expect(await json(at, "approvals", "show", start)).toMatchObject({ status: "done" });
    expect((await at.here(["resume", "--quiet", start])).exit).toBe(77);
  });

  test("is nobody's under an id that is none; words that do not belong are refused", async () => {
    const at = await place(configOf());
    expect((await at.here(["approvals", "list"])).stderr).toBe("no unanswered requests\n");
    for (const words of [
      ["approvals", "show", "nowhere"],
      ["approvals", "approve", ""],
      ["approvals", "approve"],
      ["approvals", "aprove", "x"],
      ["approvals", "list", "--note", "x"],
      ["approvals", "reject", "x", "--session"],
      ["grants", "revoke", "nowhere"],
      ["resume", "nowhere"],
    ])
      expect([words, (await at.here(words)).exit]).toEqual([words, 64]);
    expect(await json(at, "grants", "list")).toEqual([]);
  });
});

describe.skipIf(unusable !== null)("requests of several projects in one store", () => {
  /** A second project beside the one of the place, with the same config and the same state folder. */
  async function twoProjects() {
    const at = await place(configOf());
    const other = join(dirname(at.project), "other\u{202e}b");
    mkdirSync(other);
    writeFileSync(join(other, "cofferdam.yaml"), configOf());
    expect((await at.here(["trust", "--yes"], { cwd: other })).exit).toBe(0);
    const there = await suspended(at, other);
    const below = join(at.project, "below");
    mkdirSync(below);
    const here = await suspended(at, below);
    return { at, other, shown: other.replace("\u{202e}", "\\u{202e}"), here, there };
  }

  test("are listed with their folders, one's own first, as rows and as JSON", async () => {
    const { at, other, shown, here, there } = await twoProjects();
    const rowsIn = async (cwd: string) =>
      (await at.here(["approvals", "list"], { cwd })).stdout.trimEnd().split("\n");
    const [own, another] = [
      expect.stringMatching(new RegExp(`^${here.slice(0, 8)} `)),
      expect.stringMatching(new RegExp(`^${there.slice(0, 8)} `)),
    ];
    const rows = await rowsIn(at.project);
    expect(rows).toEqual([own, another]);
    expect(rows[0]).toContain(`\`${at.project}\``);
    expect(rows[1]).toContain(`\`${shown}\``);
    expect(await rowsIn(join(at.project, "below"))).toEqual([own, another]);
    expect(await rowsIn(other)).toEqual([another, own]);
    expect(await json(at, "approvals", "list")).toMatchObject([
      { approvalId: here, project: at.project },
      { approvalId: there, project: other },
    ]);
    expect((await at.here(["approvals", "show", there])).stdout).toContain(shown);
    const watching = at.start(["approvals", "watch"]);
    const [first] = await once(watching.stdout, "data");
    expect(String(first).split("\n")[0]).toEqual(own);
    watching.kill("SIGTERM");
    await once(watching, "exit");
  });

  test("are answered with a word of it where they are another project's, and without one where they are not", async () => {
    const { at, shown, here, there } = await twoProjects();
    const elsewhere = await at.here(["approvals", "approve", there.slice(0, 8)]);
    expect([elsewhere.exit, elsewhere.stderr.split("\n")[0]]).toEqual([
      0,
      `cofferdam: this request is from another project: \`${shown}\``,
    ]);
    expect(elsewhere.stdout).toContain(`, in \`${shown}\``);
    const own = await at.here(["approvals", "reject", here.slice(0, 8)]);
    expect([own.exit, own.stderr, own.stdout]).toEqual([
      0,
      "",
      "rejected: `write_file` `write to workspace:below/made`\n",
    ]);
  });
});

describe.skipIf(unusable !== null)("`cofferdam approvals watch`", () => {
  test("says what waits, and then what happens in whatever process, a line each", async () => {
    const at = await place(configOf());
    const [first, watching] = [await suspended(at), at.start(["approvals", "watch"])];
    let said = "";
    watching.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const saying = (text: string | RegExp) => vi.waitFor(() => expect(said).toMatch(text), PATIENT);
    await saying(new RegExp(`^${first.slice(0, 8)} .* write_file .*write to workspace:made\n$`));
    const second = await suspended(at);
    await saying(new RegExp(` asked +${second.slice(0, 8)} .*write_file`));
    const inJson = at.start(["approvals", "watch", "--json"]);
    let events = "";
    inJson.stdout.on("data", (chunk: Buffer) => (events += chunk.toString()));
    // It tells what comes after its beginning, and it says nothing of that: what it hears is.
    await vi.waitFor(async () => {
      const id = await suspended(at);
      expect(events).toContain(id);
    }, PATIENT);
    await at.here(["approvals", "reject", first, "--note", "too\x1b[2J late"]);
    await saying(new RegExp(` rejected +${first.slice(0, 8)} .*: too\\\\u\\{1b\\}\\[2J late`));
    await vi.waitFor(() => {
      const last = JSON.parse(events.trim().split("\n").at(-1) ?? "");
      expect(last).toMatchObject({ type: "approval.resolved", approval_id: first });
    }, PATIENT);
    for (const child of [watching, inJson]) {
      child.kill("SIGTERM");
      expect(await once(child, "exit")).toEqual([143, null]);
    }
  });
});

describe.skipIf(unusable !== null)("a yes for a session", () => {
  test("is a grant while that session lives: it is listed, taken back from another terminal, and gone with the session", async () => {
    const at = await place(configOf());
    const supervisor = await createSupervisor({
      config: join(at.project, "cofferdam.yaml"),
      cwd: knownPath(at.project),
      host: hostIn(at),
    });
    onTestFinished(() => supervisor[Symbol.asyncDispose]());
    const session = supervisor.session({ handler: new BrokerHandler() });
    const [, input = ""] = WRITE;
    const write = () => session.call("write_file", JSON.parse(input));
    const waiting = () =>
      vi.waitFor(async () => {
        const [request] = await supervisor.broker.pending();
        if (request === undefined) throw new Error("nothing waits");
        return request.approvalId;
      }, PATIENT);

    const first = write();
    const yes = await at.cofferdam(["approvals", "approve", await waiting(), "--session"]);
    expect([yes.exit, yes.stderr]).toEqual([0, ""]);
    expect(await first).toMatchObject({ kind: "done" });
    expect(await write()).toMatchObject({ kind: "done" });
    const listed = (await at.here(["grants", "list"])).stdout;
    expect(listed).toMatch(/^[0-9a-f]{8} +write_file +write_file on workspace:made, .* by \S+\n$/);
    const [grantId = ""] = listed.split(" ");
    const back = (await at.cofferdam(["grants", "revoke", grantId])).stdout;
    expect(back).toMatch(/^revoked: .*workspace:made/);
    expect(await json(at, "grants", "list")).toEqual([]);
    expect((await at.here(["grants", "revoke", grantId])).exit).toBe(64);

    const again = write();
    await at.cofferdam(["approvals", "approve", await waiting(), "--session"]);
    expect(await again).toMatchObject({ kind: "done" });
    expect(await json(at, "grants", "list")).toHaveLength(1);
    await session[Symbol.asyncDispose]();
    expect(await json(at, "grants", "list")).toEqual([]);
  });
});

/** `cofferdam serve`, as it says that it is there. */
async function serving(at: Place, ...words: readonly string[]) {
  const server = at.start(["serve", "--json", ...words]);
  const [line] = await once(server.stdout, "data");
  const { url, inboxes } = JSON.parse(String(line));
  const [, token = ""] = String(inboxes[0].url).split("#token=");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return { server, url: String(url), headers };
}

describe.skipIf(unusable !== null)("`cofferdam serve`", () => {
  test("lets a call that stands still in another process be answered over HTTP, and ends when it is told to", async () => {
    const at = await place(configOf(HTTP));
    const { server, url, headers } = await serving(at);
    const called = at.cofferdam(["call", "--quiet", ...WRITE]);
    const id = await vi.waitFor(async () => {
      const { pending } = JSON.parse(await (await fetch(`${url}/approvals`, { headers })).text());
      expect(pending).toHaveLength(1);
      return String(pending[0].approvalId);
    }, PATIENT);
    expect(
      (await fetch(`${url}/approvals/${id}`, { method: "POST", body: '{"approved":true}' })).status,
    ).toBe(401);
    expect(made(at)).toBe(false);
    const body = JSON.stringify({ approved: true });
    expect((await fetch(`${url}/approvals/${id}`, { method: "POST", headers, body })).status).toBe(200);
    expect((await called).exit).toBe(0);
    expect(made(at)).toBe(true);
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([143, null]);
  });

  test("puts a call of another process into the Telegram chat of the config, and only its approvers count there", async () => {
    await using api = await BotApi.start();
    const telegram = `{ token_env: BOT_TOKEN, chat: ${CHAT}, approvers: [${ANN.id}], api_root: "${api.root}" }`;
    const at = await place(configOf(`\n  channels: { telegram: ${telegram} }`));
    const server = at.start(["serve", "--json"], { env: { BOT_TOKEN: TOKEN } });
    await once(server.stdout, "data");
    const called = at.cofferdam(["call", "--quiet", ...WRITE]);
    const message = await api.message("write to workspace:made");
    await api.answer(api.press(message, "Approve", EVE));
    expect(made(at)).toBe(false);
    api.press(message, "Approve", ANN);
    expect((await called).exit).toBe(0);
    expect(made(at)).toBe(true);
    await api.until(() => /approved/i.test(api.now(message).text));
    expect(api.mistakes).toEqual([]);
    server.kill("SIGTERM");
    expect(await once(server, "exit")).toEqual([143, null]);
  });

  test("refuses to serve what each process keeps to itself, and an address that others reach", async () => {
    const memory = await place(configOf("\n  store: memory"));
    expect(inShort(await memory.cofferdam(["serve"]))).toEqual([
      64,
      expect.stringContaining("stored in the memory of each process"),
    ]);
    const at = await place(configOf());
    expect((await at.here(["serve", "--listen", "0.0.0.0:0"])).exit).toBe(64);
  });

  test("takes a token from the variable that the config names, and is refused without it", async () => {
    const named = "\n  channels: { http: { approvers: { ann: { token_env: ANNS_TOKEN } } } }";
    const at = await place(configOf(named));
    const without = await at.here(["serve"]);
    expect(inShort(without)).toEqual([
      65,
      expect.stringContaining("the config names the variable `ANNS_TOKEN`, which is not set or empty"),
    ]);
    const token = Buffer.alloc(32, 7).toString("base64url");
    const server = at.start(["serve", "--json"], { env: { ANNS_TOKEN: token } });
    const [line] = await once(server.stdout, "data");
    expect(JSON.parse(String(line)).inboxes).toEqual([{ name: "ann", url: expect.stringContaining(token) }]);
    server.kill("SIGTERM");
    await once(server, "exit");
  });
});
