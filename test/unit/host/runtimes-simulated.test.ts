import { describe, expect, test } from "vitest";
import { simulatedMac } from "../../../src/host/look/mac/simulated.ts";
import { settle } from "../../../src/host/look/runtimes/grant.ts";
import { findLanguage } from "../../../src/host/look/runtimes/installed.ts";
import { LANGUAGES } from "../../../src/host/look/runtimes/language.ts";
import { programsOnPath } from "../../../src/host/look/runtimes/program.ts";
import { simulatedRuntimes, simulatedSystem } from "../../../src/host/look/runtimes/simulated.ts";
import { siteOutside } from "../../../src/host/look/runtimes/site.ts";
import { systemRuntime } from "../../../src/host/look/runtimes/system.ts";
import { findRuntimes } from "../../../src/host/look/runtimes.ts";
import { absolutePath, joinPath } from "../../../src/profile/path.ts";
import type { Runtime } from "../../../src/tool/facts.ts";
import { node, python } from "./runtimes-layouts.ts";
import { FOLDER, freshTrees, PROGRAM } from "./runtimes-tree.ts";

const tree = freshTrees();

/** A runtime by what it shows and where its programs are, below the tree's top. */
function told({ read, links, path }: Pick<Runtime, "read" | "links" | "path">): unknown {
  const within = (text: string): string => text.replace(tree().top, "");
  return {
    read: read.map(within),
    links: links.map((link) => `${within(link.path)} → ${link.target}`),
    path: path.map(within),
  };
}

const mac = () => ({
  ...simulatedMac({ name: "me", home: tree().home }),
  home: tree().home,
  brew: tree().at("opt/homebrew"),
});

describe("a simulated Mac has the runtimes that are found on a real one", () => {
  const BREW = "opt/homebrew";
  const FRAMEWORK = `${BREW}/Cellar/python@3.13/3.13.3/Frameworks/Python.framework/Versions/3.13`;
  const brewed = () => {
    tree().add(node(`${BREW}/Cellar/node/24.1.0`));
    tree().add(python(FRAMEWORK, "3.13"));
    tree().add({
      [`${BREW}/bin/node`]: { link: "../Cellar/node/24.1.0/bin/node" },
      [`${BREW}/bin/python3`]: { link: "../Cellar/python@3.13/3.13.3/bin/python3" },
      [`${BREW}/Cellar/python@3.13/3.13.3/bin/python3`]: {
        link: "../Frameworks/Python.framework/Versions/3.13/bin/python3",
      },
      [`${FRAMEWORK}/Resources/Python.app/Contents/MacOS/Python`]: PROGRAM,
      [`${BREW}/bin/git`]: { link: "../Cellar/git/2.49.0/bin/git" },
      [`${BREW}/Cellar/git/2.49.0/bin/git`]: PROGRAM,
      [`${BREW}/Cellar/git/2.49.0/libexec/git-core/git-add`]: PROGRAM,
      [`${BREW}/bin/go`]: { link: "../Cellar/go/1.24.3/bin/go" },
      [`${BREW}/Cellar/go/1.24.3/bin/go`]: { link: "../libexec/bin/go" },
      [`${BREW}/Cellar/go/1.24.3/libexec/bin/go`]: PROGRAM,
      [`${BREW}/Cellar/go/1.24.3/libexec/VERSION`]: "go1.24.3",
      [`${BREW}/Cellar/go/1.24.3/libexec/src/fmt/print.go`]: "",
      [`${BREW}/Cellar/go/1.24.3/libexec/pkg/tool`]: FOLDER,
      [`${BREW}/opt/node`]: { link: "../Cellar/node/24.1.0" },
      [`${BREW}/lib/node_modules/npm/package.json`]: "",
      [`${BREW}/etc/ca-certificates/cert.pem`]: "",
      [`${BREW}/etc/openssl@3/cert.pem`]: { link: "../ca-certificates/cert.pem" },
      [`${BREW}/etc/openssl@3/certs`]: FOLDER,
      [`${BREW}/etc/openssl@3/openssl.cnf`]: "",
      [`${BREW}/etc/openssl@3/private/own.key`]: "",
      [`${BREW}/etc/gitconfig`]: "",
      [`${BREW}/etc/my.cnf`]: "",
      "home/me/.cargo/bin/rustc": { link: "rustup" },
      "home/me/.cargo/bin/rustup": PROGRAM,
      "home/me/.rustup/settings.toml": 'default_toolchain = "stable-aarch64-apple-darwin"',
      "home/me/.rustup/toolchains/stable-aarch64-apple-darwin/bin/rustc": PROGRAM,
      "home/me/.rustup/toolchains/stable-aarch64-apple-darwin/lib/rustlib/components": "",
    });
  };

  test.each(["node", "python", "git", "go", "rust"])("%s, of Homebrew or rustup", (name) => {
    brewed();
    const host = { ...tree().host({}, [`${BREW}/bin`, "home/me/.cargo/bin"]), platform: "darwin" as const };
    const site = siteOutside(host, []);
    const language = LANGUAGES.find((one) => one.name === name) ?? expect.unreachable();
    const found = findLanguage(site, simulatedSystem(), language, programsOnPath(site, language.program));
    expect(found.kind === "missing" ? found.message : settle([found.runtime], null).map(told)).toEqual(
      simulatedRuntimes(site, mac(), [name]).map(told),
    );
  });

  test("the system's own programs, and what they need to start", () => {
    tree().add({
      ...Object.fromEntries(
        [
          "usr/bin/true",
          "usr/sbin/x",
          "usr/lib/dyld",
          "usr/libexec/x",
          "usr/share/x",
          "bin/sh",
          "sbin/x",
        ].map((name) => [name, PROGRAM]),
      ),
      "usr/local/bin/own": PROGRAM,
      "System/Library/x": "",
      "System/Cryptexes/OS": { link: "../Volumes/Preboot/Cryptexes/OS" },
      "System/Volumes/Preboot/Cryptexes/OS/System/Library/dyld/cache": "",
      "Library/Apple/x": "",
      "Library/Frameworks/x": "",
      "Library/Developer/CommandLineTools/usr/bin/git": PROGRAM,
      "Library/Preferences/.GlobalPreferences.plist": "",
      "Library/Preferences/com.apple.networkd.plist": "",
      "Library/Preferences/Logging/x": "",
      "private/var/db/dyld/x": "",
      "private/var/db/timezone/zoneinfo/UTC": "",
      "private/var/db/xcode_select_link": { link: "~~/Library/Developer/CommandLineTools" },
      "private/var/select/sh": { link: "/bin/bash" },
      "private/var/run/resolv.conf": "",
      "private/etc/resolv.conf": { link: "../var/run/resolv.conf" },
      "private/etc/localtime": { link: "~~/var/db/timezone/zoneinfo/UTC" },
      ...Object.fromEntries(
        [
          "hosts",
          "passwd",
          "protocols",
          "services",
          "shells",
          "ssl/cert.pem",
          "ssl/openssl.cnf",
          "ssl/certs/x",
          "master.passwd",
          "sudoers",
          "zshrc",
        ].map((name) => [`private/etc/${name}`, ""]),
      ),
      etc: { link: "private/etc" },
      var: { link: "private/var" },
    });
    const found = systemRuntime({ platform: "darwin", hidden: [] }, tree().top);
    const untold = found.links.map((link) => ({ ...link, target: link.target.replace(tree().top, "") }));
    const [simulated] = simulatedRuntimes(siteOutside(tree().host({}, []), []), mac(), ["system"]);
    expect(told({ ...found, links: untold })).toEqual(told(simulated ?? expect.unreachable()));
  });
});

test("what is not granted of Homebrew's settings is what is somebody's own", () => {
  const brew = tree().at("opt/homebrew");
  const [node] = simulatedRuntimes(siteOutside(tree().host({}, []), []), mac(), ["node"]);
  expect(node?.read.filter((path) => path.startsWith(joinPath(brew, "etc")))).toEqual(
    ["etc/ca-certificates", "etc/openssl@3/certs", "etc/openssl@3/openssl.cnf"].map((name) =>
      joinPath(brew, name),
    ),
  );
});

describe("on a simulated Mac", () => {
  const simulated = () => ({ ...tree().host({}, []), simulated: mac() });

  test("folders that are listed by hand are looked up here; all else is there, whatever this machine has", () => {
    tree().add({ "srv/tool/bin/x": PROGRAM });
    const found = findRuntimes(
      simulated(),
      ["system", "node", { name: "tool", read: [tree().at("srv/tool")] }],
      [],
    );
    expect(found.map(({ name }) => name)).toEqual(["node", "tool", "system"]);
    expect(found.find(({ name }) => name === "tool")).toMatchObject({
      read: [tree().at("srv/tool")],
      path: [tree().at("srv/tool/bin")],
    });
    const missing = { name: "tool", read: [absolutePath("/no/such/folder")] };
    expect(() => findRuntimes(simulated(), [missing], [])).toThrow(/is not a folder on this machine/);
  });

  test("a runtime brings its groups along", () => {
    const groups = findRuntimes(simulated(), ["python", "node"], []).map(({ name, macos }) => [name, macos]);
    expect(groups).toEqual([
      ["python", ["python"]],
      ["node", []],
    ]);
  });
});

test("on macOS git does not read what it was installed with: it is there, can't be opened, and would end it", () => {
  const env = (platform: "darwin" | "linux"): unknown => {
    tree().add({ "usr/bin/git": PROGRAM, "usr/libexec/git-core/git": PROGRAM });
    const [git] = findRuntimes({ ...tree().host({}, ["usr/bin"]), platform }, ["git"], []);
    return git?.env;
  };
  expect([env("darwin"), env("linux")]).toEqual([{ GIT_CONFIG_NOSYSTEM: "1" }, {}]);
});
