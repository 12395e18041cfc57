import { chownSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect } from "vitest";
import { createSupervisor } from "../../src/index.ts";
import { knownPath } from "../../src/profile/path.ts";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("whom tools run as");

/** Somebody whose tree it is, and groups that the supervisor itself is in. */
const OWNER = 1001;
const GROUPS = "0,4,24,27";
const IN_GROUPS = ["/usr/bin/setpriv", "--groups", GROUPS];

describe.skipIf(unusable !== null)("root on the tree of somebody else", () => {
  let place: Place;
  let tree = "";
  beforeEach(() => {
    place = new Place(CALLER);
    tree = place.folder("ws/tree");
    place.file("ws/tree/theirs", "theirs\n", 0o640);
    place.file("ws/tree/roots", "roots\n", 0o600);
    for (const path of [tree, join(tree, "theirs")]) if (notRoot === null) chownSync(path, OWNER, OWNER);
  });
  afterEach(() => place[Symbol.dispose]());

  const root = (path: string): object => ({ root: path, mode: "rw", write_approval: false });

  /** What lines of shell print when these roots are granted, and whom the receipt says that they ran as. */
  async function outputs(
    paths: Readonly<Record<string, object>>,
    lines: readonly string[],
  ): Promise<readonly (readonly [runAs: number, out: string])[]> {
    const calls = lines.map((line) => ({ argv: ["sh", "-c", line] }));
    const [made, ...replies] = await place.run({
      under: IN_GROUPS,
      settings: { sandbox: { paths } },
      job: { cwd: tree, calls },
    });
    expect(made).toEqual({ kind: "made" });
    return replies.map((reply) =>
      reply.kind === "ran" ? [reply.runAs, reply.stdout + reply.stderr] : [-1, JSON.stringify(reply)],
    );
  }

  itUnless(
    notRoot,
    "tools run as the owner, in no other group, and what they make is the owner's",
    async () => {
      const lines = [
        "id -u; id -g; id -G; grep Groups: /proc/self/status | tr -d '[:space:]'; echo; cat /etc/passwd | cut -d: -f1,3",
        "echo x > made && mkdir folder && stat -c '%u %g' made folder theirs",
        "cat theirs; cat roots 2>/dev/null || echo refused",
      ];
      const [who, made, read] = await outputs({ tree: root(tree) }, lines);
      expect(who).toEqual([
        OWNER,
        `${OWNER}\n${OWNER}\n${OWNER}\nGroups:\nroot:0\nuser:${OWNER}\nnobody:65534\n`,
      ]);
      expect(made).toEqual([OWNER, `${OWNER} ${OWNER}\n`.repeat(3)]);
      expect([statSync(join(tree, "made")).uid, statSync(join(tree, "folder")).uid]).toEqual([OWNER, OWNER]);
      expect(read).toEqual([OWNER, "theirs\nrefused\n"]);
      // Without the sandbox, the same supervisor's children are root, in all of its groups.
      expect(place.plainly(`setpriv --groups ${GROUPS} sh -c 'id -u; id -G; cat ${tree}/roots'`).stdout).toBe(
        "0\n0 4 24 27\nroots\n",
      );
    },
  );

  itUnless(notRoot, "git takes the tree for the caller's own", async () => {
    const lines = [
      "git init -q . && git add theirs && git -c user.name=a -c user.email=a@b commit -qm x && git status --short --branch",
      "git log --format=%s",
    ];
    const [made, log] = await outputs({ tree: root(tree) }, lines);
    expect(made).toEqual([OWNER, expect.stringContaining("?? roots\n")]);
    expect(log).toEqual([OWNER, "x\n"]);
    expect(statSync(join(tree, ".git/HEAD")).uid).toBe(OWNER);
    // As root, which the tree does not belong to, git says no.
    const plain = place.plainly(`GIT_CONFIG_NOSYSTEM=1 HOME=/nonexistent git -C ${tree} status`);
    expect([plain.status, plain.stderr]).toEqual([128, expect.stringContaining("dubious ownership")]);
  });

  itUnless(notRoot, "what is masked stays hidden from the owner too", async () => {
    place.file("ws/tree/secret", "hidden\n", 0o644);
    mkdirSync(join(tree, "keys"));
    writeFileSync(join(tree, "keys/key"), "hidden\n");
    const masks = ["secret", "keys"].map((name) => ({ pattern: `${tree}/${name}`, at_most: "none" }));
    const profile = place.file(
      "profile.yaml",
      JSON.stringify({ profile: "hides", masks, expect: [{ deny: "read", path: `${tree}/secret` }] }),
    );
    const config = place.config({ sandbox: { paths: { tree: root(tree) } } });
    await using supervisor = await createSupervisor({
      config,
      profiles: [profile],
      cwd: knownPath(tree),
      host: place.host(),
    });
    const outcome = await supervisor.session({ caller: "person" }).call("shell", {
      argv: [
        "sh",
        "-c",
        "id -u; cat theirs; cat secret keys/key; chmod 777 secret keys; cat secret keys/key",
      ],
    });
    expect("stdout" in outcome && outcome.stdout.bytes.toString()).toBe(`${OWNER}\ntheirs\n`);
  });

  itUnless(notRoot, "with roots of several owners tools stay root, and the receipt says so", async () => {
    const own = place.folder("ws/own");
    const [who, read] = await outputs({ tree: root(tree), own: root(own) }, [
      "id -u",
      `cat theirs 2>&1; cat roots; echo x > ${own}/made`,
    ]);
    expect(who).toEqual([0, "0\n"]);
    // Root without capabilities is an owner like any other: it reads its own, and of others only what all may read.
    expect(read).toEqual([0, expect.stringMatching(/Permission denied\nroots\n$/)]);
    expect(statSync(join(own, "made")).uid).toBe(0);
  });

  itUnless(
    notRoot,
    "an operator's `run_as: not-root` refuses root, and takes the owner of the tree",
    async () => {
      const profile = place.file("profile.yaml", JSON.stringify({ profile: "not-root", run_as: "not-root" }));
      const make = (path: string) =>
        createSupervisor({
          config: place.config({ sandbox: { paths: { one: root(path) } } }),
          profiles: [profile],
          cwd: knownPath(path),
          host: place.host(),
        });
      await expect(make(place.folder("ws/own"))).rejects.toMatchObject({ code: "SANDBOX_UNAVAILABLE" });
      await using supervisor = await make(tree);
      expect(await supervisor.session({ caller: "person" }).call("shell", { argv: ["true"] })).toMatchObject({
        kind: "done",
        receipt: { runAs: OWNER },
      });
    },
  );
});
