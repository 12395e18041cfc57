import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rememberTrust, revokeTrust, trustFile } from "../../../src/config/trust.ts";
import type { Host } from "../../../src/host/look/host.ts";
import { createSupervisor, type Supervisor } from "../../../src/index.ts";
import { knownPath } from "../../../src/profile/path.ts";
import type { SupervisorOptions } from "../../../src/session/supervisor-options.ts";
import { CALLER } from "../battery/people.ts";
import { Place } from "../battery/place.ts";

/** A config as data: JSON is YAML. */
export type WrittenConfig = Readonly<Record<string, unknown>>;

/** A folder with a `cofferdam.yaml` that a person trusts, changes and no longer trusts, and a folder of operators. */
export class LiveProject implements Disposable {
  readonly place = new Place(CALLER);
  readonly host: Host;
  readonly config: string;
  readonly operators: string;

  constructor() {
    // Where a process with the state folder as its home looks for them.
    this.operators = this.place.folder("state/.config/cofferdam/profiles.d");
    this.config = join(this.place.ws, "cofferdam.yaml");
    this.host = this.place.host({ operatorFolders: [knownPath(this.operators)] });
  }

  /** Writes the config, whole or not at all. */
  write(config: WrittenConfig | string): void {
    const text = typeof config === "string" ? config : JSON.stringify(config);
    this.place.file("ws/cofferdam.yaml", text);
  }

  trust(): void {
    rememberTrust(this.host, trustFile(this.host, this.config));
  }

  /** Writes a config and trusts it. */
  apply(config: WrittenConfig | string): void {
    this.write(config);
    this.trust();
  }

  revoke(): void {
    revokeTrust(this.host, this.config);
  }

  /** Writes an operator profile. */
  operate(name: string, profile: WrittenConfig | string): void {
    const text = typeof profile === "string" ? profile : JSON.stringify(profile);
    writeFileSync(join(this.operators, name), text, { mode: 0o644 });
  }

  unoperate(name: string): void {
    rmSync(join(this.operators, name));
  }

  folder(name: string): string {
    const path = join(this.place.ws, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  supervisor(options: Omit<SupervisorOptions, "host" | "cwd"> = {}): Promise<Supervisor> {
    return createSupervisor({ ...options, cwd: knownPath(this.place.ws), host: this.host });
  }

  [Symbol.dispose](): void {
    this.place[Symbol.dispose]();
  }
}

/** A config with one writable root per name, all commands unasked, and more. */
export function configWith(
  roots: Readonly<Record<string, WrittenConfig>>,
  more: WrittenConfig = {},
  sandbox: WrittenConfig = {},
): WrittenConfig {
  const paths = Object.fromEntries(
    Object.entries(roots).map(([name, root]) => [
      name,
      { root: `./${name}`, mode: "rw", write_approval: false, ...root },
    ]),
  );
  return {
    version: 1,
    sandbox: { paths, runtimes: ["system"], search: { time: "1m" }, ...sandbox },
    shell: { default: { allowed: true, approval: false } },
    ...more,
  };
}
