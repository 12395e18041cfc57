import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

/** The programs that `init.sh` calls. */
const COMMANDS = ["sh", "mount", "mkdir", "modprobe", "switch_root", "poweroff"];

/** Makes the initial memory disk of a kernel: busybox, the modules, and `init.sh`. Returns its path. */
export function makeInitramfs(modules: string, folder: string): string {
  const root = join(folder, "initramfs");
  for (const name of ["bin", "proc", "sys", "dev"]) mkdirSync(join(root, name), { recursive: true });
  cpSync(join(modules, "lib"), join(root, "lib"), { recursive: true });
  cpSync("/bin/busybox", join(root, "bin/busybox"));
  for (const name of COMMANDS) symlinkSync("busybox", join(root, "bin", name));
  writeFileSync(join(root, "init"), readFileSync(join(import.meta.dirname, "init.sh")));
  chmodSync(join(root, "init"), 0o755);
  const listed = execFileSync("find", [".", "-print0"], { cwd: root });
  const archive = execFileSync("cpio", ["--create", "--null", "--quiet", "--format=newc"], {
    cwd: root,
    input: listed,
    maxBuffer: 64 << 20,
  });
  const file = join(folder, "initramfs.gz");
  writeFileSync(file, gzipSync(archive));
  rmSync(root, { recursive: true });
  return file;
}
