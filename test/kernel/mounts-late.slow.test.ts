import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, expect } from "vitest";
import { Reply } from "../support/battery/job.ts";
import { itUnless, notRoot, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, PEOPLE, type Person } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("mounts that arrive while a program runs");

/** Says that it runs, waits for what comes, for ten seconds at most, and tells what it finds. */
const WAITS =
  ": > runs; n=0; while ! [ -e come ] && [ $n -lt 500 ]; do n=$((n+1)); sleep 0.02; done; ls sub; : > sub/made && echo writable";

/** Mounts something in the root while a call runs, in mounts that are this test's own; or only says so. */
async function mounted(
  person: Person,
  mounting: string,
): Promise<{ readonly replies: readonly Reply[]; readonly sub: string }> {
  using place = new Place(person);
  place.folder("ws/sub");
  place.file("ws/sub/below", "old");
  const { uid, gid } = person;
  const become = uid === 0 ? "" : `/usr/bin/setpriv --reuid ${uid} --regid ${gid} --clear-groups --`;
  const host = `mount -n --make-rshared / && { (
    n=0; while ! [ -e "$0/runs" ] && [ $n -lt 1500 ]; do n=$((n+1)); sleep 0.02; done
    ${mounting}; touch "$0/come"; sleep 3 ) & exec ${become} "$@"; }`;
  const child = place.start({
    under: ["/usr/bin/unshare", "-m", "/bin/sh", "-c", host, place.ws],
    startedBy: CALLER,
    job: { calls: [{ argv: ["sh", "-c", WAITS] }] },
  });
  if (child.stdout === null) throw new Error("no output");
  const [out] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const replies = out
    .trim()
    .split("\n")
    .map((line) => Reply.parse(JSON.parse(line)));
  return { replies, sub: `${place.ws}/sub` };
}

// Each waits most of its time, in mounts of its own.
describe.skipIf(unusable !== null).each(PEOPLE)("for $name", { concurrent: true }, (person) => {
  itUnless(notRoot, "fs.mounts: a mount that arrives on the host while a program runs is told", async () => {
    const { replies, sub } = await mounted(person, 'mount -n -t tmpfs -o mode=1777 none "$0/sub"');
    expect(replies[1]).toMatchObject({
      kind: "ran",
      code: 0,
      stdout: "writable\n",
      standings: { files: "partial" },
      mounts: { changes: [`the mount at ${sub} was not planned`], uncovered: [], unprotected: [] },
    });
  });

  itUnless(notRoot, "fs.mounts: where none arrives, nothing is told", async () => {
    const { replies } = await mounted(person, ":");
    expect(replies[1]).toMatchObject({
      kind: "ran",
      code: 0,
      stdout: "below\nwritable\n",
      standings: { files: "enforced" },
    });
    expect(replies[1]).not.toHaveProperty("mounts");
  });
});
