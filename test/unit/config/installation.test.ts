import { linkSync, mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { executedOn } from "../../../src/call/appeared/parts.ts";
import { installationLayer } from "../../../src/config/installation.ts";
import { installationFindings, installationWords } from "../../../src/config/installation-words.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { whySystemFolder } from "../../../src/config/system-folders.ts";
import type { Host } from "../../../src/host/look/host.ts";
import { accessTo } from "../../../src/profile/access-to.ts";
import { isWithin } from "../../../src/profile/compare.ts";
import { intersect } from "../../../src/profile/intersect.ts";
import { type AbsolutePath, absolutePath, joinPath, parentOf } from "../../../src/profile/path.ts";
import { normalProfile } from "../../../src/profile/profile.ts";
import type { Root } from "../../../src/tool/facts.ts";
import { NOT_INSTALLED } from "../../support/not-installed.ts";
import { type Machine, machine, PLAIN, refusalOf } from "./machine.ts";

const WRITABLE = "mode: rw, write_approval: false";

/** A machine on which these parts of the product lie, named from its folder. */
function installed(
  parts: readonly string[],
  files: Readonly<Record<string, string>> = {},
  places = parts,
): Machine {
  const m = machine(files);
  const found = {
    ...NOT_INSTALLED,
    project: m.project,
    places: places.map(m.at),
    parts: parts.map((path) => ({ path: m.at(path), what: "cofferdam's own code" })),
  };
  return { ...m, host: { ...m.host, installation: () => found } };
}

function config(m: Machine, root: string, mode = WRITABLE): string {
  m.write({ "home/ann/own.yaml": `${PLAIN}  paths: { work: { root: ${root}, ${mode} } }\n` });
  return m.at("home/ann/own.yaml");
}

const rootAt = (path: AbsolutePath, mode: Root["mode"] = "rw"): Root => {
  return { name: "work", path, mode, suffixes: "any", writeApproval: false, readApproval: false, at: null };
};

describe("own: the product's own code in a root", () => {
  const parts = [
    "home/ann/project/node_modules",
    "home/ann/project/sub/node_modules",
    "home/ann/project/bin/node",
  ];
  const files = { "home/ann/project/node_modules/zod/index.js": "", "home/ann/project/bin/node": "" };

  test("can only be read, and what is missing of it can't be made; caches of build tools can be written", () => {
    const m = installed(parts, { ...files, "home/ann/project/node_modules/.cache/x": "" });
    const { ceiling } = loadConfig(m.host, { config: config(m, m.project) });
    const access = (path: string) => accessTo(ceiling.profile, joinPath(m.project, path));
    expect(ceiling.labels).toEqual(["protected", "installation"]);
    for (const path of ["node_modules", "node_modules/zod/index.js", "node_modules/hono", "bin/node"])
      expect([path, access(path)]).toEqual([path, "read"]);
    expect(access("sub/node_modules")).toBe("read");
    for (const path of ["src", "bin/other", "node_modules/.cache/x", "package.json"])
      expect([path, access(path)]).toEqual([path, "write"]);
  });

  test.each([
    [".cache", "eslint", ".vite"],
    [".vite", "vite", ".cache"],
    [".vite-temp", ".pnpm/node_modules/vite", ".cache"],
  ])("a missing cache, as %s, can be made where %s is installed, which makes it", (cache, maker, other) => {
    const m = installed(parts, { ...files, [`home/ann/project/node_modules/${maker}/package.json`]: "{}" });
    const { ceiling } = loadConfig(m.host, { config: config(m, m.project) });
    const access = (name: string) => accessTo(ceiling.profile, joinPath(m.project, `node_modules/${name}`));
    expect([access(cache), access(other)]).toEqual(["write", "read"]);
  });

  test.each([
    ["itself", "node_modules/.cache", ".vite"],
    ["deep", "node_modules/.cache/t/node_modules/yaml", ".vite"],
    ["missing", "node_modules/.vite/hook.cjs", ".cache"],
  ])("a cache in which something of it lies can't be written, another can: %s", (_, place, other) => {
    const caches = {
      "home/ann/project/node_modules/.cache/x": "",
      "home/ann/project/node_modules/.vite/x": "",
    };
    const m = installed(parts, { ...files, ...caches }, [...parts, `home/ann/project/${place}`]);
    const { ceiling } = loadConfig(m.host, { config: config(m, m.project) });
    const access = (path: string) => accessTo(ceiling.profile, joinPath(m.project, path));
    expect([access(place), access(`node_modules/${other}/x`)]).toEqual(["read", "write"]);
    const before = installed(parts, { ...files, ...caches });
    const { profile } = loadConfig(before.host, { config: config(before, before.project) }).ceiling;
    expect(accessTo(profile, joinPath(before.project, place))).toBe("write");
  });

  test("a cache that is a link is none", () => {
    const m = installed(parts, files);
    symlinkSync("zod", joinPath(m.project, "node_modules/.cache"));
    const { ceiling } = loadConfig(m.host, { config: config(m, m.project) });
    expect(accessTo(ceiling.profile, joinPath(m.project, "node_modules/.cache"))).toBe("read");
  });

  test("tells for each part what it is, and the way out that works for it", () => {
    const m = machine();
    const part = {
      path: joinPath(m.project, "lib"),
      what: "the libraries that Node loads",
      wayOut: "use another",
    };
    const ours = { path: joinPath(m.project, "dist"), what: "cofferdam's own code" };
    const { reasons, remedies } =
      installationLayer({ ...NOT_INSTALLED, parts: [part, ours] }, [rootAt(m.project)]) ?? {};
    expect(reasons?.get(`mask ${part.path}`)).toBe(
      `\`${part.path}\` is read-only: tools must not change the libraries that Node loads`,
    );
    expect([part, ours].map(({ path }) => remedies?.get(`mask ${path}`))).toEqual([
      "do it outside the sandbox, or use another",
      "do it outside the sandbox, or install cofferdam elsewhere: `npm install --global cofferdam`, and `npm uninstall cofferdam` here",
    ]);
  });

  test("adds no layer where no part of it lies in a writable root", () => {
    const m = installed(parts, files);
    mkdirSync(joinPath(m.project, "notes"));
    for (const [root, mode] of [
      [joinPath(m.project, "notes"), WRITABLE],
      [m.project, "mode: ro"],
    ] as const)
      expect(loadConfig(m.host, { config: config(m, root, mode) }).ceiling.labels).toEqual(["protected"]);
  });

  test.each([
    ["node_modules", "node_modules"],
    ["node_modules/zod", "node_modules"],
  ])("a writable root that is a part of it, or lies in one, is refused: %s", (root, part) => {
    const m = installed(parts, files);
    const path = joinPath(m.project, root);
    expect(refusalOf(() => loadConfig(m.host, { config: config(m, path) }), m.folder)).toMatchObject({
      exit: 65,
      code: "ROOT_REFUSED",
      message: `tools may not write in \`~/home/ann/project/${root}\`: it contains cofferdam's own code (it is in \`~/home/ann/project/${part}\`)`,
      at: expect.stringContaining("own.yaml:4:"),
    });
    expect(loadConfig(m.host, { config: config(m, path, "mode: ro") }).config.roots).toHaveLength(1);
  });

  test.each([
    ["a cache", "node_modules/.cache/x/package.json", "ROOT_REFUSED"],
    ["what may only be read", "node_modules/zod/x/package.json", null],
  ])(
    "a writable root is refused where a file that is loaded has another name in %s of it",
    (_where, name, code) => {
      const manifest = "home/ann/project/node_modules/zod/package.json";
      const m = installed(parts, { ...files, [manifest]: "{}" });
      const loaded = [{ path: parentOf(m.at(manifest)), entries: [m.at(manifest)] }];
      const host = { ...m.host, installation: () => ({ ...m.host.installation(), loaded }) };
      const load = () => loadConfig(host, { config: config(m, m.project) });
      expect(load().config.roots).toHaveLength(1);
      mkdirSync(parentOf(joinPath(m.project, name)), { recursive: true });
      linkSync(m.at(manifest), joinPath(m.project, name));
      if (code === null) expect(load().config.roots).toHaveLength(1);
      else expect(refusalOf(load)).toMatchObject({ code, message: expect.stringContaining(name) });
    },
  );

  test("a root right above a link that leads to it is refused: to hold that would make all of the root read-only", () => {
    const m = installed(["home/ann/project/link"], { "home/ann/project/sub/link/a": "" });
    symlinkSync("sub", joinPath(m.project, "link"));
    expect(refusalOf(() => loadConfig(m.host, { config: config(m, m.project) })).code).toBe("ROOT_REFUSED");
    expect(loadConfig(m.host, { config: config(m, joinPath(m.project, "sub")) }).config.roots).toHaveLength(
      1,
    );
  });

  test("law: its layer gives nothing that the profile did not give, whatever the parts and the root", () => {
    const name = fc.constantFrom("a", "b", "node_modules", ".cache", ".vite");
    const path = fc
      .array(name, { minLength: 1, maxLength: 4 })
      .map((names) => absolutePath(`/nonexistent/${names.join("/")}`));
    fc.assert(
      fc.property(fc.array(path, { maxLength: 4 }), path, (found, root) => {
        const held = found.map((one) => ({ path: one, what: "x" }));
        const layer = installationLayer({ ...NOT_INSTALLED, parts: held, places: found }, [rootAt(root)]);
        if (layer === null) return;
        const given = normalProfile({ files: [{ path: root, access: "write", suffixes: "any" }] });
        const left = intersect(given, layer.profile);
        expect(isWithin(left, given)).toBe(true);
        for (const part of found)
          if (part !== root && part.startsWith(`${root}/`)) expect(accessTo(left, part)).not.toBe("write");
      }),
    );
  });

  test("is told with what lies in which root; an agent's own code and folders of PATH in a root are warned of", () => {
    const m = installed(parts, files);
    const host = { ...m.host, env: { PATH: `${m.project}/bin:/usr/bin` } };
    const roots = [rootAt(m.project)];
    expect(installationWords(host, roots)[0]).toBe(
      `${m.project}/node_modules, in the root \`work\`: read-only for tools`,
    );
    expect(installationFindings(host, roots).map(({ message }) => message.replaceAll(m.folder, "~"))).toEqual(
      [
        "your agent can change its own code: programs in the writable root `work` use the cofferdam installed in `~/home/ann/project`",
        "PATH has `~/home/ann/project/bin`, which is in the root `work`: tools can put programs there that you start by name",
      ],
    );
    expect(installationFindings(host, [rootAt(m.project, "ro")])).toEqual([]);
    expect(installationWords(host, [rootAt(m.project, "ro")])).toEqual([
      "installed outside the writable roots",
    ]);
  });
});

describe("own: the folder for temporary files in a root", () => {
  test.each<[what: string, env: Readonly<Record<string, string>>, warned: number]>([
    ["named", { TMPDIR: "PROJECT/tmp" }, 1],
    ["relative", { TMPDIR: "tmp" }, 1],
    ["behind a link", { TMP: "LINK/tmp" }, 1],
    ["elsewhere", { TMPDIR: "/var/tmp", TMP: "PROJECT/tmp" }, 0],
    ["not named", {}, 0],
  ])("is warned of: %s", (_, env, warned) => {
    const m = machine();
    symlinkSync("project", m.at("home/ann/link"));
    const place = (text: string) => text.replace("PROJECT", m.project).replace("LINK", m.at("home/ann/link"));
    const host = {
      ...m.host,
      env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, place(text)])),
    };
    expect(installationFindings(host, [rootAt(m.project)]).map(({ message }) => message)).toEqual(
      Array.from({ length: warned }, () =>
        expect.stringContaining(`the folder for temporary files, \`${m.project}/tmp\``),
      ),
    );
    expect(installationFindings(host, [rootAt(m.project, "ro")])).toEqual([]);
  });
});

describe("own: folders of PATH in a root", () => {
  const folders = ["bin", "./bin", "PROJECT//bin/", "PROJECT/sub/../bin", "LINK/bin"];

  test.each(folders)(
    "are warned of however they are written, and a command of ours there is one of ours: %s",
    (written) => {
      const m = machine({ "home/ann/project/sub/a": "" });
      symlinkSync("project", m.at("home/ann/link"));
      const folder = written.replace("PROJECT", m.project).replace("LINK", m.at("home/ann/link"));
      const host = { ...m.host, env: { PATH: `/usr/bin:${folder}` } };
      expect(installationFindings(host, [rootAt(m.project)]).map(({ message }) => message)).toEqual([
        `PATH has \`${m.project}/bin\`, which is in the root \`work\`: tools can put programs there that you start by name`,
      ]);
      expect(installationFindings(host, [rootAt(m.at("home/ann/other"))])).toEqual([]);
      const by = executedOn(host, loadConfig(host, { config: config(m, m.project) }));
      expect(by(joinPath(m.project, "bin/node"))?.by).toBe("cofferdam");
      expect(by(joinPath(m.project, "other/node"))).toBeNull();
    },
  );

  test("an empty entry is the current folder", () => {
    const m = machine();
    const host = { ...m.host, env: { PATH: "/usr/bin:" } };
    expect(installationFindings(host, [rootAt(m.project)])).toHaveLength(1);
    expect(installationFindings({ ...host, cwd: m.home }, [rootAt(m.project)])).toEqual([]);
  });
});

describe("own: folders of the system as roots", () => {
  const why = (path: string, host: Partial<Host> = {}): string | null =>
    whySystemFolder({ ...machine().host, ...host }, absolutePath(path));

  test.each([
    ...[
      "/etc",
      "/usr",
      "/var",
      "/boot",
      "/lib",
      "/lib64",
      "/bin",
      "/sbin",
      "/nix",
      "/opt",
      "/home",
      "/run/user",
    ],
    ...[
      "/etc/cron.d",
      "/usr/local/bin",
      "/usr/lib/x",
      "/var/lib/dpkg",
      "/var/www",
      "/boot/grub",
      "/run/user/1000",
    ],
    ...["/run/docker", "/run/containerd", "/run", "/home/linuxbrew/.linuxbrew"],
    ...["/run/systemd", "/run/udev/rules.d", "/run/media", "/run/work"],
    ...["/run/user/1000/systemd", "/run/user/1000/dbus-1/services"],
  ])("%s may not be written", (path) => {
    const sockets = { env: { DOCKER_HOST: "unix:///run/docker/x.sock" } };
    expect(why(path, sockets)).not.toBeNull();
  });

  test.each([
    "/opt/work",
    "/home/ann/work",
    "/srv/work",
    "/var/tmp/work",
    "/run/user/1000/work",
    "/run/user/1000/systemd-of-mine",
    "/run/media/ann/disk",
    "/data",
    "/lib-of-mine",
  ])("%s may", (path) => expect(why(path)).toBeNull());

  test("below the home of a service that lies in one they may, and not in the home itself, nor beside it", () => {
    const user = { ...machine().host.user, home: absolutePath("/var/lib/ci") };
    expect(why("/var/lib/ci/work", { user })).toBeNull();
    for (const path of ["/var/lib/ci", "/var/lib", "/var/lib/other"])
      expect(why(path, { user })).not.toBeNull();
    expect(why("/usr/bin", { user: { ...user, home: absolutePath("/usr") } })).not.toBeNull();
  });

  test("a folder from which programs load libraries may not, nor one around it", () => {
    const host = { installation: () => ({ ...NOT_INSTALLED, libraryFolders: [absolutePath("/data/lib")] }) };
    expect(
      ["/data", "/data/lib", "/data/lib/x", "/data/other"].map((path) => why(path, host) === null),
    ).toEqual([false, false, false, true]);
  });

  test("a folder to which links on the way to a container engine's socket lead may not, nor one that holds such a link", () => {
    const m = machine({ "s/a": "", "links/a": "", "other/a": "", "home/ann/project/near/a": "" });
    symlinkSync("../s", m.at("links/l"));
    symlinkSync("../nowhere/docker.sock", m.at("links/missing"));
    const why = (folder: string, DOCKER_HOST: string) =>
      whySystemFolder({ ...m.host, env: { DOCKER_HOST } }, m.at(folder));
    const engine = "where a container engine would listen";
    for (const address of [
      `unix://${m.at("links/l/docker.sock")}`,
      `unix:${m.folder}/links/l/../s/docker.sock`,
    ]) {
      expect(why("s", address)).toMatch(engine);
      expect(why("links", address)).toMatch(engine);
      expect(why("other", address)).toBeNull();
    }
    expect(why("nowhere", `unix://${m.at("links/missing")}`)).toMatch(engine);
    expect(why("home/ann/project/near", "unix://near/docker.sock")).toMatch(engine);
    expect(why("home/ann/project/near", "tcp://near/docker.sock")).toBeNull();
  });

  test("a folder that holds a container engine's socket that is open now may not", async () => {
    const m = machine({ "engine/a": "", "other/a": "" });
    const server = createServer();
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
    await new Promise<void>((resolve) => server.listen(m.at("engine/docker.sock"), resolve));
    expect(whySystemFolder(m.host, m.at("engine"))).toMatch("the socket of a container engine");
    expect(whySystemFolder(m.host, m.at("other"))).toBeNull();
  });

  test("a read-only root is fine, and a writable one where a file in an operators' folder allows exactly that path", () => {
    const m = machine();
    const refusal = refusalOf(() => loadConfig(m.host, { config: config(m, "/usr/share") }), m.folder);
    expect(refusal).toMatchObject({
      code: "ROOT_REFUSED",
      message: "tools may not write in `/usr/share`: it is in the system folder /usr",
      hint: expect.stringContaining(
        'list `{ path: "/usr/share", access: write }` under `files` of a profile in ~/etc/profiles.d, with the other paths',
      ),
      at: expect.stringContaining("own.yaml:4:"),
    });
    expect(loadConfig(m.host, { config: config(m, "/usr/share", "mode: ro") }).config.roots).toHaveLength(1);
    const profile = (path: string): string => `profile: ops\nfiles: [{ path: ${path}, access: write }]\n`;
    const load = () => loadConfig(m.host, { config: config(m, "/usr/share") }).config.roots.length;
    m.write({ "etc/profiles.d/ops.yaml": profile("/usr") });
    expect(refusalOf(load).code).toBe("ROOT_REFUSED");
    m.write({ "etc/profiles.d/ops.yaml": profile("/usr/share") });
    expect(load()).toBe(1);
  });

  test("a profile that the config or the command line names allows none", () => {
    const m = machine({
      "home/ann/wide.yaml": "profile: wide\nfiles: [{ path: /usr/share, access: write }]\n",
    });
    const by = (profiles: readonly string[]) => () =>
      loadConfig(m.host, { config: config(m, "/usr/share"), profiles });
    expect(refusalOf(by([m.at("home/ann/wide.yaml")])).code).toBe("ROOT_REFUSED");
  });
});
