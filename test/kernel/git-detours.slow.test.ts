import { lstatSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { PEOPLE } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("ways that go into a folder and leave it again");

const BARE = { HEAD: "ref: refs/heads/x\n", config: "[core]\n", "objects/x": "", "refs/x": "" };

/** A repository below `folder`, with what its configuration says. */
function repository(place: Place, folder: string, config = ""): void {
  const files = { ...BARE, config: `${BARE.config}${config}` };
  for (const [name, text] of Object.entries(files)) made(place, `${folder}/${name}`, text);
}

function made(place: Place, name: string, text: string): void {
  place.folder(dirname(name));
  place.file(name, text);
}

/** What leads git by `ws/p/q/..`, or not by it. */
const WAYS: readonly (readonly [name: string, lead: (place: Place, way: string) => void])[] = [
  ["an include", (place, way) => repository(place, "ws/.git", `[include]\n\tpath = ../${way}/z/inc\n`)],
  ["a folder of hooks", (place, way) => repository(place, "ws/.git", `[core]\n\thooksPath = ${way}/z\n`)],
  [
    "a working tree, in which hooks are",
    (place, way) => repository(place, "ws/.git", `[core]\n\tworktree = ../${way}/z\n\thooksPath = h\n`),
  ],
  [
    "a file `.git`",
    (place, way) => {
      repository(place, "ws/p/store");
      made(place, "ws/n/.git", `gitdir: ../${way}/store\n`);
    },
  ],
  [
    "a part's `commondir`",
    (place, way) => {
      repository(place, "ws/p/store");
      made(place, "ws/n/.git/HEAD", "ref: refs/heads/n\n");
      made(place, "ws/n/.git/commondir", `../../${way}/store\n`);
    },
  ],
  [
    "the caller's own configuration",
    (place, way) => place.file("home/.gitconfig", `[include]\n\tpath = ../ws/${way}/z/inc\n`),
  ],
];

describe.skipIf(unusable !== null).each(PEOPLE)("a way that git is led by, as $name", (person) => {
  describe.each(WAYS)("%s", (_name, lead) => {
    /** What a call told that puts a link in the place of `p/q`, before and behind which it does all else. */
    async function attempt(way: string, make: (place: Place) => void, script: string) {
      using place = new Place(person);
      for (const folder of ["home", "ws/p/z", "ws/free"]) place.folder(folder);
      make(place);
      lead(place, way);
      place.ownAll();
      const [, reply] = await place.runServed({
        env: { HOME: join(place.top, "home") },
        job: { calls: [{ argv: ["sh", "-c", `mkdir -p zz/y; ${script}`] }] },
      });
      const there = lstatSync(join(place.ws, "p/q"), { throwIfNoEntry: false });
      return {
        stdout: reply?.kind === "ran" ? reply.stdout : reply,
        isLink: there?.isSymbolicLink() === true,
      };
    }

    const SWAP = "mv p/q p/away; ln -sT ../zz/y p/q";

    it("git.exec: a folder that it goes into and leaves again can't become a link; all else is done there", async () => {
      const folder = (place: Place) => place.folder("ws/p/q");
      const script = `exec 2>/dev/null; ${SWAP}; echo x >p/q/x && mkdir p/q/y && echo done`;
      expect(await attempt("p/q/..", folder, script)).toEqual({ stdout: "done\n", isLink: false });
      expect(await attempt("p", folder, SWAP)).toEqual({ stdout: "", isLink: true });
    });

    it("git.exec: nor can one above it", async () => {
      const folder = (place: Place) => place.folder("ws/p/q/r");
      const script = `exec 2>/dev/null; ${SWAP}; true`;
      expect(await attempt("p/q/r/../..", folder, script)).toEqual({ stdout: "", isLink: false });
      expect(await attempt("p", folder, script)).toEqual({ stdout: "", isLink: true });
    });

    it("git.exec: nor what is missing there, or a file", async () => {
      const missing = () => undefined;
      const script = "exec 2>/dev/null; rm p/q; ln -sT ../zz/y p/q; true";
      expect(await attempt("p/q/..", missing, script)).toEqual({ stdout: "", isLink: false });
      expect(await attempt("p", missing, script)).toEqual({ stdout: "", isLink: true });
      const file = (place: Place) => place.file("ws/p/q", "");
      expect(await attempt("p/q/..", file, script)).toEqual({ stdout: "", isLink: false });
      expect(await attempt("p", file, script)).toEqual({ stdout: "", isLink: true });
    });
  });

  it("git.exec: tools on files leave such a folder where it is", async () => {
    using place = new Place(person);
    place.folder("ws/p/q");
    place.folder("ws/p/free");
    repository(place, "ws/.git", "[include]\n\tpath = ../p/q/../inc\n");
    place.ownAll();
    const move = (name: string) => ({
      tool: "move_file",
      input: { from: `ws:p/${name}`, to: `ws:p/${name}-away` },
    });
    const replies = await place.runServed({ job: { calls: [], steps: [move("q"), move("free")] } });
    expect(replies.slice(1).map((reply) => reply.kind === "told" && reply.told)).toEqual([
      "DENIED",
      expect.objectContaining({ to: "ws:p/free-away" }),
    ]);
  });

  it("git.exec: where it is passed by a link as well", async () => {
    using place = new Place(person);
    for (const folder of ["ws/p/q", "ws/p/real", "ws/zz/y"]) place.folder(folder);
    mkdirSync(join(place.ws, "l"));
    symlinkSync("../p/real", join(place.ws, "l/to"));
    repository(place, "ws/.git", "[include]\n\tpath = ../p/q/../../l/to/../inc\n");
    place.ownAll();
    const script = "exec 2>/dev/null; mv p/q p/away; mv l/to l/away; mv p/real p/gone; echo p/* l/*";
    const [, reply] = await place.runServed({ job: { calls: [{ argv: ["sh", "-c", script] }] } });
    expect(reply).toMatchObject({ stdout: "p/inc p/q p/real l/to\n" });
  });
});
