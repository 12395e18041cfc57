import { describe, expect, it } from "vitest";
import {
  coversEnv,
  EnvName,
  EnvPattern,
  envOutside,
  meetEnv,
  normalEnv,
} from "../../../src/profile/env-pattern.ts";

describe("an environment pattern", () => {
  it("is a name, a prefix or every name", () => {
    const written = ["PATH", "LC_*", "*", "_", "_x1*", "", "1A", "A-B", "A*B", "A**", "A B", "A=B", "é"];
    expect(written.filter((text) => EnvPattern.safeParse(text).success)).toEqual([
      "PATH",
      "LC_*",
      "*",
      "_",
      "_x1*",
    ]);
    expect(written.filter((text) => EnvName.safeParse(text).success)).toEqual(["PATH", "_"]);
  });

  it("covers names as a whole or from their beginning, by case", () => {
    const covered = (pattern: string): readonly string[] =>
      ["LC_ALL", "LC_", "LC", "lc_all", "XLC_ALL"].filter((name) => coversEnv([pattern], name));
    expect([covered("LC_*"), covered("LC_ALL"), covered("*")]).toEqual([
      ["LC_ALL", "LC_"],
      ["LC_ALL"],
      ["LC_ALL", "LC_", "LC", "lc_all", "XLC_ALL"],
    ]);
  });

  it("is left out when another covers it", () => {
    expect(normalEnv(["LC_ALL", "B", "LC_*", "LC_T*", "B", "A"])).toEqual(["A", "B", "LC_*"]);
    expect(normalEnv(["A", "*", "B*"])).toEqual(["*"]);
  });

  it("meets others in the narrower of two", () => {
    expect(meetEnv(["LC_*", "PATH", "X*"], ["LC_ALL", "*"])).toEqual(["LC_*", "PATH", "X*"]);
    expect(meetEnv(["LC_*", "PATH"], ["LC_ALL", "L*", "X"])).toEqual(["LC_*"]);
    expect(meetEnv(["A"], ["B"])).toEqual([]);
  });

  it("shows a name that others do not cover, also when they cover all that would come to mind", () => {
    expect([
      envOutside(["A*"], ["*"]),
      envOutside(["A"], ["B"]),
      envOutside(["A"], ["A*"]),
      envOutside([], []),
    ]).toEqual([null, "A", null, null]);
    expect([envOutside(["A*"], ["AX*"]), envOutside(["*"], ["W*"]), envOutside(["*"], ["X*"])]).toEqual([
      "AA",
      "X",
      "A",
    ]);
    const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"];
    expect(
      envOutside(
        ["A*"],
        letters.map((letter) => `A${letter}*`),
      ),
    ).toBe("A.");
  });
});
