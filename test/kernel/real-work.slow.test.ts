import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { knownPath } from "../../src/profile/path.ts";
import { itNeeds, sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER, PEOPLE } from "../support/battery/people.ts";
import { Place, type Start } from "../support/battery/place.ts";

sandboxMustWork("real work");

const NPM = onPath("npm");

describe.skipIf(unusable !== null).each(PEOPLE)("without any config, as $name", (person) => {
  /** What lines of shell print in the one folder that the built-in default grants; each must end well. */
  async function outputs(
    place: Place,
    lines: readonly string[],
    env: Start["env"] = {},
  ): Promise<readonly string[]> {
    const calls = lines.map((line) => ({ argv: ["sh", "-c", line] }));
    const [made, ...replies] = await place.run({
      env,
      job: { config: null, home: place.folder("home"), calls },
    });
    expect(made).toEqual({ kind: "made" });
    expect(replies.map((reply) => (reply.kind === "ran" && reply.code === 0 ? "done" : reply))).toEqual(
      lines.map(() => "done"),
    );
    return replies.map((reply) => (reply.kind === "ran" ? reply.stdout : ""));
  }

  itNeeds(["/usr/bin/git"], `git works from init to branch, as ${person.name}`, async () => {
    using place = new Place(person);
    place.folder("home");
    place.file("home/.gitconfig", "[user]\n\tname = A Person\n\temail = person@example.org\n");
    const lines = [
      "git init -q -b main && echo one > a && git add a && git commit -qm first",
      "echo two >> a && git add -A && git commit -qm second && git log --format='%an <%ae> %s'",
      "git checkout -q -b side && echo three > b && git add b && git commit -qm third && git branch --format='%(refname:short)'",
      "git checkout -q main && git merge -q side && git stash list && git status --short --branch && git diff HEAD~1 --stat | tail -n 1",
    ];
    const [, log, branches, status] = await outputs(place, lines);
    expect(log).toBe("A Person <person@example.org> second\nA Person <person@example.org> first\n");
    expect(branches).toBe("main\nside\n");
    expect(status).toBe("## main\n 1 file changed, 1 insertion(+)\n");
    // What the host's git would run by itself was never to be changed.
    const [, refused] = await place.run({
      job: { config: null, calls: [{ argv: ["git", "config", "core.fsmonitor", "./evil"] }] },
    });
    expect(refused).toMatchObject({ kind: "ran", code: 4 });
    expect(place.plainly("git config core.fsmonitor ./evil").status).toBe(0);
  });

  const interpreters = ["/usr/bin/python3", "/usr/bin/perl"];
  itNeeds(interpreters, `python and perl work with processes and threads, as ${person.name}`, async () => {
    using place = new Place(person);
    place.file(
      "ws/squares.py",
      "import multiprocessing\ndef square(n): return n * n\nif __name__ == '__main__':\n    with multiprocessing.Pool(2) as pool: print(pool.map(square, range(5)))\n    queue = multiprocessing.Queue(); queue.put('queued'); print(queue.get())\n",
    );
    const threads =
      "use threads; print map { $_->join } map { threads->create(sub { $_[0] ** 2 }, $_) } 1 .. 4";
    const lines = ["/usr/bin/python3 squares.py", `perl -e '${threads}'`];
    expect(await outputs(place, lines)).toEqual(["[0, 1, 4, 9, 16]\nqueued\n", "14916"]);
  });

  itNeeds(
    ["/usr/bin/gcc", "/usr/bin/make"],
    `a C program is built by make and runs, as ${person.name}`,
    async () => {
      using place = new Place(person);
      place.file(
        "ws/Makefile",
        "hello: main.o greet.o\n\tgcc -o hello main.o greet.o -lpthread\n%.o: %.c\n\tgcc -Wall -c $<\n",
      );
      place.file(
        "ws/greet.c",
        '#include <stdio.h>\n#include "greet.h"\nvoid *greet(void *name) { printf("hello, %s\\n", (char *)name); return 0; }\n',
      );
      place.file("ws/greet.h", "void *greet(void *name);\n");
      place.file(
        "ws/main.c",
        '#include <pthread.h>\n#include "greet.h"\nint main(void) { pthread_t t; return pthread_create(&t, 0, greet, "world") || pthread_join(t, 0); }\n',
      );
      expect(await outputs(place, ["make -j2 >/dev/null", "./hello"])).toEqual(["", "hello, world\n"]);
    },
  );

  itNeeds(
    [NPM],
    `npm test runs with node's own runner, and node has workers, as ${person.name}`,
    async () => {
      using place = new Place(person);
      copyExample(place, []);
      place.file(
        "ws/worker.cjs",
        'const { Worker, isMainThread, parentPort } = require("worker_threads");\nif (isMainThread) new Worker(__filename).on("message", console.log);\nelse parentPort.postMessage(Object.keys(require("os").networkInterfaces()).join());\n',
      );
      const lines = ["npm test -- --test-reporter=tap", "node worker.cjs"];
      const [printed = "", interfaces] = await outputs(place, lines, {
        PATH: `${dirname(NPM)}:/usr/bin:/bin`,
      });
      expect(printed).toContain("# pass 4\n# fail 0\n");
      expect(interfaces).toBe("lo\n");
    },
  );
});

describe.skipIf(unusable !== null)("with a config", () => {
  itNeeds([NPM], "the example's own config runs npm test without asking, and nothing else", async () => {
    using place = new Place(CALLER);
    copyExample(place, ["cofferdam.yaml"]);
    const env = { PATH: `${dirname(NPM)}:/usr/bin:/bin` };
    const { createSupervisor } = await import("../../src/index.ts");
    await using supervisor = await createSupervisor({
      config: join(place.ws, "cofferdam.yaml"),
      cwd: knownPath(place.ws),
      host: place.host({ env }),
    });
    const session = supervisor.session();
    const outcome = await session.call("shell", { argv: ["npm", "test"] });
    expect(outcome).toMatchObject({
      kind: "done",
      receipt: { enforcement: { files: { kind: expect.stringMatching(/enforced|tighter/) } } },
    });
    expect(await session.call("shell", { argv: ["npm", "install"] })).toMatchObject({
      kind: "denied",
      code: "APPROVAL_DENIED",
    });
  });

  itNeeds(
    ["/usr/bin/git"],
    "who commits is taken from the home folder, nothing else of it is seen",
    async () => {
      using place = new Place(CALLER);
      const home = knownPath(place.folder("home"));
      place.file(
        "home/.gitconfig",
        '[user]\n\tname = "At Home"\n\temail = home@example.org\n[alias]\n\tx = !echo from-home\n[core]\n\tpager = evil\n',
      );
      const host = place.host();
      const env = { ...host.env, XDG_CONFIG_HOME: undefined, PATH: "/usr/bin:/bin" };
      await using supervisor = await place.supervisor(
        { sandbox: { runtimes: ["system", "git"] } },
        { env, user: { ...host.user, home } },
      );
      const line = `git init -q && git commit -q --allow-empty -m x && git log --format='%an %ae' && ! git x && ! cat ${home}/.gitconfig`;
      const outcome = await supervisor
        .session({ caller: "person" })
        .call("shell", { argv: ["sh", "-c", line] });
      expect(outcome).toMatchObject({ kind: "done" });
      expect("stdout" in outcome && outcome.stdout.bytes.toString()).toBe("At Home home@example.org\n");
      expect(readFileSync(join(home, ".gitconfig"), "utf8")).toContain("evil");
    },
  );
});

/** The texts alone: the modes of a checkout are its owner's affair. */
function copyExample(place: Place, more: readonly string[]): void {
  const example = join(import.meta.dirname, "../../examples/npm-project");
  for (const folder of ["ws/src", "ws/test"]) place.folder(folder);
  for (const file of ["package.json", "src/words.js", "test/words.test.js", ...more])
    place.file(`ws/${file}`, readFileSync(join(example, file)));
}

function onPath(name: string): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? `/usr/bin/${name}`;
}
