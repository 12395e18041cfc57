import { describe, expect, test } from "vitest";
import type { Query } from "../query.ts";
import { type Kernel, LAX, LIKELY, STRICT } from "./kernel.ts";
import { macWith } from "./mac.ts";
import { queriesOf } from "./perform.ts";
import type { Syscall } from "./syscall.ts";
import type { World } from "./world.ts";

const mac = macWith([
  { path: "/Users/me/work/link", kind: "symlink", target: "src" },
  { path: "/Users/me/work/to-env", kind: "symlink", target: "/tmp/hop/.env" },
  { path: "/private/tmp/hop", kind: "symlink", target: "/Users/me/work" },
  { path: "/Users/me/work/again", kind: "file", bytes: "#! /Users/me/work/run.sh", mode: 0o755 },
  { path: "/Users/me/work/own.sock", kind: "socket", listener: "nobody" },
  { path: "/Users/me/work/tag", kind: "file", bytes: "", xattrs: { tag: "red" } },
]);

/** A question in one line: the operation, the path, and what stands there. */
const line = ({ operation, path, vnode }: Query): string =>
  [operation, path, vnode].filter((part) => part !== undefined).join(" ");

const asked = (call: Syscall, kernel: Kernel = LIKELY, world: World = mac): readonly Query[] | string => {
  const result = queriesOf(world, call, kernel);
  return result.kind === "fails" ? result.errno : result.queries;
};

const lines = (call: Syscall, kernel: Kernel = LIKELY, world: World = mac): readonly string[] | string => {
  const queries = asked(call, kernel, world);
  return typeof queries === "string" ? queries : queries.map(line);
};

const WORK = "/Users/me/work";
const MAIN = `${WORK}/src/main.c REGULAR-FILE`;
const SRC = `${WORK}/src DIRECTORY`;
const NEW = `${WORK}/new`;

describe("opening", () => {
  test("to read asks about the bytes", () => {
    expect(lines({ call: "open", path: "src/main.c", access: "read" })).toEqual([`file-read-data ${MAIN}`]);
  });

  test("to write or to truncate asks about writing the bytes", () => {
    const writing = [`file-write-data ${MAIN}`];
    expect(lines({ call: "open", path: "src/main.c", access: "write" })).toEqual(writing);
    expect(lines({ call: "open", path: "src/main.c", access: "write", creates: "or-opens" })).toEqual(
      writing,
    );
    expect(lines({ call: "open", path: "src/main.c", access: "read", truncates: true })).toEqual([
      `file-read-data ${MAIN}`,
      ...writing,
    ]);
  });

  test("what is not there asks about making it, and about its bytes where the kernel is thought to", () => {
    const call = { call: "open", path: "new", access: "write", creates: "exclusive" } as const;
    expect(lines(call, LAX)).toEqual([`file-write-create ${NEW} REGULAR-FILE`]);
    expect(lines(call)).toEqual([
      `file-write-create ${NEW} REGULAR-FILE`,
      `file-write-data ${NEW} REGULAR-FILE`,
    ]);
  });

  test("from a folder's descriptor asks about that folder, where the kernel is thought to", () => {
    const world = macWith([], { descriptors: { 9: "/Users/me/work/src" } });
    const call = { call: "open", path: "main.c", access: "read", at: 9 } as const;
    expect(lines(call, LIKELY, world)).toEqual([`file-read-data ${SRC}`, `file-read-data ${MAIN}`]);
    expect(lines(call, LAX, world)).toEqual([`file-read-data ${MAIN}`]);
    expect(lines({ ...call, path: "/bin/sh" }, LIKELY, world)).toEqual([
      "file-read-data /bin/sh REGULAR-FILE",
    ]);
  });
});

describe("the way to a path", () => {
  const call = { call: "open", path: "to-env", access: "read" } as const;
  const links = [
    `file-read-metadata ${WORK}/to-env SYMLINK`,
    "file-read-metadata /tmp SYMLINK",
    "file-read-metadata /private/tmp/hop SYMLINK",
  ];
  const env = `file-read-data ${WORK}/.env REGULAR-FILE`;

  test("asks about every link that is passed", () => {
    expect(lines(call)).toEqual([...links, env]);
  });

  test("asks about every folder above, where the kernel is thought to", () => {
    expect(lines(call, STRICT)).toEqual([
      ...["/", "/Users", "/Users/me", WORK, "/private", "/private/tmp"].map(
        (path) => `file-read-metadata ${path} DIRECTORY`,
      ),
      ...links,
      env,
    ]);
  });

  test("asks nothing, where the kernel is thought to", () => {
    expect(lines(call, LAX)).toEqual([env]);
  });
});

describe("looking", () => {
  test.each([
    [
      { call: "stat", path: "link" },
      [`file-read-metadata ${WORK}/link SYMLINK`, `file-read-metadata ${SRC}`],
    ],
    [{ call: "lstat", path: "link" }, [`file-read-metadata ${WORK}/link SYMLINK`]],
    [{ call: "readlink", path: "link" }, [`file-read-metadata ${WORK}/link SYMLINK`]],
    [{ call: "readdir", path: "src" }, [`file-read-data ${SRC}`]],
    [{ call: "chdir", path: "src" }, [`file-read-metadata ${SRC}`]],
    [{ call: "getxattr", path: "tag", name: "tag" }, [`file-read-xattr ${WORK}/tag REGULAR-FILE`]],
    [
      { call: "access", path: "src/main.c", rights: ["read", "write"] },
      [`file-read-metadata ${MAIN}`, `file-read-data ${MAIN}`, `file-write-data ${MAIN}`],
    ],
    [
      { call: "getcwd" },
      ["/", "/Users", "/Users/me", WORK].map((path) => `file-read-metadata ${path} DIRECTORY`),
    ],
  ] satisfies (readonly [Syscall, readonly string[]])[])("by %o", (call, expected) => {
    expect(lines(call)).toEqual(expected);
  });
});

describe("names", () => {
  test("a new folder and a new link ask about making what they are", () => {
    expect(lines({ call: "mkdir", path: "new/" })).toEqual([`file-write-create ${NEW} DIRECTORY`]);
    expect(lines({ call: "symlink", target: "/p/secret", path: "new" })).toEqual([
      `file-write-create ${NEW} SYMLINK`,
    ]);
  });

  test("a link that is removed is asked about itself", () => {
    expect(lines({ call: "unlink", path: "link" })).toEqual([`file-write-unlink ${WORK}/link SYMLINK`]);
  });

  test("a folder that is removed is unlinked", () => {
    const world = macWith([{ path: "/Users/me/work/empty", kind: "folder" }]);
    expect(lines({ call: "rmdir", path: "empty" }, LIKELY, world)).toEqual([
      `file-write-unlink ${WORK}/empty DIRECTORY`,
    ]);
  });

  test("a folder's rename asks about the folder alone", () => {
    expect(lines({ call: "rename", from: "src", to: "new" })).toEqual([
      `file-write-unlink ${SRC}`,
      `file-write-create ${NEW} DIRECTORY`,
    ]);
  });

  test("a rename over a file asks about what is replaced, unless the kernel is thought not to", () => {
    const call = { call: "rename", from: "run.sh", to: ".ENV" } as const;
    expect(lines(call)).toEqual([
      `file-write-unlink ${WORK}/run.sh REGULAR-FILE`,
      `file-write-create ${WORK}/.env REGULAR-FILE`,
      `file-write-unlink ${WORK}/.env REGULAR-FILE`,
    ]);
    expect(lines(call, LAX)).toEqual([
      `file-write-unlink ${WORK}/run.sh REGULAR-FILE`,
      `file-write-create ${WORK}/.ENV REGULAR-FILE`,
    ]);
  });

  test("an exchange asks as two renames, or as one", () => {
    const call = { call: "swap", from: "src", to: ".env" } as const;
    const there = [`file-write-unlink ${SRC}`, `file-write-create ${WORK}/.env DIRECTORY`];
    const back = [
      `file-write-unlink ${WORK}/.env REGULAR-FILE`,
      `file-write-create ${WORK}/src REGULAR-FILE`,
    ];
    expect(lines(call)).toEqual([...there, ...back]);
    expect(lines(call, LAX)).toEqual(there);
  });

  test("a hard link asks about the file, the new name or both", () => {
    const call = { call: "link", from: "link/main.c", to: "new" } as const;
    const [way, source, made] = [
      `file-read-metadata ${WORK}/link SYMLINK`,
      `file-link ${MAIN}`,
      `file-write-create ${NEW} REGULAR-FILE`,
    ];
    expect(lines(call)).toEqual([way, source, made]);
    expect(lines(call, { ...LIKELY, linkChecks: "source-only" })).toEqual([way, source]);
    expect(lines(call, { ...LIKELY, linkChecks: "destination-only" })).toEqual([way, made]);
  });

  test.each([
    ["clone-and-data", ["file-clone", "file-read-data"]],
    ["data", ["file-read-data"]],
    ["clone", ["file-clone"]],
    ["nothing", []],
  ] satisfies (readonly [Kernel["cloneChecks"], readonly string[]])[])(
    "a clone whose source is checked by %s asks about it and the new name",
    (cloneChecks, operations) => {
      const call = { call: "clonefile", from: "src/main.c", to: "new" } as const;
      expect(lines(call, { ...LIKELY, cloneChecks })).toEqual([
        ...operations.map((operation) => `${operation} ${MAIN}`),
        `file-write-create ${NEW} REGULAR-FILE`,
      ]);
    },
  );

  test("a folder's clone asks about the folder alone, where there is such a thing", () => {
    const call = { call: "clonefile", from: "src", to: "new" } as const;
    expect(asked(call)).toBe("ENOTSUP");
    expect(lines(call, LAX)).toEqual([`file-write-create ${NEW} DIRECTORY`]);
  });
});

describe("attributes", () => {
  test.each([
    [{ call: "chmod", path: "src/main.c", mode: 0o600 }, ["file-write-mode"]],
    [{ call: "chmod", path: "src/main.c", mode: 0o4755 }, ["file-write-setugid", "file-write-mode"]],
    [{ call: "chmod", path: "src/main.c", mode: 0o2755 }, ["file-write-setugid", "file-write-mode"]],
    [{ call: "chown", path: "src/main.c", owner: 501 }, ["file-write-owner"]],
    [{ call: "utimes", path: "src/main.c", mtime: 7 }, ["file-write-times"]],
    [{ call: "setxattr", path: "src/main.c", name: "a", value: "b" }, ["file-write-xattr"]],
    [{ call: "truncate", path: "src/main.c", length: 0 }, ["file-write-data"]],
  ] satisfies (readonly [Syscall, readonly string[]])[])("by %o", (call, operations) => {
    expect(lines(call)).toEqual(operations.map((operation) => `${operation} ${MAIN}`));
  });

  test("set-uid bits may be asked about by their own operation alone", () => {
    expect(lines({ call: "chmod", path: "src/main.c", mode: 0o4755 }, LAX)).toEqual([
      `file-write-setugid ${MAIN}`,
    ]);
  });
});

describe("running", () => {
  const image = (path: string) =>
    ["process-exec", "file-read-data", "file-map-executable"].map(
      (operation) => `${operation} ${path} REGULAR-FILE`,
    );

  test("a program asks about it where it really is", () => {
    expect(lines({ call: "exec", path: "/BIN/sh" })).toEqual(image("/bin/sh"));
    expect(lines({ call: "exec", path: "/bin/sh" }, LAX)).toEqual(["process-exec /bin/sh REGULAR-FILE"]);
  });

  test("a script asks about its interpreter, too", () => {
    expect(lines({ call: "exec", path: "run.sh" })).toEqual([
      ...image(`${WORK}/run.sh`),
      ...image("/bin/sh"),
    ]);
  });

  test("what no one may run fails before anything is asked", () => {
    expect(asked({ call: "exec", path: "/usr/bin/sudo" })).toBe("EPERM");
    expect(asked({ call: "exec", path: "src/main.c" })).toBe("EACCES");
    expect(asked({ call: "exec", path: "again" })).toBe("ENOEXEC");
    expect(asked({ call: "exec", path: "src" })).toBe("EACCES");
  });

  test("a library asks about its bytes and about mapping them", () => {
    expect(lines({ call: "dlopen", path: "src/main.c" })).toEqual([
      `file-read-data ${MAIN}`,
      `file-map-executable ${MAIN}`,
    ]);
  });

  test("signals, services and kernel variables are asked about by whom or what they are for", () => {
    expect(asked({ call: "kill", process: "self" })).toEqual([{ operation: "signal", target: "self" }]);
    expect(asked({ call: "kill", process: "child" })).toEqual([
      { operation: "signal", target: "same-sandbox" },
    ]);
    expect(asked({ call: "kill", process: "other" })).toEqual([{ operation: "signal", target: "others" }]);
    expect(asked({ call: "mach-lookup", name: "com.apple.logd" })).toEqual([
      { operation: "mach-lookup", name: "com.apple.logd" },
    ]);
    expect(asked({ call: "sysctl-read", name: "hw.ncpu" })).toEqual([
      { operation: "sysctl-read", name: "hw.ncpu" },
    ]);
  });
});
