import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { checkoutFor, compileCacheFor, ORDINARY, runFile } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

const isRoot = process.getuid?.() === 0;

/** Mounts are made by root, in a mount namespace of their own; then the driver runs as an ordinary user. */
function filledIn(place: Place, mounting: string): Record<string, unknown> {
  const { uid, gid } = ORDINARY;
  const script = `cd "$0" && ${mounting} && exec /usr/bin/setpriv --reuid ${uid} --regid ${gid} --clear-groups -- "$@"`;
  const driver = runFile(checkoutFor(ORDINARY), "store-driver.ts");
  const words = [...driver, `${place.state}/approvals.sqlite`, "fill", `${place.state}/ballast`];
  const { stdout, stderr } = spawnSync(
    "/usr/bin/unshare",
    ["-m", "/bin/sh", "-c", script, place.top, ...words],
    {
      encoding: "utf8",
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", NODE_COMPILE_CACHE: compileCacheFor(ORDINARY) },
    },
  );
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/** A small disk with something on it that can be removed. */
const small = (kib: number, ballastKib: number) =>
  `mount -n -t tmpfs -o mode=700,uid=${ORDINARY.uid},size=${kib}k none state && head -c ${ballastKib}k /dev/zero > state/ballast && chown ${ORDINARY.uid} state/ballast`;

describe.skipIf(!isRoot)("a store on a disk", () => {
  it("that is full refuses a step whole, reads on, and goes on when there is room", () => {
    using place = new Place(ORDINARY);
    expect(filledIn(place, small(1_024, 300))).toEqual({
      refused: {
        code: "STORE_UNAVAILABLE",
        message: `the store \`${place.state}/approvals.sqlite\` has no space left: database or disk is full`,
        hint: "free space on its disk",
      },
      whileFull: true,
      behind: true,
      last: "behind it",
    });
  });

  it("that is full from the beginning is told of, and is used when there is room", () => {
    using place = new Place(ORDINARY);
    expect(filledIn(place, small(1_024, 1_016))).toMatchObject({
      refused: { code: "STORE_UNAVAILABLE" },
      whileFull: "STORE_UNAVAILABLE",
      behind: true,
      last: "behind it",
    });
  });

  it.each([
    ["can't be written", "mount -n --bind state state && mount -n -o remount,bind,ro state"],
    ["belongs to somebody else", "chown 0 state && chmod 755 state"],
  ])("where its folder %s refuses every step", (_, mounting) => {
    using place = new Place(ORDINARY);
    expect(filledIn(place, mounting)).toMatchObject({ refused: { code: "STORE_UNAVAILABLE" }, behind: true });
  });
});
