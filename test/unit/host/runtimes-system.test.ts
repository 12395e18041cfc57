import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { systemRuntime } from "../../../src/host/look/runtimes/system.ts";
import { FOLDER, freshTrees, PROGRAM, type Tree } from "./runtimes-tree.ts";

const tree = freshTrees();

/** What `system` is on the tree, told by names below its top. */
function systemOf(machine: Tree, platform: "linux" | "darwin" = "linux"): Record<string, unknown> {
  const { read, links, path } = systemRuntime({ platform, hidden: [] }, machine.top);
  const within = (text: string): string => text.replace(`${machine.top}/`, "");
  return {
    read: read.map(within),
    links: links.map((link) => `${within(link.path)} → ${within(link.target)}`),
    path: path.map(within),
  };
}

const MERGED = {
  "usr/bin/sh": PROGRAM,
  "usr/lib/libc.so": "",
  "usr/sbin": FOLDER,
  "usr/local/bin": FOLDER,
  "usr/local/sbin": FOLDER,
  bin: { link: "usr/bin" },
  sbin: { link: "usr/sbin" },
  lib: { link: "usr/lib" },
} as const;

describe("folders of programs", () => {
  test("where all of it lies in /usr, the old names are links and PATH names each folder once, sbin last", () => {
    tree().add(MERGED);
    expect(systemOf(tree())).toEqual({
      read: ["usr"],
      links: ["bin → usr/bin", "lib → usr/lib", "sbin → usr/sbin"],
      path: ["usr/local/bin", "usr/bin", "usr/local/sbin", "usr/sbin"],
    });
  });

  test("where /bin and /lib are folders of their own, they are granted", () => {
    tree().add({
      "usr/bin": FOLDER,
      "bin/sh": PROGRAM,
      "lib/libc.so": "",
      lib64: { link: "lib" },
      "opt/tool/bin": FOLDER,
    });
    expect(systemOf(tree())).toEqual({
      read: ["bin", "lib", "usr"],
      links: ["lib64 → lib"],
      path: ["usr/bin", "bin"],
    });
  });

  test("a link that leads to what is not granted is left out", () => {
    tree().add({ ...MERGED, "elsewhere/lib": FOLDER });
    const before = systemOf(tree());
    tree().add({ lib32: { link: "elsewhere/lib" }, libx32: { link: "nowhere" } });
    expect(systemOf(tree())).toEqual(before);
  });

  test("a /usr/local that lies elsewhere is not on PATH, because it is not seen", () => {
    tree().add({
      "usr/bin": FOLDER,
      "var/usrlocal/bin": FOLDER,
      "usr/local": { link: "../var/usrlocal" },
    });
    expect(systemOf(tree())["path"]).toEqual(["usr/bin"]);
  });

  test("on NixOS the store is granted, and the links into it are made", () => {
    tree().add({
      "nix/store/1-system/sw/bin/ls": PROGRAM,
      "nix/store/2-etc/ssl/certs/ca-bundle.crt": "",
      "nix/store/3-tzdata/UTC": "",
      "bin/sh": { link: "~~/nix/store/1-system/sw/bin/ls" },
      "usr/bin/env": { link: "~~/nix/store/1-system/sw/bin/ls" },
      "run/current-system": { link: "~~/nix/store/1-system" },
      "etc/static": { link: "~~/nix/store/2-etc" },
      "etc/zoneinfo": { link: "~~/nix/store/3-tzdata" },
      "etc/localtime": { link: "~~/etc/zoneinfo/UTC" },
      "etc/ssl/certs/ca-bundle.crt": { link: "~~/etc/static/ssl/certs/ca-bundle.crt" },
    });
    expect(systemOf(tree())).toEqual({
      read: ["bin", "etc/ssl/certs", "nix/store", "usr"],
      links: [
        "etc/localtime → etc/zoneinfo/UTC",
        "etc/static → nix/store/2-etc",
        "etc/zoneinfo → nix/store/3-tzdata",
        "run/current-system → nix/store/1-system",
      ],
      path: ["usr/bin", "bin", "run/current-system/sw/bin"],
    });
  });

  test("a real /etc/static means nothing where there is no Nix", () => {
    tree().add({ ...MERGED, "etc/static/secret": "" });
    expect(systemOf(tree())["read"]).toEqual(["usr"]);
  });

  test("on macOS /usr/local stays out and /etc is a link", () => {
    tree().add({
      "usr/bin/sh": PROGRAM,
      "usr/local/bin/own": PROGRAM,
      "System/Library/x": "",
      "private/etc/ssl/cert.pem": "",
      "private/etc/master.passwd": "",
      "private/var/db/timezone/zoneinfo/UTC": "",
      etc: { link: "private/etc" },
      "private/etc/localtime": { link: "~~/private/var/db/timezone/zoneinfo/UTC" },
    });
    expect(systemOf(tree(), "darwin")).toEqual({
      read: ["System/Library", "private/etc/ssl/cert.pem", "private/var/db/timezone", "usr/bin"],
      links: ["etc → private/etc", "private/etc/localtime → private/var/db/timezone/zoneinfo/UTC"],
      path: ["usr/bin"],
    });
  });
});

test("on macOS what its own cache of libraries lies in, settings and names in /etc are granted; on Linux none of them", () => {
  tree().add({
    "usr/bin/true": PROGRAM,
    "System/Cryptexes/OS": { link: "~~/System/Volumes/Preboot/Cryptexes/OS" },
    "System/Volumes/Preboot/Cryptexes/OS/System/Library/dyld/cache": "",
    "Library/Preferences/.GlobalPreferences.plist": "",
    "Library/Preferences/com.example.secret.plist": "",
    etc: { link: "private/etc" },
    "private/etc/hosts": "",
    "private/etc/passwd": "",
    "private/etc/master.passwd": "",
    "private/etc/resolv.conf": { link: "../var/run/resolv.conf" },
    "private/var/run/resolv.conf": "",
  });
  expect(systemOf(tree(), "darwin")["read"]).toEqual([
    "Library/Preferences/.GlobalPreferences.plist",
    "System/Cryptexes",
    "System/Volumes/Preboot/Cryptexes",
    "private/etc/hosts",
    "private/etc/passwd",
    "private/var/run/resolv.conf",
    "usr/bin",
  ]);
  expect(systemOf(tree(), "linux")["read"]).toEqual(["usr"]);
});

describe("/etc", () => {
  const PUBLIC = {
    "etc/alternatives/cc": { link: "/usr/bin/gcc" },
    "etc/fonts/fonts.conf": "",
    "etc/java-17-openjdk/jvm.cfg": "",
    "etc/ld-musl-x86_64.path": "",
    "etc/ld.so.cache": "",
    "etc/protocols": "",
    "etc/services": "",
    "etc/ssl/certs/ca-certificates.crt": "",
    "etc/ssl/openssl.cnf": "",
  } as const;
  const NAMES = Object.keys(PUBLIC);

  test("what programs need is granted by folders where there are folders", () => {
    tree().add({ ...MERGED, ...PUBLIC });
    const folders = ["etc/alternatives", "etc/fonts", "etc/java-17-openjdk", "etc/ssl/certs"];
    const files = NAMES.filter((name) => !folders.some((folder) => name.startsWith(folder)));
    expect(systemOf(tree())["read"]).toEqual([...folders, ...files, "usr"].toSorted());
  });

  test("nothing that says who or where the machine is, and nothing secret, is granted though it lies beside", () => {
    const secrets = [
      "shadow",
      "gshadow",
      "sudoers",
      "ssh/ssh_host_key",
      "machine-id",
      "hostname",
      "passwd",
      "group",
      "hosts",
    ];
    const others = [
      "resolv.conf",
      "nsswitch.conf",
      "ssl/private/key.pem",
      "pki/tls/private/key.pem",
      "npmrc",
      "pip.conf",
      "gitconfig",
    ];
    tree().add({ ...MERGED, ...PUBLIC });
    const before = systemOf(tree());
    tree().add(
      Object.fromEntries(
        [...secrets, ...others, "maven/settings.xml", "profile", "environment"].map((name) => [
          `etc/${name}`,
          "s",
        ]),
      ),
    );
    expect(systemOf(tree())).toEqual(before);
  });

  test("of what packages reach by links from /usr, what holds no credentials is granted", () => {
    tree().add({
      ...MERGED,
      "etc/ImageMagick-6/policy.xml": "",
      "etc/maven/m2.conf": "",
      "etc/maven/settings.xml": "s",
      "etc/xml/catalog": "",
      "var/lib/aspell/en.rws": "",
      "etc/OpenCL/vendors/nvidia.icd": "",
      "etc/dictionaries-common/words": { link: "/usr/share/dict/american-english" },
      "etc/groff/man.local": "",
      "etc/libreoffice/sofficerc": "",
      "etc/perl/CPAN/Config.pm": "s",
      "etc/perl/XML/SAX/ParserDetails.ini": "",
      "etc/python3.11/sitecustomize.py": "",
      "var/lib/dhcp/leases": "s",
      "var/lib/ghc/package.conf.d/base.conf": "",
    });
    expect(systemOf(tree())["read"]).toEqual([
      "etc/ImageMagick-6",
      "etc/OpenCL/vendors",
      "etc/dictionaries-common",
      "etc/libreoffice",
      "etc/perl/XML",
      "usr",
      "var/lib/aspell",
      "var/lib/ghc",
    ]);
  });

  test("of PHP the command line's extensions are granted, and not the pools of its server; and Chromium's flags are", () => {
    tree().add({
      ...MERGED,
      "etc/chromium.d/default-flags": "",
      "etc/php/8.2/cli/conf.d/20-phar.ini": { link: "/etc/php/8.2/mods-available/phar.ini" },
      "etc/php/8.2/mods-available/phar.ini": "",
      "etc/php/8.2/fpm/pool.d/www.conf": "env[PASSWORD] = s",
    });
    expect(systemOf(tree())["read"]).toEqual([
      "etc/chromium.d",
      "etc/php/8.2/cli",
      "etc/php/8.2/mods-available",
      "usr",
    ]);
  });

  test("a link becomes a link where its target is granted", () => {
    tree().add({
      ...MERGED,
      "usr/share/zoneinfo/UTC": "",
      "etc/localtime": { link: "../usr/share/zoneinfo/UTC" },
    });
    const { read, links } = systemOf(tree());
    expect(read).toEqual(["usr"]);
    expect(links).toContain("etc/localtime → ../usr/share/zoneinfo/UTC");
  });

  test("a time zone that is a file of its own is granted", () => {
    tree().add({ ...MERGED, "etc/localtime": "TZif" });
    expect(systemOf(tree())["read"]).toEqual(["etc/localtime", "usr"]);
  });

  test("a link that leads out of what is granted brings its target along", () => {
    tree().add({
      ...MERGED,
      "var/lib/ca-certificates/pem/a.pem": "",
      "etc/ssl/certs": { link: "../../var/lib/ca-certificates/pem" },
    });
    const { read, links } = systemOf(tree());
    expect(read).toEqual(["usr", "var/lib/ca-certificates/pem"]);
    expect(links).toContain("etc/ssl/certs → ../../var/lib/ca-certificates/pem");
  });

  test("two names of one folder are one grant and one link", () => {
    tree().add({
      ...MERGED,
      "etc/pki/tls/certs/ca-bundle.crt": "",
      "etc/ssl/certs": { link: "../pki/tls/certs" },
    });
    const { read, links } = systemOf(tree());
    expect(read).toEqual(["etc/pki/tls/certs", "usr"]);
    expect(links).toContain("etc/ssl/certs → ../pki/tls/certs");
  });

  test("a link that leads through a folder that is not shown is made to lead straight", () => {
    tree().add({
      ...MERGED,
      "opt/x": FOLDER,
      "usr/share/zoneinfo/UTC": "",
      "etc/localtime": { link: "../opt/x/../../usr/share/zoneinfo/UTC" },
    });
    expect(systemOf(tree())["links"]).toContain("etc/localtime → usr/share/zoneinfo/UTC");
  });

  test("links that go round in circles are nothing", () => {
    tree().add({
      ...MERGED,
      "etc/localtime": { link: "localtime" },
      "etc/services": { link: "protocols" },
      "etc/protocols": { link: "services" },
    });
    expect(systemOf(tree())["read"]).toEqual(["usr"]);
  });

  test("a key among the certificates that not every user may read narrows the folder to the rest of it", () => {
    tree().add({
      ...MERGED,
      "usr/share/ca/a.crt": "",
      "etc/ssl/certs/ca.crt": "",
      "etc/ssl/certs/java/cacerts": "",
    });
    tree().add({
      "etc/ssl/certs/a.pem": { link: "~~/usr/share/ca/a.crt" },
      "etc/ssl/certs/own.pem": { link: "../private/own.key" },
    });
    tree().add({ "etc/ssl/private/own.key": "s" });
    expect(systemOf(tree())["read"]).toEqual(["etc/ssl/certs", "usr"]);
    tree().add({ "etc/ssl/certs/own.key": "s" });
    tree().chmod("etc/ssl/certs/own.key", 0o640);
    const narrowed = systemOf(tree());
    expect(narrowed["read"]).toEqual(["etc/ssl/certs/ca.crt", "etc/ssl/certs/java", "usr"]);
    expect(narrowed["links"]).toContain("etc/ssl/certs/a.pem → usr/share/ca/a.crt");
    expect(narrowed["links"]).not.toContainEqual(expect.stringContaining("own"));
  });

  test("a file or folder that is closed to other users is closed to the sandbox", () => {
    tree().add({ ...MERGED, ...PUBLIC });
    tree().chmod("etc/ssl/openssl.cnf", 0o600);
    tree().chmod("etc/fonts", 0o700);
    const { read } = systemOf(tree());
    expect(read).not.toContainEqual(expect.stringMatching(/openssl|fonts/));
    expect(read).toContain("etc/ssl/certs");
  });

  test("a pipe is not granted, nor waited for", () => {
    tree().add({ ...MERGED, "etc/ld.so.conf.d/a.conf": "" });
    execFileSync("mkfifo", ["-m", "666", tree().at("etc/services"), tree().at("etc/ld.so.conf.d/pipe")]);
    expect(systemOf(tree())["read"]).toEqual(["etc/ld.so.conf.d/a.conf", "usr"]);
  });
});

test("a machine with nothing on it needs nothing", () => {
  expect(systemOf(tree())).toEqual({ read: [], links: [], path: [] });
});
