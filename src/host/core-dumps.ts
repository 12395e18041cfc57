import { readFileSync } from "node:fs";
import type { CoreDumps } from "../backend/facts.ts";
import type { AbsolutePath } from "../profile/path.ts";
import type { Host } from "./host.ts";
import { fitHelper } from "./launcher.ts";

/** `|` begins a program that the kernel starts, `@` a socket that it connects to (core(5); Linux 6.16). */
const HANDLED = /^[|@]/;

/**
 * What becomes of a crash on this machine. Where that can't be read, it is taken for the worse; macOS only writes files
 * (core(5) there).
 */
export function lookAtCoreDumps(host: Host, writable: readonly AbsolutePath[]): CoreDumps {
  const mayBeHandled = host.platform === "linux" && isHandled();
  return mayBeHandled ? { kind: "handler", limiter: fitHelper(host, "prlimit", writable) } : { kind: "file" };
}

function isHandled(): boolean {
  try {
    return HANDLED.test(readFileSync("/proc/sys/kernel/core_pattern", "utf8"));
  } catch {
    return true;
  }
}
