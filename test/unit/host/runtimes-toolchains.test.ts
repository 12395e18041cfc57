import { describe, expect, test } from "vitest";
import { finder, whole } from "./runtimes-layouts.ts";
import { type Entry, FOLDER, freshTrees, PROGRAM } from "./runtimes-tree.ts";

const tree = freshTrees();
const found = finder(tree);

describe("rust", () => {
  const stable = "home/me/.rustup/toolchains/stable-x86_64-unknown-linux-gnu";
  const toolchain = (prefix: string): Record<string, Entry> => ({
    [`${prefix}/bin/rustc`]: PROGRAM,
    [`${prefix}/bin/cargo`]: PROGRAM,
    [`${prefix}/lib/rustlib/components`]: "",
    [`${prefix}/etc/bash_completion.d/cargo`]: "",
  });
  const rustup = (): void => {
    tree().add({
      ...toolchain(stable),
      ...toolchain("home/me/.rustup/toolchains/nightly-2026-01-01-x86_64-unknown-linux-gnu"),
    });
    tree().add({
      "home/me/.cargo/bin/rustup": PROGRAM,
      "home/me/.cargo/bin/rustc": { link: "rustup" },
      "home/me/.cargo/credentials.toml": "s",
    });
    tree().add({
      "home/me/.rustup/settings.toml":
        'version = "12"\ndefault_toolchain = "stable-x86_64-unknown-linux-gnu"\n\n[overrides]\n"/w" = "x"\n',
    });
  };

  test("of rustup: the default toolchain, never the folder with the credentials", () => {
    rustup();
    expect(found("rust", ["home/me/.cargo/bin"])).toEqual(whole(stable));
  });

  test("of rustup: another toolchain by variable, by a short name where only one fits", () => {
    rustup();
    tree().add(toolchain("src/rust/stage1"));
    tree().add({ "home/me/.rustup/toolchains/mine": { link: "~~/src/rust/stage1" } });
    expect(found("rust", ["home/me/.cargo/bin"], { RUSTUP_TOOLCHAIN: "stable" })).toEqual(whole(stable));
    expect(found("rust", ["home/me/.cargo/bin"], { RUSTUP_TOOLCHAIN: "mine" })).toEqual(
      whole("src/rust/stage1"),
    );
    tree().add(toolchain("home/me/.rustup/toolchains/beta-x86_64-unknown-linux-gnu"));
    tree().add(toolchain("home/me/.rustup/toolchains/beta-x86_64-unknown-linux-musl"));
    for (const name of ["beta", "nightly", "1.80", "..", "../toolchains/mine", "/"]) {
      expect(found("rust", ["home/me/.cargo/bin"], { RUSTUP_TOOLCHAIN: name })).toContain("no file names");
    }
  });

  test("of rustup elsewhere, with hard-linked proxies", () => {
    tree().add({
      ...toolchain("srv/rustup/toolchains/1.80-x86_64-unknown-linux-gnu"),
      "srv/cargo/bin/rustc": PROGRAM,
    });
    tree().add({ "srv/rustup/settings.toml": "default_toolchain = '1.80-x86_64-unknown-linux-gnu'" });
    const env = { CARGO_HOME: `${tree().at("srv/cargo")}/`, RUSTUP_HOME: tree().at("srv/rustup") };
    expect(found("rust", ["srv/cargo/bin"], env)).toEqual(
      whole("srv/rustup/toolchains/1.80-x86_64-unknown-linux-gnu"),
    );
    expect(found("rust", ["srv/cargo/bin"])).toContain("is not in a folder that contains only one version");
  });

  test("of rustup without a default: not found", () => {
    rustup();
    tree().add({
      "home/me/.rustup/settings.toml": 'version = "12"\n[overrides]\ndefault_toolchain = "stable"\n',
    });
    expect(found("rust", ["home/me/.cargo/bin"])).toContain("no file names");
  });

  test("of the distribution: nothing more, also where its rustc is rustup's", () => {
    rustup();
    tree().add({
      "usr/bin/rustc": PROGRAM,
      "usr/lib/rustup/rustup": PROGRAM,
      "usr/lib/rustup/bin/rustc": { link: "../rustup" },
    });
    expect(found("rust", ["usr/bin"])).toEqual({ read: [], path: ["usr/bin"] });
    expect(found("rust", ["usr/lib/rustup/bin"])).toEqual(whole(stable));
  });

  test("of a tarball: its folder", () => {
    tree().add(toolchain("opt/rust"));
    expect(found("rust", ["opt/rust/bin"])).toEqual(whole("opt/rust"));
  });
});

describe("go", () => {
  const goroot = (prefix: string): Record<string, Entry> => ({
    [`${prefix}/VERSION`]: "go1.26",
    [`${prefix}/bin/go`]: PROGRAM,
    [`${prefix}/pkg/tool/compile`]: PROGRAM,
    [`${prefix}/src/fmt/print.go`]: "",
    [`${prefix}/go.env`]: "",
  });

  test("of a tarball, by the link on PATH: GOROOT", () => {
    tree().add({ ...goroot("opt/go"), "home/me/bin/go": { link: "~~/opt/go/bin/go" } });
    expect(found("go", ["home/me/bin"])).toEqual(whole("opt/go"));
  });

  test("of a checkout: without the repository's own folder, which may hold a token", () => {
    tree().add({ ...goroot("home/me/go-src"), "home/me/go-src/.git/config": "s" });
    expect(found("go", ["home/me/go-src/bin"])).toEqual({
      read: ["bin", "pkg", "src", "VERSION", "go.env"].map((name) => `home/me/go-src/${name}`),
      path: ["home/me/go-src/bin"],
    });
  });

  test("of the distribution: nothing more", () => {
    tree().add({ ...goroot("usr/lib/go-1.26"), "usr/bin/go": { link: "../lib/go-1.26/bin/go" } });
    expect(found("go", ["usr/bin"])).toEqual({ read: [], path: ["usr/bin"] });
  });

  test("of goenv and asdf: the version that their files name", () => {
    tree().add({
      ...goroot("home/me/.goenv/versions/1.26.0"),
      "home/me/.goenv/shims/go": PROGRAM,
      "home/me/.goenv/version": "1.26.0",
    });
    tree().add({
      ...goroot("home/me/.asdf/installs/golang/1.25.0/go"),
      "home/me/.asdf/shims/go": PROGRAM,
      "home/me/.tool-versions": "golang 1.25.0",
    });
    expect(found("go", ["home/me/.goenv/shims"])).toEqual(whole("home/me/.goenv/versions/1.26.0"));
    expect(found("go", ["home/me/.asdf/shims"])).toEqual(whole("home/me/.asdf/installs/golang/1.25.0/go"));
  });

  test("without what makes a GOROOT: not found", () => {
    tree().add({ "home/me/go/bin/go": PROGRAM, "home/me/go/pkg": FOLDER, "home/me/go/src": FOLDER });
    expect(found("go", ["home/me/go/bin"])).toContain("is not in a folder that contains only one version");
  });
});
