import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A series of kernels for Debian 12: its own, or the newest backport. */
export interface Series {
  readonly name: string;
  /** The name of its packages; those for clouds lack the needed file system. */
  readonly package: RegExp;
}

export const SERIES: readonly Series[] = [
  { name: "6.1", package: /^linux-image-6\.1\.\d+-\d+-amd64$/ },
  { name: "6.12", package: /^linux-image-6\.12\.\d+\+deb12-amd64$/ },
];

/** A kernel, ready to be started. */
export interface Kernel {
  readonly series: string;
  /** `linux-image-6.1.0-56-amd64 6.1.192-2` */
  readonly version: string;
  readonly image: string;
  /** The folder that holds `lib/modules`, with the modules that the machine needs. */
  readonly modules: string;
}

/** The modules that a machine needs to see the host's files. */
const MODULES = ["virtio_pci", "9pnet_virtio", "9p", "overlay"];

/** The newest kernel of a series in the archive: fetched and unpacked once, never installed. */
export function fetchKernel(series: Series, cache: string): Kernel {
  const { name } = series;
  const newest = listed(series) ?? listedAnew(series);
  if (newest === undefined)
    throw new Error(`no kernel ${name} in the package lists; those of Debian 12 have it`);
  const version = /^ +Candidate: (.+)$/m.exec(
    execFileSync("apt-cache", ["policy", newest], { encoding: "utf8" }),
  )?.[1];
  if (version === undefined) throw new Error(`the package lists name no version of ${newest}`);
  const folder = join(cache, `${newest}_${version}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    unpack(newest, version, folder);
  }
  return { series: name, version: `${newest} ${version}`, image: join(folder, "vmlinuz"), modules: folder };
}

function listed(series: Series): string | undefined {
  const names = execFileSync("apt-cache", ["pkgnames", "linux-image-"], { encoding: "utf8" });
  return newestOf(series, names.split("\n"));
}

/** A fresh machine may have no package lists yet, or old ones. */
function listedAnew(series: Series): string | undefined {
  aptGet(["update"]);
  return listed(series);
}

function aptGet(words: readonly string[], cwd = "/"): void {
  execFileSync("apt-get", ["-q", ...words], { cwd, stdio: ["ignore", "ignore", "pipe"] });
}

/** The newest package of a series among these names: `6.1.0-56` is newer than `6.1.0-9`. */
export function newestOf(series: Series, names: readonly string[]): string | undefined {
  const those = names.filter((name) => series.package.test(name));
  return those.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
}

/** apt-get checks what it fetches against the signed lists; of 400 MB the image and a dozen modules are kept. */
function unpack(name: string, version: string, folder: string): void {
  const stage = mkdtempSync(join(tmpdir(), "cofferdam-kernel-"));
  const kept = mkdtempSync(`${folder}-`);
  try {
    aptGet(["download", `${name}=${version}`], stage);
    const [archive = ""] = readdirSync(stage);
    const whole = join(stage, "whole");
    execFileSync("dpkg-deb", ["-x", join(stage, archive), whole]);
    const [release = ""] = readdirSync(join(whole, "lib/modules"));
    execFileSync("depmod", ["-b", whole, release]);
    for (const file of moduleFiles(whole, release)) {
      const target = join(kept, file.slice(whole.length));
      mkdirSync(dirname(target), { recursive: true });
      cpSync(file, target);
    }
    cpSync(join(whole, "boot", `vmlinuz-${release}`), join(kept, "vmlinuz"));
    renameSync(kept, folder);
  } finally {
    rmSync(stage, { recursive: true, force: true });
    rmSync(kept, { recursive: true, force: true });
  }
}

/** The modules with all that they need, and the lists by which they are found. Throws where the kernel lacks one. */
function moduleFiles(whole: string, release: string): readonly string[] {
  const lists = ["modules.dep", "modules.alias", "modules.builtin"].map((one) =>
    join(whole, "lib/modules", release, one),
  );
  const modules = MODULES.flatMap((one) => {
    const said = execFileSync("modprobe", ["-d", whole, "-S", release, "--show-depends", one], {
      encoding: "utf8",
    });
    return [...said.matchAll(/^insmod (\S+)/gm)].map(([, file = ""]) => file);
  });
  return [...new Set([...lists, ...modules])];
}
