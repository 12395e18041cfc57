import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { sandboxMustWork, unusable } from "../support/battery/needs.ts";
import { CALLER } from "../support/battery/people.ts";
import { Place } from "../support/battery/place.ts";

sandboxMustWork("what a checkout's script starts");

const SOURCES = join(import.meta.dirname, "../..");

/** Every program of the system that the scripts may start by name, and `npm`, which they find as the caller does. */
const HELPERS = [
  ...["cat", "chmod", "cmp", "cp", "dirname", "env", "find", "flock", "id", "ls", "mkdir", "mktemp", "mv"],
  ...["readlink", "rm", "sed", "sudo", "touch", "uname", "npm"],
];

/** A checkout that is ready to run, whose program prints its PATH, and a folder in which each helper says that it ran. */
class Checkout extends Place {
  constructor() {
    super(CALLER);
    const lock = readFileSync(join(SOURCES, "package-lock.json"), "utf8");
    this.put("package-lock.json", lock);
    for (const file of ["scripts/cofferdam", "scripts/lib/setup.sh"])
      this.put(file, readFileSync(join(SOURCES, file), "utf8"));
    this.put("src/cli/main.ts", "console.log(process.env.PATH);");
    this.put("node_modules/.cofferdam-lock", lock);
    for (const file of ["rolldown.config.ts", "dist/inbox/inbox.js", "ran"]) this.put(file, "");
    this.put("dist/worker/main.js", "", 2);
    symlinkSync("scripts/cofferdam", join(this.ws, "start"));
    for (const name of HELPERS) {
      const real = name === "npm" ? ":" : `PATH=/usr/bin:/bin exec ${name} "$@"`;
      this.put(`bin/${name}`, `#!/bin/sh\necho ${name} >> ${this.ws}/ran\n${real}\n`);
    }
  }

  /** Writes a file below the checkout; it looks as if it were written so many minutes from now. */
  put(name: string, text: string, minutes = 0): void {
    const path = join(this.ws, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o755 });
    const when = new Date(Date.now() + minutes * 60_000);
    utimesSync(path, when, when);
  }

  startScript() {
    const path = `${this.ws}/bin:${dirname(process.execPath)}:/usr/bin:/bin`;
    const options = { cwd: this.ws, encoding: "utf8", env: { PATH: path }, timeout: 60_000 } as const;
    const { status, stdout, stderr } = spawnSync(join(this.ws, "start"), [], options);
    const ran = readFileSync(join(this.ws, "ran"), "utf8").split("\n").filter(Boolean);
    return { isAsCaller: stdout.trim() === path, status, stderr, ran };
  }
}

describe.skipIf(unusable !== null)("own: a checkout's script", () => {
  it("own: starts no helper that the caller's PATH finds, and leaves that PATH to what it runs", () => {
    using checkout = new Checkout();
    // Younger than the copy in `node_modules`: then the two are compared.
    checkout.put("package-lock.json", checkout.read("ws/package-lock.json"), 1);
    expect(checkout.startScript()).toEqual({ isAsCaller: true, status: 0, stderr: "", ran: [] });
  });

  it("own: finds npm as the caller does, and nothing else, where packages are to be installed", () => {
    using checkout = new Checkout();
    checkout.put("package-lock.json", "{}", 1);
    const started = checkout.startScript();
    expect(started).toMatchObject({ isAsCaller: true, status: 0, ran: ["npm", "npm"] });
    expect(started.stderr).toBe("cofferdam: installing packages (npm ci)\n");
  });
});
