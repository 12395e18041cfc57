import { chmodSync, lchownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { thisHost } from "../../../src/host/look/host.ts";
import { carriedGit } from "../../../src/host/look/runtimes/git.ts";
import { siteOutside } from "../../../src/host/look/runtimes/site.ts";
import { chooseHome, homesOf } from "../../../src/host/look/user.ts";
import { absolutePath } from "../../../src/profile/path.ts";

const UID = process.getuid?.() ?? 0;
const ORDINARY = UID === 0 ? 1001 : UID;
const LISTED = absolutePath("/home/listed");

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-home-")));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

describe("the home that counts", () => {
  test("is that of HOME, where the folder is the user's own", () => {
    expect(chooseHome(LISTED, home, UID)).toEqual({
      home,
      why: "from HOME, where only this user can write",
    });
    expect(chooseHome(LISTED, `${home}/`, UID).home).toBe(home);
  });

  test("is the user database's, where HOME is somebody else's", () => {
    const other = UID === 0 ? 1001 : 0;
    const foreign = UID === 0 ? home : "/root";
    if (UID === 0) lchownSync(home, other, other);
    expect(chooseHome(LISTED, foreign, UID)).toEqual({
      home: LISTED,
      why: `from the user database; HOME is ${foreign}, which belongs to user ${other}`,
    });
  });

  test.each([0o770, 0o707, 0o1777])(
    "is the user database's, where other users can write in HOME: %o",
    (mode) => {
      chmodSync(home, mode);
      expect(chooseHome(LISTED, home, UID)).toEqual({
        home: LISTED,
        why: `from the user database; HOME is ${home}, which other users can write in`,
      });
      chmodSync(home, 0o755);
      expect(chooseHome(LISTED, home, UID).home).toBe(home);
    },
  );

  test.each([
    [undefined, "from the user database"],
    ["", "from the user database"],
    ["/", "from the user database"],
    ["home/me", "from the user database"],
    ["/nowhere/at/all", "from the user database; HOME is /nowhere/at/all, which does not exist"],
    [LISTED, "from the user database and HOME"],
  ])("is the user database's, where HOME is %j", (HOME, why) => {
    expect(chooseHome(LISTED, HOME, UID)).toEqual({ home: LISTED, why });
  });

  test("is no file", () => {
    writeFileSync(join(home, "file"), "");
    expect(chooseHome(LISTED, join(home, "file"), UID).home).toBe(LISTED);
  });

  test("is that of HOME, where the user database knows nobody and the user may write there", () => {
    chmodSync(home, 0o777);
    expect(chooseHome(null, home, UID)).toEqual({
      home,
      why: `from HOME, and the user database does not know user ${UID}`,
    });
  });

  test.each([
    [undefined, "and HOME is not set"],
    ["/", "and HOME is not the path of a folder below `/`"],
    ["/proc/1", "HOME is /proc/1"],
  ])("is nowhere, where the user database knows nobody and HOME is %j", (HOME, why) => {
    const chosen = chooseHome(null, HOME, ORDINARY + 1);
    expect(chosen.home).toBe("/nonexistent");
    expect(chosen.why).toContain(why);
  });
});

describe("identity, trust and state", () => {
  test("follow the same home", () => {
    vi.stubEnv("HOME", home);
    vi.stubEnv("XDG_STATE_HOME", "");
    vi.stubEnv("XDG_CONFIG_HOME", "");
    vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
    writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = By Home\n");
    const host = thisHost();
    expect(host.user.home).toBe(home);
    expect(host.stateFolder).toBe(`${home}/.local/state/cofferdam`);
    expect(host.operatorFolders).toContain(`${home}/.config/cofferdam/profiles.d`);
    expect(carriedGit(siteOutside(host, []), []).files[0]?.text).toContain("By Home");
  });

  test("both homes stay protected", () => {
    vi.stubEnv("HOME", home);
    const host = thisHost();
    const { listedHome } = host.user;
    expect(listedHome).not.toBe(home);
    expect(homesOf(host)).toEqual([home, listedHome]);
    mkdirSync(join(home, "shared"), { mode: 0o777 });
    chmodSync(join(home, "shared"), 0o777);
    vi.stubEnv("HOME", join(home, "shared"));
    expect(homesOf(thisHost())).toEqual([listedHome, join(home, "shared")]);
  });
});
