import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("setuid files");

/** System calls that make a file with a mode; the call numbers of x86_64 and arm64. */
const CALLS = {
  mknodat: { number: process.arch === "arm64" ? 33 : 259, words: (mode: number) => `0100000 | ${mode}, 0` },
  openat: { number: process.arch === "arm64" ? 56 : 257, words: (mode: number) => `0101, ${mode}` },
} as const;

const AT_FDCWD = -100;

function makes(name: keyof typeof CALLS, mode: number): string {
  const { number, words } = CALLS[name];
  return `perl -e 'my $path = "made-by-${name}-${mode}"; exit(syscall(${number}, ${AT_FDCWD}, $path, ${words(mode)}) < 0 ? ($!{EPERM} ? 1 : 2) : 0)'`;
}

/** Ways to a setuid file, each beside the same with an ordinary mode; `there` is a setuid file already. */
const WAYS: readonly (readonly [what: string, setuid: string, ordinary: string])[] = [
  ["chmod by number", ": > a; chmod 4755 a", ": > a; chmod 755 a"],
  ["chmod by letters", ": > b; chmod u+s b", ": > b; chmod u+x b"],
  ["install", "install -m 4755 there c", "install -m 755 there c"],
  ["mknod", makes("mknodat", 0o4755), makes("mknodat", 0o755)],
  ["open", makes("openat", 0o4755), makes("openat", 0o755)],
  ["cp, with the mode of a setuid file", "cp -p there d", "cp there d"],
  ["tar, out of an archive", "tar -xpf tar -C out", "tar -xpf plain -C out"],
];

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  /** The statuses of lines of shell that run inside one after another. */
  async function statuses(place: Place, lines: readonly string[]): Promise<readonly number[]> {
    const calls = lines.map((line) => ({ argv: ["sh", "-c", line] }));
    const [made, ...replies] = await place.run({ job: { calls } });
    expect(made).toEqual({ kind: "made" });
    return replies.map((reply) => (reply.kind === "ran" ? reply.code : -1));
  }

  function prepared(): Place {
    const place = new Place(person);
    chmodSync(place.file("ws/there", "x\n"), 0o4755);
    place.folder("ws/out");
    place.plainly("tar -cf tar there && cp there ordinary && chmod 755 ordinary && tar -cf plain ordinary");
    return place;
  }

  it.each(WAYS)("sys: no setuid file comes from %s, an ordinary one does", async (_, setuid, ordinary) => {
    using place = prepared();
    const seen = "! find . -perm -4000 ! -path ./there | grep .";
    const [refused, none, done] = await statuses(place, [setuid, seen, ordinary]);
    expect([refused, none, done]).toEqual([expect.toSatisfy((code) => code > 0), 0, 0]);
    // Without the sandbox the same line makes one.
    place.remove("ws/out");
    place.folder("ws/out");
    expect(place.plainly(setuid).status).toBe(0);
    expect(place.plainly("find . -perm -4000 ! -path ./there | grep -c .").stdout).toBe("1\n");
  });

  it("sys: a file that was setuid before is so no more after write(2)", async () => {
    using place = prepared();
    const there = join(place.ws, "there");
    expect(statSync(there).mode & 0o7777).toBe(0o4755);
    expect(await statuses(place, ["echo more >> there"])).toEqual([0]);
    expect(statSync(there).mode & 0o7777).toBe(0o755);
  });

  it("sys: no file gets a capability", async () => {
    using place = prepared();
    const setxattr = process.arch === "arm64" ? 5 : 188;
    const set = (name: string, value: string): string =>
      `perl -e 'my ($path, $name, $value) = ("there", "${name}", pack "${value}"); exit(syscall(${setxattr}, $path, $name, $value, length $value, 0) < 0 ? 1 : 0)'`;
    // VFS_CAP_REVISION_2 with CAP_NET_RAW (include/uapi/linux/capability.h).
    const capability = set("security.capability", 'V5", 0x02000001, 1 << 13, 0, 0, "0');
    expect(await statuses(place, [capability, set("user.note", 'a*", "x')])).toEqual([1, 0]);
    if (person.uid === 0) expect(place.plainly(capability).status).toBe(0);
  });

  it("sys: a folder can hand on its group", async () => {
    using place = prepared();
    expect(
      await statuses(place, [
        "mkdir shared && chmod g+s shared && mkdir shared/sub && chmod 2755 shared/sub",
      ]),
    ).toEqual([0]);
    expect(statSync(join(place.ws, "shared/sub")).mode & 0o7777).toBe(0o2755);
  });
});
