import { describe, expect, test } from "vitest";
import { runtimeOf } from "../../../src/call/runtime-hint.ts";
import { finder, whole } from "./runtimes-layouts.ts";
import { type Entry, freshTrees, PROGRAM } from "./runtimes-tree.ts";

const tree = freshTrees();
const found = finder(tree);

describe("java", () => {
  const jdk = (prefix: string): Record<string, Entry> => ({
    [`${prefix}/bin/java`]: PROGRAM,
    [`${prefix}/bin/javac`]: PROGRAM,
    [`${prefix}/lib/modules`]: "",
    [`${prefix}/conf/net.properties`]: "",
    [`${prefix}/legal/java.base/LICENSE`]: "",
    [`${prefix}/release`]: "",
  });

  test("of SDKMAN: the version that its link names", () => {
    tree().add({
      ...jdk("home/me/.sdkman/candidates/java/21.0.5-tem"),
      "home/me/.sdkman/candidates/java/current": { link: "21.0.5-tem" },
    });
    expect(found("java", ["home/me/.sdkman/candidates/java/current/bin"])).toEqual(
      whole("home/me/.sdkman/candidates/java/21.0.5-tem"),
    );
  });

  test("of a tarball and of Java 8, by the link on PATH", () => {
    tree().add({ ...jdk("opt/jdk-21"), "home/me/bin/java": { link: "~~/opt/jdk-21/bin/java" } });
    expect(found("java", ["home/me/bin"])).toEqual(whole("opt/jdk-21"));
    tree().add({ "opt/jdk8/bin/java": PROGRAM, "opt/jdk8/jre/lib/rt.jar": "" });
    expect(found("java", ["opt/jdk8/bin"])).toEqual(whole("opt/jdk8"));
  });

  test("of jenv, asdf and mise: the version that their files name", () => {
    tree().add({
      ...jdk("opt/jdk-17"),
      "home/me/.jenv/versions/17.0": { link: "~~/opt/jdk-17" },
      "home/me/.jenv/shims/java": PROGRAM,
      "home/me/.jenv/version": "17.0",
    });
    expect(found("java", ["home/me/.jenv/shims"])).toEqual(whole("opt/jdk-17"));
    tree().add({
      ...jdk("home/me/.asdf/installs/java/temurin-21.0.5"),
      "home/me/.asdf/shims/java": PROGRAM,
      "home/me/.tool-versions": "java temurin-21.0.5",
    });
    expect(found("java", ["home/me/.asdf/shims"])).toEqual(
      whole("home/me/.asdf/installs/java/temurin-21.0.5"),
    );
  });

  test("of Debian: nothing more than the system has", () => {
    tree().add({ ...jdk("usr/lib/jvm/java-17"), "usr/bin/java": { link: "../lib/jvm/java-17/bin/java" } });
    expect(found("java", ["usr/bin"])).toEqual({ read: [], path: ["usr/bin"] });
  });

  test("beside what is a person's own: its parts alone", () => {
    tree().add({ ...jdk("opt/jdk"), "opt/jdk/keys/own.p12": "s" });
    expect(found("java", ["opt/jdk/bin"])).toEqual({
      read: ["bin", "lib", "conf", "legal", "release"].map((name) => `opt/jdk/${name}`),
      path: ["opt/jdk/bin"],
    });
  });

  test("a folder that holds no version is not granted", () => {
    tree().add({ "home/me/tools/bin/java": PROGRAM });
    expect(found("java", ["home/me/tools/bin"])).toContain(
      "is not in a folder that contains only one version",
    );
  });
});

describe("haskell", () => {
  const ghc = (prefix: string): Record<string, Entry> => ({
    [`${prefix}/bin/ghc-9.6.6`]: PROGRAM,
    [`${prefix}/bin/ghc`]: { link: "ghc-9.6.6" },
    [`${prefix}/lib/ghc-9.6.6/lib/settings`]: "",
    [`${prefix}/share/doc/ghc-9.6.6/LICENSE`]: "",
  });

  test("of GHCup: the version that its links name, not the programs beside", () => {
    tree().add({
      ...ghc("home/me/.ghcup/ghc/9.6.6"),
      "home/me/.ghcup/bin/ghc": { link: "ghc-9.6.6" },
      "home/me/.ghcup/bin/ghc-9.6.6": { link: "../ghc/9.6.6/bin/ghc-9.6.6" },
      "home/me/.ghcup/config.yaml": "s",
    });
    expect(found("haskell", ["home/me/.ghcup/bin"])).toEqual(whole("home/me/.ghcup/ghc/9.6.6"));
  });

  test("of Debian: nothing more than the system has", () => {
    tree().add({ "usr/bin/ghc": { link: "../lib/ghc/bin/ghc" }, "usr/lib/ghc/bin/ghc": PROGRAM });
    expect(found("haskell", ["usr/bin"])).toEqual({ read: [], path: ["usr/bin"] });
  });

  test("without a compiler's library: not found", () => {
    tree().add({ "home/me/tools/bin/ghc": PROGRAM });
    expect(found("haskell", ["home/me/tools/bin"])).toContain(
      "is not in a folder that contains only one version",
    );
  });
});

test("programs that come with a JDK and with GHC name their runtime", () => {
  expect(["javac", "jar", "java", "ghci", "runghc", "ghc-9.6.6"].map(runtimeOf)).toEqual([
    ...["java", "java", "java"],
    ...["haskell", "haskell", "haskell"],
  ]);
});
