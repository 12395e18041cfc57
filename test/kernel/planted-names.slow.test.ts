import { join } from "node:path";
import { describe, expect, it, test, vi } from "vitest";
import { statsOf } from "../../src/host/look/nodes.ts";
import { createSupervisor, MemoryStore } from "../../src/index.ts";
import { joinPath, knownPath, pathToBytes } from "../../src/profile/path.ts";
import { Asked } from "../support/approval/asked.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { served } from "../support/mcp/served.ts";
import { fatesOf, heldIn, isThere, run, standingWith } from "../support/quarantine/planting.ts";
import { hostIn, place } from "../unit/cli/command-line.ts";

sandboxMustWork("what calls plant under names that are no UTF-8");

/** A folder's name, as paths have it, and as a shell makes it; and a name that is all UTF-8. */
const NAMES = [
  ["with a byte that is no UTF-8", "b\udcff", "$(printf 'b\\377')"],
  ["that is UTF-8", "bé", "bé"],
] as const;
const planting = (shell: string): string => `mkdir -p "${shell}"; echo E > "${shell}/.envrc"; exit 3`;

/** True where something stands at a path of the writable root, whatever bytes its name has. */
const existsAt = ({ ws }: Place, path: string): boolean => statsOf(joinPath(knownPath(ws), path)) !== null;

/** Every text in a value of JSON. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What any reader of JSON takes: many refuse half characters, also where they are escaped. */
function wholeJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  expect(textsIn(value).filter((one) => !one.isWellFormed())).toEqual([]);
  return value;
}

describe.skipIf(unusable !== null)("a file that hosts execute in a folder of a name", () => {
  it.each(NAMES)("%s is asked about, and the call ends as its program did", async (_, name, shell) => {
    const path = `${name}/.envrc`;
    const asked: Asked = new Asked(async ({ approvalId }) => {
      const pending = await at.supervisor.broker.pending();
      expect(pending.map((one) => one.approvalId)).toEqual([approvalId]);
      wholeJson(JSON.stringify(pending));
      return { approved: asked.requests.length === 2 };
    });
    await using at = await standingWith("ask", { handler: asked });
    const no = await run(at, planting(shell));
    expect([no.kind, "code" in no && no.code, fatesOf(no, at)]).toEqual([
      "failed",
      3,
      { [path]: "quarantined" },
    ]);
    expect([existsAt(at.place, path), heldIn(at.place)]).toEqual([false, [path]]);
    expect(fatesOf(await run(at, planting(shell)), at)).toEqual({ [path]: "kept" });
    expect(existsAt(at.place, path)).toBe(true);
    // By the next call it was there, and is read-only.
    expect(await run(at, `echo more > "${shell}/.envrc"`)).toMatchObject({ kind: "failed", code: 2 });
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no store today")), "quarantined"],
    ["does not", null, "kept"],
  ])("is away, and the call ends as its program did, where what asks %s", async (_, add, fate) => {
    const store = new MemoryStore();
    if (add !== null) vi.spyOn(store, "add").mockImplementation(add);
    await using at = await standingWith("ask", { options: { store } });
    const outcome = await run(at, "echo E > .envrc; exit 3");
    expect([outcome.kind, "code" in outcome && outcome.code, fatesOf(outcome, at)]).toEqual([
      "failed",
      3,
      { ".envrc": fate },
    ]);
    expect([isThere(at.place, ".envrc"), JSON.stringify(outcome).includes("no store today")]).toEqual([
      fate === "kept",
      add !== null,
    ]);
  });

  it.each(NAMES)("%s is told by the MCP server", async (_, name, shell) => {
    using at = new Place(CALLER);
    const settings = { shell: { default: { approval: false } } };
    const forms: string[] = [];
    const person = ({ message }: { readonly message: string }) => {
      forms.push(message);
      return { action: "accept", content: { answer: "no" } } as const;
    };
    await served({ place: at, settings, person, generation: "previous" }, async ({ client, lines }) => {
      const { structuredContent } = await client.call("shell", { argv: ["sh", "-c", planting(shell)] });
      const shown = name.isWellFormed() ? join(at.ws, name, ".envrc") : `"${join(at.ws, "b\\udcff/.envrc")}"`;
      expect(structuredContent).toMatchObject({
        outcome: "failed",
        result: { status: 3, quarantined: [{ path: shown }] },
        receipt: { appeared: [shown], quarantined: [shown] },
      });
      for (const { line } of lines.wire) wholeJson(line);
    });
    expect(forms).toEqual([expect.stringContaining("obeyed by direnv")]);
  });
});

test.skipIf(unusable !== null).each(NAMES)(
  "the command line tells of files in a folder of a name %s, and takes it as it tells it",
  async (_, name, shell) => {
    const at = await place();
    const cli = (...words: readonly string[]) => at.cofferdam(words);
    const here = (...words: readonly string[]) => at.here(words);
    const json = async (...words: readonly string[]): Promise<unknown> =>
      wholeJson((await cli(...words)).stdout);
    const jsonHere = async (...words: readonly string[]): Promise<unknown> =>
      wholeJson((await here(...words)).stdout);
    const line = planting(shell);
    const said = await cli("run", "--quiet", "--", "sh", "-c", line);
    const [, id = ""] = /cofferdam quarantine show ([0-9a-f-]{36})/.exec(said.stderr) ?? [];
    expect([said.exit, said.stderr]).toEqual([3, expect.stringContaining(".envrc`, obeyed by direnv")]);
    expect(await json("run", "--quiet", "--json", "--", "sh", "-c", line)).toMatchObject({
      exit: 3,
      receipt: { appeared: { found: [{ fate: { kind: "quarantined" } }] } },
    });
    const input = JSON.stringify({ argv: ["sh", "-c", line] });
    expect(await json("call", "--quiet", "--approve-all", "--json", "shell", input)).toMatchObject({
      exit: 3,
    });
    await json("quarantine", "list", "--json");
    await jsonHere("quarantine", "show", id, "--json");
    const shown = (await cli("quarantine", "show", id)).stdout.match(/^`(.*)`$/m)?.[1] ?? "";
    const path = `${name}/.envrc`;
    const given = Buffer.from(pathToBytes(path)).toString();
    const spelled = name.isWellFormed() ? path : JSON.stringify(path);
    const ids = [...(await here("quarantine", "list")).stdout.matchAll(/^\w{8}/gm)].map(String);
    expect(ids).toHaveLength(3);
    for (const [index, typed] of [shown, spelled, given].entries()) {
      const held = ids[index] ?? "";
      const action = index === 0 ? "restore" : "drop";
      expect(await json("quarantine", action, held, typed, "--json")).toMatchObject([{ problem: null }]);
    }
    expect(await jsonHere("explain", "write", spelled, "--json")).toMatchObject({
      allowed: { onYes: false },
    });
    const guessed = await cli("explain", "write", given);
    expect([guessed.exit, guessed.stderr]).toEqual(
      name.isWellFormed() ? [0, ""] : [64, expect.stringContaining("not valid UTF-8")],
    );
    const asked = new Asked(async ({ approvalId }) => {
      for (const words of [["list"], ["show", approvalId]])
        expect(JSON.stringify(await json("approvals", ...words, "--json"))).toContain("keep_files");
      expect((await cli("approvals", "show", approvalId)).stdout).toContain(shown);
      return { approved: false };
    });
    const host = hostIn(at);
    const config = join(at.project, "cofferdam.yaml");
    {
      await using supervisor = await createSupervisor({ config, host, cwd: knownPath(at.project) });
      await supervisor.session({ caller: "person", handler: asked }).call("shell", {
        argv: ["sh", "-c", line.replaceAll(".envrc", ".mcp.json")],
      });
    }
    expect(asked.requests).toHaveLength(1);
    const events = (await cli("journal", "show", "--json")).stdout.trim().split("\n");
    expect(events.map(wholeJson)).toContainEqual(expect.objectContaining({ type: "call.quarantined" }));
    for (const words of [["verify"], ["show"]]) expect((await here("journal", ...words)).exit).toBe(0);
  },
);
