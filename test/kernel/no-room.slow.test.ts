import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { checkoutFor, compileCacheFor, PEOPLE, type Person, runFile } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("where nothing can be written");

/** Mounts are made by root, in a mount namespace of their own; then the words run as the person. */
function runAs(person: Person, place: Place, mounting: string, words: readonly string[]) {
  const { uid, gid } = person;
  const become = uid === 0 ? "" : `/usr/bin/setpriv --reuid ${uid} --regid ${gid} --clear-groups --`;
  const script = `cd "$0" && ${mounting} && cd ws && ${become} "$@"; s=$?; cd "$0"; find state -name "*launcher*" -o -name "*.unfinished" >&2; exit $s`;
  return spawnSync("/usr/bin/unshare", ["-m", "/bin/sh", "-c", script, place.top, ...words], {
    encoding: "utf8",
    env: {
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      XDG_STATE_HOME: place.state,
      NODE_COMPILE_CACHE: compileCacheFor(person),
    },
  });
}

/** What became of placeholders: `a` in the writable root, and others below it. */
function tried(person: Person, place: Place, mounting: string, names: readonly string[]): unknown {
  const driver = runFile(checkoutFor(person), "ledger-driver.ts");
  const words = [...driver, "tries", place.state, place.ws, JSON.stringify(names)];
  const { stdout, stderr } = runAs(person, place, mounting, words);
  return stdout === "" ? stderr : JSON.parse(stdout);
}

const HELD = (made: number) => ({ end: "held", again: "held", made, left: [] });
const isRoot = process.getuid?.() === 0;

describe.skipIf(!isRoot).each(PEOPLE)("what can't be held for $name", (person) => {
  const refused = (place: Place, name: string, why: string, hint: string, code = "NOT_ENFORCEABLE") => ({
    end: {
      code,
      message: `the protected path \`${place.ws}/${name}\` can't be blocked while the call runs: ${why}`,
      hint,
    },
    again: null,
    made: 0,
    left: [],
  });

  it.each(["held", "x.json", "commondir", ".envrc"])(
    "is refused by the right reason, and what was made is removed: %s",
    (file) => {
      using place = new Place(person);
      const name = `sub/${file}`;
      const folder = place.folder("ws/sub");
      expect(tried(person, place, "true", [name])).toEqual(HELD(2));

      const readOnly = "mount -n --bind ws/sub ws/sub && mount -n -o remount,bind,ro ws/sub";
      const mended = `mount \`${folder}\` writable, or move it out of the roots`;
      expect(tried(person, place, readOnly, [name])).toEqual(
        refused(place, name, "its folder is mounted read-only", mended),
      );

      const full = (inodes: number) => `mount -n -t tmpfs -o mode=1777,nr_inodes=${inodes} none ws/sub`;
      const room = `free space on the file system of \`${folder}\``;
      expect(tried(person, place, full(9), [name])).toEqual(HELD(2));
      expect(tried(person, place, full(1), [name])).toEqual(
        refused(place, name, "no space is left there (ENOSPC)", room, "SANDBOX_UNAVAILABLE"),
      );

      chmodSync(folder, 0o555);
      const writable = `let this user write in \`${folder}\` (\`chmod u+w\`), or move it out of the roots`;
      expect(tried(person, place, "true", [name])).toEqual(
        person.uid === 0
          ? HELD(2)
          : refused(place, name, "its folder can't be written by this user", writable),
      );
    },
  );

  it("is refused where a folder is another user's", () => {
    using place = new Place(person);
    spawnSync("/bin/mkdir", ["-m", "755", join(place.ws, "theirs")]);
    const writable = `let this user write in \`${place.ws}/theirs\` (\`chmod u+w\`), or move it out of the roots`;
    expect(tried(person, place, "true", ["theirs/.envrc"])).toEqual(
      person.uid === 0
        ? HELD(2)
        : refused(place, "theirs/.envrc", "its folder can't be written by this user", writable),
    );
  });

  it("is no half of a file, where there is room for a name but not for its text", () => {
    using place = new Place(person);
    place.folder("ws/sub");
    const full = "mount -n -t tmpfs -o mode=1777,size=4k none ws/sub && echo x > ws/sub/full";
    const room = `free space on the file system of \`${place.ws}/sub\``;
    expect(tried(person, place, full, ["sub/commondir"])).toEqual(
      refused(place, "sub/commondir", "no space is left there (ENOSPC)", room, "SANDBOX_UNAVAILABLE"),
    );
    expect(tried(person, place, full, ["sub/.envrc"])).toEqual(HELD(2));
  });
});

describe.skipIf(unusable !== null || !isRoot).each(PEOPLE)(
  "a full disk for what is kept, for $name",
  (person) => {
    it("is told as that, and leaves no half of a file", () => {
      using place = new Place(person);
      const { node, folder } = checkoutFor(person);
      const config = place.config();
      const run = (size: string, filling: string, command?: readonly string[]) => {
        const mounting = `mount -n -t tmpfs -o size=${size},mode=0700,uid=${person.uid} none state && ${filling}`;
        const ran = ["run", "--quiet", "--config", config, "--", "echo", "ran"];
        const words = [node, join(folder, "dist/cli/main.js"), ...(command ?? ran)];
        const { status, stdout, stderr } = runAs(person, place, mounting, words);
        return { status, stdout, stderr };
      };
      const fill = "{ head -c 60000 /dev/zero > state/fill; cat /dev/zero >> state/fill 2>/dev/null; true; }";
      expect(run("64k", fill)).toEqual({
        status: 69,
        stdout: "",
        stderr: `cofferdam: no space is left on the disk for \`${place.state}\`: ENOSPC\n  do: free space there, or set XDG_STATE_HOME to a folder on another disk\n`,
      });
      const many = "i=0; mkdir state/cofferdam; while touch state/$i 2>/dev/null; do i=$((i+1)); done";
      expect(run("1m,nr_inodes=20", `${many}; chown -R ${person.uid} state`)).toMatchObject({
        status: 69,
        stdout: "",
        stderr: expect.stringContaining("no space is left on the disk"),
      });
      const shut = `mkdir -m 700 state/cofferdam && chown ${person.uid} state/cofferdam && mount -n -o remount,ro state`;
      expect(run("1m", shut)).toMatchObject({
        status: 69,
        stdout: "",
        stderr: expect.stringContaining("EROFS"),
      });
      const doctor = (filling: string) => run("64k", filling, ["doctor", "--config", config]);
      expect(doctor(fill)).toMatchObject({
        status: 69,
        stdout: expect.stringMatching(
          /no sandbox can be built on this machine: no space is left on the disk for/,
        ),
      });
      expect(doctor("true")).toMatchObject({
        status: 0,
        stdout: expect.stringContaining("the sandbox works on this machine"),
      });
      expect(run("1m", "true")).toEqual({
        status: 0,
        stdout: "ran\n",
        stderr: "state/cofferdam/launcher.json\n",
      });
    });
  },
);
