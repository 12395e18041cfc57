import { expect, test } from "vitest";
import { HOME } from "../../../src/backend/bubblewrap/identity.ts";
import { viewAround } from "../../../src/backend/bubblewrap/view-around.ts";
import { madeLinks } from "../../../src/host/look/made-links.ts";
import { knownPath } from "../../../src/profile/path.ts";

test("links on the way to roots are made again where the host's are shown, and in scratch space, but not in the way of HOME", () => {
  const paths = [
    "/opt/a",
    "/tmp/a",
    "/tmp/a/b",
    "/tmp",
    "/tmp/home",
    "/tmp/home/a",
    "/tmp/homes",
    "/dev/a",
    "/run/a",
    "/etc/passwd",
  ];
  const links = paths.map((path) => ({ path: knownPath(path), target: "x" }));
  expect(madeLinks([{ links }], [], { viewAround, home: HOME }).map(({ path }) => path)).toEqual([
    "/opt/a",
    "/tmp/a",
    "/tmp/a/b",
    "/tmp/homes",
  ]);
});
