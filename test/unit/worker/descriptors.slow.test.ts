import { execFileSync, spawn } from "node:child_process";
import { constants, openSync, readFileSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { printProfile } from "../../../src/profile/canonical.ts";
import { TEMPORARY } from "../../../src/tool/files/protocol.ts";
import { frameOf, WORKER, WorkerClient } from "../../support/worker/client.ts";
import { writeTo } from "../../support/worker/told.ts";
import { TestTree } from "../../support/worker/tree.ts";

test("pipes that are non-blocking on the worker's side work as others do", async () => {
  using tree = new TestTree();
  const path = tree.file("a", Buffer.alloc(2 * 1024 ** 2, "ab"));
  execFileSync("mkfifo", [join(tree.base, "in"), join(tree.base, "out")]);
  const [input, output] = ["in", "out"].map((name) => openSync(join(tree.base, name), constants.O_RDWR));
  if (input === undefined || output === undefined) throw new Error("no pipes");
  const child = spawn(process.execPath, [WORKER], { stdio: [input, output, "inherit"] });
  await new Promise((resolve) => setTimeout(resolve, 500));
  // Node makes a stream's descriptor non-blocking: the open file, which is the worker's as well.
  const feed = new Socket({ fd: input, readable: false });
  const sink = new Socket({ fd: output, writable: false });
  expect(readFileSync(`/proc/${child.pid}/fdinfo/0`, "utf8")).toMatch(/flags:\s+\d*4\d{3}$/m);
  feed.write(frameOf(JSON.stringify({ op: "hello", profile: printProfile(tree.profile()) })));
  await new Promise((resolve) => setTimeout(resolve, 300));
  feed.write(frameOf(JSON.stringify({ op: "read", path, from: 0, maxBytes: 2 ** 22 })));
  const length = await new Promise<number>((resolve) => {
    let got = 0;
    sink.on("data", (bytes: Buffer) => {
      got += bytes.length;
      if (got > 2 * 1024 ** 2) resolve(got);
    });
  });
  expect(length).toBeGreaterThan(2 * 1024 ** 2);
  child.kill("SIGKILL");
  feed.destroy();
  sink.destroy();
});

test("nothing is left open over 10,000 calls of every kind, faults too", async () => {
  using tree = new TestTree();
  await using client = await WorkerClient.of(tree.profile());
  const path = tree.file("d/a.txt", "a\nb\n");
  execFileSync("ln", ["-s", "d/a.txt", join(tree.root, "link")]);
  execFileSync("ln", ["-s", "loop", join(tree.root, "loop")]);
  const walk = { glob: null, maxFound: 1, timeMs: 1000 } as const;
  const wanted = { kind: "text", text: "b", ignoreCase: false } as const;
  const round = [
    () => client.ask({ op: "look", path, end: "followed" }),
    () => client.ask({ op: "look", path: `${tree.root}/loop`, end: "followed" }),
    () => client.ask({ op: "look", path: `${path}/x`, end: "followed" }),
    () => client.ask({ op: "read", path: `${tree.root}/link`, from: 0, maxBytes: 9 }),
    () => client.ask({ op: "read", path: "/etc/passwd", from: 0, maxBytes: 9 }),
    () => client.ask({ op: "read-lines", path, first: 2, maxLines: 1, maxBytes: 9 }),
    () => client.ask({ op: "list", path: tree.root, after: null, maxNames: 9 }),
    () => client.ask({ op: "find", path: tree.root, ...walk }),
    () => client.ask({ op: "search", path: tree.root, wanted, context: 1, ...walk }),
    () => client.ask({ op: "remove", path, expected: { kind: "missing" } }),
  ];
  const open = async (): Promise<number> =>
    execFileSync("ls", [`/proc/${client.child.pid}/fd`])
      .toString()
      .split("\n").length;
  for (const one of round) await one();
  const before = await open();
  for (let at = 0; at < 980; at += 1) {
    for (const one of round) await one();
    if (at % 50 === 0) {
      const fresh = `${tree.root}/new/${at}/f`;
      await writeTo(client, fresh, "x", true);
      await writeTo(client, fresh, "y");
      await client.ask({
        op: "move",
        path: fresh,
        expected: { kind: "missing" },
        to: path,
        temporary: `${TEMPORARY}m`,
        folders: false,
      });
    }
  }
  expect(await open()).toBe(before);
});
