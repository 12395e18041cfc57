import { expect, test } from "vitest";
import { renderBubblewrap } from "../../src/backend/bubblewrap/render.ts";
import { absolutePath } from "../../src/profile/path.ts";
import { type FileEntry, normalProfile } from "../../src/profile/profile.ts";
import { fakedFacts } from "../support/faked-facts.ts";

const LAUNCH = { argv: [absolutePath("/usr/bin/true")], cwd: absolutePath("/tmp"), env: {} } as const;
const entry = (path: string, access: FileEntry["access"]): FileEntry => ({
  path: absolutePath(path),
  access,
  suffixes: "any",
});

test("the whole file system can't be granted, and is not left out in silence either", () => {
  const rendering = renderBubblewrap(
    normalProfile({ files: [entry("/", "read")] }),
    LAUNCH,
    fakedFacts(["/"]),
  );
  expect(rendering).toMatchObject({ kind: "refusal", refusal: { field: "files" } });
});

test("a listed socket can be reached through a hidden folder", () => {
  const profile = normalProfile({
    files: [entry("/w", "read"), entry("/w/run", "none")],
    sockets: [absolutePath("/w/run/db.sock")],
  });
  const facts = fakedFacts(["/w/run/"]);
  const nodes = new Map([
    ...facts.nodes,
    [absolutePath("/w/run/db.sock"), { kind: "other", id: "3:1" }],
  ] as const);
  const rendering = renderBubblewrap(profile, LAUNCH, { ...facts, nodes });
  if (rendering.kind === "refusal") throw new Error(rendering.refusal.reason);
  const args = rendering.plan.clauses.flatMap((clause) => clause.args).join(" ");
  expect(args).toBe("--ro-bind /w /w --perms 0555 --tmpfs /w/run --ro-bind /w/run/db.sock /w/run/db.sock");
});
