import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Reply } from "../support/battery/job.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("bounds of the search");

/** What the tree of a place holds, `.envrc` and all: more than one bound, less than the other. */
const [TOO_FEW, ENOUGH] = [20, 200];

describe.skipIf(unusable !== null).each(PEOPLE)("as $name, of a root that is searched", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
    place.folder("ws/many");
    for (let at = 0; at < 30; at += 1) place.file(`ws/many/${at}`, "");
    place.folder("ws/deep/down");
    place.file("ws/deep/down/.envrc", "as it was\n");
  });
  afterEach(() => place[Symbol.dispose]());

  /** One line after the other, each told by its status and what it printed. */
  async function sh(search: object, lines: readonly string[], profiles: readonly string[] = []) {
    const calls = lines.map((line) => ({ argv: ["sh", "-c", line] }));
    const job = { calls, profiles: [...profiles] };
    const [made, ...replies] = await place.run({ job, settings: { sandbox: { search } } });
    expect(made).toEqual({ kind: "made" });
    return replies;
  }

  const WRITES = [
    "echo x > deep/down/.envrc",
    "mv deep/down/.envrc deep/down/moved",
    "mv deep gone",
    "echo x > new",
    "cat deep/down/.envrc",
  ];
  const said = (replies: readonly Reply[]): readonly string[] =>
    replies.map((reply) =>
      reply.kind === "ran" ? (reply.code === 0 ? `ok ${reply.stdout}` : "no") : reply.kind,
    );

  it("too large, nothing can be written where the config says read-only; else all but what is protected", async () => {
    const tight = await sh({ entries: TOO_FEW, over: "read-only" }, WRITES);
    expect(said(tight)).toEqual(["no", "no", "no", "no", "ok as it was\n"]);
    expect(tight[3]).toMatchObject({
      stderr: expect.stringContaining("Read-only file system"),
      standings: { files: "tighter" },
    });
    const wide = await sh({ entries: ENOUGH, over: "read-only" }, WRITES);
    expect(said(wide)).toEqual(["no", "no", "no", "ok ", "ok as it was\n"]);
    expect(place.read("ws/deep/down/.envrc")).toBe("as it was\n");
  });

  it("too large, the call is refused by name and number, and nothing runs; else it runs", async () => {
    const lines = ["echo x > new"];
    expect(await sh({ entries: TOO_FEW }, lines)).toEqual([
      {
        kind: "denied",
        code: "NOT_ENFORCEABLE",
        message: `${place.ws} contains more than ${TOO_FEW} entries, too many to search for protected files`,
        hint: expect.stringMatching(
          /^remove `.*\/ws\/many`, which contains most of them \(\d+ entries\), narrow the root, raise `sandbox\.search\.entries`, or write `over: read-only` there$/,
        ),
      },
    ]);
    expect(place.plainly("test -e new").status).toBe(1);
    expect(said(await sh({ entries: ENOUGH }, lines))).toEqual(["ok "]);
  });

  it("too large, what a glob hides refuses the call although the config says read-only; else it is hidden", async () => {
    place.file("ws/deep/down/.secret", "hidden\n");
    const masks = [{ pattern: `${place.ws}/**/.secret`, at_most: "none" }];
    const profile = place.file("hides.yaml", JSON.stringify({ profile: "hides", masks }));
    const lines = ["cat deep/down/.secret", "cat deep/down/.envrc"];
    expect(await sh({ entries: TOO_FEW, over: "read-only" }, lines, [profile])).toMatchObject([
      {
        kind: "denied",
        code: "NOT_ENFORCEABLE",
        message: expect.stringContaining("must hide all matching files"),
      },
      { kind: "denied" },
    ]);
    expect(said(await sh({ entries: ENOUGH }, lines, [profile]))).toEqual(["no", "ok as it was\n"]);
  });

  it("names that are not UTF-8 hide nothing: what a glob hides below them is hidden, what it protects is protected", async () => {
    const odd = "$(printf 'a\\377\\nb\\033')";
    place.plainly(
      `mkdir -p "${odd}/c" && cd "${odd}" && echo hidden > c/.secret && echo open > c/other && echo held > .envrc`,
    );
    const masks = [{ pattern: `${place.ws}/**/.secret`, at_most: "none" }];
    const profile = place.file("hides.yaml", JSON.stringify({ profile: "hides", masks }));
    const lines = ["c/.secret", "c/other", ".envrc"].map((name) => `cat "${odd}/${name}"`);
    const writes = [`echo x > "${odd}/.envrc"`, `mv "${odd}" away`, `echo x > "${odd}/c/other"`];
    expect(said(await sh({}, [...lines, ...writes], [profile]))).toEqual([
      "no",
      "ok open\n",
      "ok held\n",
      "no",
      "no",
      "ok ",
    ]);
  });
});
