import { readFileSync, statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isCopyable } from "../../src/host/look/nodes.ts";
import { absolutePath } from "../../src/profile/path.ts";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("settings of the system that are copied");

/** What a program may try on a file, each by itself. */
const ATTEMPTS = [
  "echo more >>$f",
  "chmod 666 $f",
  "touch -d 2001-01-01 $f",
  "mv $f $f.moved",
  "rm -f $f",
  "ln $f $f.linked",
  "ln -sf /usr/bin/true $f",
  ": >$f.beside",
];

describe.skipIf(unusable !== null).each(PEOPLE)("settings of the system, as $name", (person) => {
  let place: Place;
  beforeEach(() => {
    place = new Place(person);
  });
  afterEach(() => place[Symbol.dispose]());

  /** What a line says inside, and how it ended. */
  async function inside(line: string) {
    const [, reply] = await place.runServed({ job: { calls: [{ argv: ["sh", "-c", line] }] } });
    if (reply?.kind !== "ran") throw new Error(JSON.stringify(reply));
    return reply;
  }

  it("are the host's to the letter, without a mount for each", async () => {
    expect(isCopyable(absolutePath("/etc/services"), statSync("/etc/services"))).toBe(true);
    const { stdout } = await inside("cat /etc/services; echo; cat /proc/self/mountinfo");
    expect(stdout).toContain(readFileSync("/etc/services", "utf8"));
    const points = stdout.split("\n").flatMap((line) => line.split(" ")[4] ?? []);
    expect(points).toContain("/etc/alternatives");
    expect(points).not.toContain("/etc/services");
    const { stdout: loaded } = await inside("ldd /usr/bin/env && getconf ARG_MAX");
    expect(loaded).toContain("libc.so.6 => /");
  });

  it("can be changed by nothing inside, which a file of one's own can", async () => {
    const before = readFileSync("/etc/services", "utf8");
    const each = (f: string, made = ":"): string =>
      ATTEMPTS.map((one) => `f=${f}; ${made}; (${one}) 2>/dev/null && echo done`).join("; ");
    expect((await inside(`${each("/etc/services")}; true`)).stdout).toBe("");
    const twin = await inside(each("mine", "rm -f mine*; cp /etc/services mine"));
    expect(twin.stdout).toBe("done\n".repeat(ATTEMPTS.length));
    expect(readFileSync("/etc/services", "utf8")).toBe(before);
  });
});
