import { readFileSync } from "node:fs";
import type { CoreDumps } from "../../backend/facts.ts";
import type { AbsolutePath } from "../../profile/path.ts";
import type { Host } from "../look/host.ts";
import { orNull } from "../or-null.ts";
import { fitHelper } from "./launcher.ts";

/** `|` begins a program that the kernel starts, `@` a socket that it connects to (core(5); Linux 6.16). */
const HANDLED = /^[|@]/;

/** The handling of crashes on this machine; the worse if unreadable. macOS only writes files (core(5) there). */
export function lookAtCoreDumps(host: Host, writable: readonly AbsolutePath[]): CoreDumps {
  const mayBeHandled = host.platform === "linux" && isHandled();
  return mayBeHandled ? { kind: "handler", limiter: fitHelper(host, "prlimit", writable) } : { kind: "file" };
}

function isHandled(): boolean {
  return orNull(() => HANDLED.test(readFileSync("/proc/sys/kernel/core_pattern", "utf8"))) ?? true;
}
