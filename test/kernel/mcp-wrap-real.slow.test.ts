import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { type Answers, connected, NO, wrapPlace, wrapped, YES } from "../support/mcp/wrapped.ts";
import { portOf } from "../support/web/port-of.ts";

sandboxMustWork("real MCP servers, wrapped");

/** Where the packages of this checkout are, and the programs of three of them. */
const PACKAGES = join(import.meta.dirname, "../../node_modules");
const FILESYSTEM = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-filesystem/dist/index.js"),
);
const EVERYTHING = fileURLToPath(
  import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
);
const POSTGREST = join(
  dirname(fileURLToPath(import.meta.resolve("@supabase/mcp-server-postgrest"))),
  "stdio.js",
);

const runtimes = ["system", "node", { name: "servers", read: [PACKAGES] }];
const ws = { root: ".", mode: "rw", write_approval: false };

/** Answers the questions about the tools that are named with no, all others with yes. */
const noTo =
  (...tools: readonly string[]): Answers =>
  (message) =>
    tools.some((tool) => message.includes(`\ntool: ${tool}\n`)) ? NO(message) : YES(message);

describe.skipIf(unusable !== null)("@modelcontextprotocol/server-filesystem", () => {
  it("can't write where the sandbox refuses it, though its own config allows it; the same call without the sandbox does", async () => {
    const made = await wrapPlace({ servers: {} });
    const outside = join(dirname(made.project), "other");
    mkdirSync(outside);
    made.write("given.txt", "of ws\n");
    made.write(
      "config.yaml",
      JSON.stringify({
        version: 1,
        sandbox: { paths: { ws, other: { root: outside, mode: "ro" } }, runtimes },
        mcp: {
          servers: {
            fs: {
              command: ["node", FILESYSTEM, ".", outside],
              rules: [{ pattern: "read_*", action: "allow" }],
            },
          },
        },
      }),
    );
    const path = join(outside, "made.txt");
    const call = { path, content: "x" };
    await using inside = await wrapped(made, ["--config", "config.yaml", "--wrap", "fs"], {
      answers: noTo("fs/create_directory"),
    });
    expect((await inside.client.tools()).map(({ name }) => name)).toContain("write_file");
    expect(await inside.client.call("list_allowed_directories")).toContain(outside);
    expect(await inside.client.call("write_file", call)).toMatch(/EROFS|EACCES/);
    expect(existsSync(path)).toBe(false);
    const own = join(made.project, "made.txt");
    expect(await inside.client.call("write_file", { path: own, content: "x" })).toContain(
      "Successfully wrote",
    );
    expect(readFileSync(own, "utf8")).toBe("x");
    // The gate lets pass, asks and refuses.
    const asked = inside.questions.length;
    expect(await inside.client.call("read_text_file", { path: join(made.project, "given.txt") })).toContain(
      "of ws",
    );
    expect(inside.questions.length).toBe(asked);
    expect(await inside.client.call("create_directory", { path: join(made.project, "sub") })).toContain(
      "Denied",
    );
    expect(existsSync(join(made.project, "sub"))).toBe(false);
    expect(inside.questions.at(-1)).toContain(`│   "path": "${join(made.project, "sub")}"`);

    await using plain = await connected(
      spawn(process.execPath, [FILESYSTEM, ".", outside], { cwd: made.project }),
    );
    expect(await plain.client.call("write_file", call)).toContain("Successfully wrote");
    expect(existsSync(path)).toBe(true);
  });
});

describe.skipIf(unusable !== null)("@modelcontextprotocol/server-everything", () => {
  it.each(["current", "auto", "previous"] as const)(
    "works for the client `%s`: its tools answer, the gate asks and refuses, and it sees none of the host's variables",
    async (kind) => {
      const rules = [{ pattern: "get-env", action: "allow" }];
      const at = await wrapPlace(
        { servers: { all: { command: ["node", EVERYTHING], rules } } },
        { sandbox: { paths: { ws }, runtimes, env: { set: { GREETING: "hello" } } } },
      );
      await using mcp = await wrapped(at, ["--wrap", "all"], {
        kind,
        answers: noTo("all/echo"),
        given: { env: { HOST_SECRET: "hidden" } },
      });
      expect((await mcp.client.tools()).map(({ name }) => name)).toContain("get-sum");
      expect(await mcp.client.call("get-sum", { a: 2, b: 3 })).toContain("5");
      expect(await mcp.client.call("echo", { message: "cofferdam asks: say yes" })).toContain("Denied");
      const env = await mcp.client.call("get-env");
      expect([env.includes("GREETING"), env.includes("HOST_SECRET")]).toEqual([true, false]);
      expect(mcp.questions.map((one) => /^tool: (.*)$/m.exec(one)?.[1])).toEqual(["all/get-sum", "all/echo"]);
    },
  );

  it("gets at the client's model and its person only as the config says", async () => {
    const rules = [{ pattern: "trigger-*", action: "allow" }];
    const server = { command: ["node", EVERYTHING], rules };
    const tries = async (more: Readonly<Record<string, unknown>>, answers: Answers) => {
      const at = await wrapPlace(
        { servers: { all: { ...server, ...more } } },
        { sandbox: { paths: { ws }, runtimes } },
      );
      await using mcp = await wrapped(at, ["--wrap", "all"], { answers });
      // It registers these tools once it knows what the client can do.
      const named = async () => (await mcp.client.tools()).map(({ name }) => name);
      await expect.poll(named).toContain("trigger-elicitation-request");
      const sampled = await mcp.client
        .call("trigger-sampling-request", { prompt: "hi", maxTokens: 5 })
        .catch(String);
      const elicited = await mcp.client.call("trigger-elicitation-request").catch(String);
      return { sampled, elicited, questions: mcp.questions };
    };
    const denied = await tries({}, YES);
    expect(denied.sampled).not.toContain("sampled");
    expect([denied.elicited.includes("declined"), denied.questions]).toEqual([true, []]);
    const asked = await tries({ sampling: "ask", elicitation: "allow" }, (message) =>
      message.startsWith("The MCP server all asks this.") ? { action: "decline" } : YES(message),
    );
    expect(asked.sampled).toContain("sampled");
    expect(asked.questions.map((one) => one.split("\n").slice(0, 2))).toEqual([
      ["cofferdam asks: this call needs your approval", "tool: all/sampling"],
      [
        "The MCP server all asks this. The question is not from cofferdam, and your answer approves nothing.",
        "message:",
      ],
    ]);
  });
});

describe.skipIf(unusable !== null)("@supabase/mcp-server-postgrest", () => {
  /** A server of the test's own on loopback, and what it was asked. */
  async function web() {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.setHeader("content-type", "application/json").end('[{"id":1}]');
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    return { asked, url: `http://127.0.0.1:${portOf(server)}`, host: `127.0.0.1:${portOf(server)}` };
  }

  it("reaches the listed host once a call is allowed, and no other; without the sandbox it does", async () => {
    const [listed, other] = [await web(), await web()];
    const server = (url: string) => ({
      command: ["node", POSTGREST, "--apiUrl", url, "--apiKey", "none", "--schema", "public"],
      needs: { network: true, roots: { ws: "read" } },
    });
    const at = await wrapPlace(
      {
        servers: {
          db: server(listed.url),
          other: server(other.url),
          offline: { ...server(listed.url), needs: { roots: { ws: "read" } } },
        },
      },
      { sandbox: { paths: { ws }, runtimes }, shell: { network: { hosts: [listed.host] } } },
    );
    const call = { method: "GET", path: "/todos" };
    await using db = await wrapped(at, ["--wrap", "db"], {
      answers: (message) => (message.includes("DELETE") ? NO(message) : YES(message)),
    });
    expect(await db.client.call("postgrestRequest", call)).toContain('\\"id\\":1');
    expect(await db.client.call("postgrestRequest", { method: "DELETE", path: "/todos" })).toContain(
      "Denied",
    );
    expect(listed.asked).toEqual(["GET /todos"]);
    expect(db.questions).toEqual([
      expect.stringMatching(`network: .*${listed.host}`),
      expect.stringContaining("tool: db/postgrestRequest\n"),
    ]);

    for (const name of ["other", "offline"]) {
      await using unlisted = await wrapped(at, ["--wrap", name]);
      const answer = await unlisted.client.call("postgrestRequest", call).catch(String);
      expect([name, answer.includes('\\"id\\":1')]).toEqual([name, false]);
    }
    expect([listed.asked, other.asked]).toEqual([["GET /todos"], []]);

    const { command } = server(other.url);
    await using plain = await connected(spawn(process.execPath, command.slice(1), { cwd: at.project }));
    await plain.client.call("postgrestRequest", call);
    expect(other.asked).toEqual(["GET /todos"]);
  });
});
