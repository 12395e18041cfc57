import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("what calls move between them");

/** A mask, a file that it hides, and the folders that must keep their place, or the mask would not find it again. */
const MASKS: readonly (readonly [pattern: string, file: string, stay: string])[] = [
  ["deploy/certs/*.key", "deploy/certs/server.key", "./deploy/certs ./deploy"],
  ["deploy/.env*", "deploy/.env.local", "./deploy"],
  ["conf/**/*.pem", "conf/a/b/ca.pem", "./conf"],
  ["**/secrets/*.txt", "x/secrets/list.txt", "./x/secrets"],
  ["**/one/**/two/*.id", "x/one/y/two/z.id", "./x/one/y/two ./x/one/y ./x/one ./x"],
  ["*/top.token", "team/top.token", "./team"],
  ["vault/**", "vault/deep/er/any", "./vault/deep ./vault"],
  ["**/private", "y/private/in/it", "./y/private"],
  ["**/*.seed", "z/walk/a.seed", ""],
];

/** Tries to move every folder, in its place and to the top, by rename(2) alone. What can't be moved is told by its name. */
const MOVE_ALL = `
  find . -depth -mindepth 1 -type d > /tmp/folders
  while IFS= read -r at; do
    perl -e 'exit !(rename($ARGV[0], "$ARGV[0].moved") || rename($ARGV[0], $ARGV[1]))' "$at" "./top.$(basename "$at")" ||
      echo "$at"
  done < /tmp/folders`;

describe.skipIf(unusable !== null).each(PEOPLE)("as $name", (person) => {
  it.each(MASKS)("fs.rename: what %s hides stays hidden from the next call", async (pattern, file, stay) => {
    using place = new Place(person);
    mkdirSync(dirname(join(place.ws, file)), { recursive: true });
    place.file(`ws/${file}`, "SECRET");
    place.folder("ws/beside");
    place.file("ws/beside/open", "OPEN");
    place.ownAll();
    const anchored = pattern.startsWith("**/") ? pattern : `\${workspace}/ws/${pattern}`;
    const profile = place.file(
      "hide.yaml",
      JSON.stringify({ profile: "hide", masks: [{ pattern: anchored, at_most: "none" }] }),
      0o600,
    );
    const read = ["sh", "-c", "grep -rhs -e SECRET -e OPEN . | sort -u"];
    const replies = await place.runServed({
      job: {
        profiles: [profile],
        calls: [{ argv: read }, { argv: ["sh", "-c", MOVE_ALL] }, { argv: read }],
      },
    });
    const said = replies.slice(1).map((reply) => (reply.kind === "ran" ? reply.stdout.trim() : reply.kind));
    expect([said[0], said[2]]).toEqual(["OPEN", "OPEN"]);
    expect(said[1]?.split("\n").join(" ")).toBe(stay);
    // Without the mask everything can be moved and read.
    const plain = await place.runServed({
      job: { calls: [{ argv: ["sh", "-c", MOVE_ALL] }, { argv: read }] },
    });
    expect(plain.slice(1).map((reply) => (reply.kind === "ran" ? reply.stdout.trim() : reply.kind))).toEqual([
      "",
      "OPEN\nSECRET",
    ]);
  });
});
