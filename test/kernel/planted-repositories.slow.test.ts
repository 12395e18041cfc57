import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import { endingOf } from "../support/battery/command.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";
import { fatesOf, heldIn, isThere, run, standingWith } from "../support/quarantine/planting.ts";

sandboxMustWork("what calls plant in repositories");

afterEach(() => vi.unstubAllEnvs());

/** A person whose own configuration has git look for hooks in a folder of each working tree. */
function withHooksIn(folder: string, place: Place): void {
  place.folder("home");
  place.file("home/.gitconfig", `[core]\n\thooksPath = ${folder}\n`);
  vi.stubEnv("HOME", join(place.top, "home"));
  vi.stubEnv("XDG_CONFIG_HOME", "");
}
const HOOK = "printf '#!/bin/sh\\ntouch ran\\n'";

/** Commits on the host, as its owner does: git runs there what it finds. */
const commitIn = (folder: string): string =>
  `cd ${folder} && git -c user.name=a -c user.email=a@b add -A && git -c user.name=a -c user.email=a@b commit -qm x; ls -A`;

describe.skipIf(unusable !== null)("of a repository that a call makes", () => {
  it.each<[what: string, line: string, held: readonly string[]]>([
    [
      "a filter whose name looks like a path",
      `git init -q r; ${HOOK} > r/.git/hooks/pre-commit; chmod +x r/.git/hooks/pre-commit
       printf '[filter "a/b"]\\n clean = "touch ran; cat"\\n' >> r/.git/config
       mkdir -p r/.git/info; echo '* filter=a/b' > r/.git/info/attributes; echo x > r/file`,
      ["r/.git/config", "r/.git/hooks/pre-commit"],
    ],
    [
      "a setting whose name holds a URL",
      "git init -q r; git -C r config http.https://example.com/.sslVerify true; echo x > r/file",
      ["r/.git/config"],
    ],
    [
      "a setting whose name leads upwards",
      `git init -q r; printf '[a "x/../../../home/"]\\n b = 1\\n' >> r/.git/config; echo x > r/file`,
      ["r/.git/config"],
    ],
  ])("%s is taken, and so is all else that it made", async (_, line, held) => {
    await using at = await standingWith("quarantine");
    expect(at.place.plainly(`${line}; ${commitIn("r")}`).stdout.includes("ran")).toBe(line.includes("touch"));
    at.place.remove("ws/r");
    const fates = fatesOf(await run(at, `${line}; mkdir q; echo x > q/.envrc`), at);
    expect(fates).toEqual({ "r/.git": "quarantined", "q/.envrc": "quarantined" });
    expect(heldIn(at.place)).toEqual(["q/.envrc", ...held].toSorted());
    expect(at.place.plainly(commitIn("r")).stdout).not.toContain("ran");
    expect((await run(at, "true")).kind).toBe("done");
  });

  it("files of others that its settings seem to name stay where they are", async () => {
    const prepare = (place: Place): void => {
      for (const name of ["conf.d/app.conf", "x.y/.envrc"]) {
        place.folder(`ws/${dirname(name)}`);
        place.file(`ws/${name}`, "mine");
      }
    };
    await using at = await standingWith("quarantine", {}, prepare);
    const line = `git init -q .; printf '[conf "d/app"]\\n conf=1\\n[x "y/"]\\n envrc=1\\n' >> .git/config`;
    expect(fatesOf(await run(at, line), at)).toEqual({ ".git": "quarantined" });
    expect(heldIn(at.place)).toEqual([".git/config"]);
    expect([at.place.read("ws/conf.d/app.conf"), at.place.read("ws/x.y/.envrc")]).toEqual(["mine", "mine"]);
  });

  it("two hooks of one name are both taken", async () => {
    await using at = await standingWith("quarantine", {}, (place) => withHooksIn("hooks", place));
    const line = `git init -q s; mkdir s/hooks; for d in s/hooks s/.git/hooks; do ${HOOK} > $d/pre-commit
      chmod +x $d/pre-commit; done; echo x > s/file`;
    expect(fatesOf(await run(at, line), at)).toEqual({ "s/.git": "quarantined" });
    expect(heldIn(at.place)).toEqual(["s/.git/hooks/pre-commit", "s/hooks/pre-commit"]);
  });

  it("a hook that was there before makes all of it go, and stays", async () => {
    const prepare = (place: Place): void => {
      withHooksIn("hooks", place);
      place.folder("ws/s/hooks");
      place.file("ws/s/hooks/pre-commit", "#!/bin/sh\ntouch ran\n", 0o755);
    };
    await using at = await standingWith("quarantine", {}, prepare);
    expect(fatesOf(await run(at, "git init -q s; echo x > s/file"), at)).toEqual({ "s/.git": "quarantined" });
    expect([heldIn(at.place), isThere(at.place, "s/hooks/pre-commit")]).toEqual([["s/.git"], true]);
  });

  // The kernel follows 40 links in one path. If it has to begin again, as on a busy machine, it does not count anew
  // (fs/namei.c: only `set_nameidata` sets `total_link_count`). So git itself is sure to follow half as many.
  it.each([
    ["by a short way", 2],
    ["by a way through thousands of names", 17],
  ])("a hook is taken that is a link, and leads to its program %s", async (_, links) => {
    await using at = await standingWith("quarantine");
    const line = `mkdir -p p/q; ${HOOK} > p/h; chmod +x p/h; ln -s p e0
      perl -e 'symlink(("p/q/../../" x 400) . "e" . ($_ - 1), "e$_") for 1..$ARGV[0]' ${links}
      git init -q z; ln -s ../../../e${links}/h z/.git/hooks/pre-commit; echo x > z/file`;
    at.place.plainly(`${line}; ${commitIn("z")}`);
    expect(existsSync(join(at.place.ws, "z/ran"))).toBe(true);
    for (const name of at.place.plainly("ls -A").stdout.split("\n").filter(Boolean))
      at.place.remove(`ws/${name}`);
    const fates = fatesOf(await run(at, line), at);
    expect([fates["z/.git"], heldIn(at.place)]).toEqual(["quarantined", ["z/.git/hooks/pre-commit"]]);
    at.place.plainly(commitIn("z"));
    expect(existsSync(join(at.place.ws, "z/ran"))).toBe(false);
  });

  it("of hooks that a new link leads to, the link is taken", async () => {
    await using at = await standingWith("quarantine", {}, (place) => withHooksIn("tools/hk/", place));
    const line = `git init -q s; mkdir -p x/hk; ln -s ../x s/tools; ${HOOK} > x/hk/pre-commit
      chmod +x x/hk/pre-commit; echo x > s/file`;
    const fates = fatesOf(await run(at, line), at);
    expect([fates["s/.git"], heldIn(at.place)]).toEqual(["quarantined", ["s/tools"]]);
    expect(isThere(at.place, "x/hk/pre-commit")).toBe(true);
  });
});

it.skipIf(unusable !== null)(
  "a call that was cut off, of which nothing can be told, keeps no other from being seen to, nor later ones from starting",
  async () => {
    using place = new Place(CALLER);
    const settings = { shell: { default: { approval: false } } };
    const line = "echo x > .envrc; echo x > ready; sleep 30";
    const child = place.start({ job: { calls: [{ argv: ["sh", "-c", line] }] }, settings });
    while (!isThere(place, "ready")) await pause(10);
    const watched = join(place.state, "cofferdam/watched");
    const [name = ""] = readdirSync(watched);
    const entry = readFileSync(join(watched, name));
    const ending = endingOf(child);
    child.kill("SIGKILL");
    await ending;
    const unread = Buffer.concat([Buffer.from("no profile"), entry.subarray(entry.indexOf(0))]);
    for (const at of [0, 99])
      place.file(`state/cofferdam/watched/${name.replace(/\d+\.json$/, `${at}.json`)}`, unread);
    await pause(100);
    const ran = await place.run({ job: { calls: [{ argv: ["true"] }] }, settings });
    expect(ran).toMatchObject([{ kind: "made" }, { kind: "ran", code: 0 }]);
    expect([isThere(place, ".envrc"), heldIn(place)]).toEqual([false, [".envrc"]]);
    expect(readdirSync(watched).length).toBeGreaterThanOrEqual(2);
  },
);
