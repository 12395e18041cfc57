import type { Profile } from "../../profile/profile.ts";
import type { SeccompArch } from "./abi.ts";
import { channelRules } from "./channels.ts";
import { MACHINE_RULES } from "./machine.ts";
import { NAMESPACE_RULES } from "./namespaces.ts";
import { compileSeccomp, type SeccompPolicy } from "./policy.ts";
import { processRules } from "./processes.ts";
import { SETUID_RULES } from "./setuid.ts";

/** What a profile grants of system calls. */
export type Granted = Pick<Profile, "syscalls" | "sockets">;

/**
 * The policy that every process of a sandbox runs under, by what its profile grants. It says no to what the walls are
 * made of, to the machine, to other processes and to ways out that nothing else holds back; each list says why. The error
 * is EPERM where a program is to learn that it may not, and ENOSYS where it knows another way when its kernel lacks the
 * call. All else is allowed, the calls by which a program bounds itself among them (seccomp, landlock, pkey, mseal), up to
 * the last call that was judged: see `FIRST_UNJUDGED`. With `abi32` the same is refused to 32-bit programs by their numbers.
 */
export function standardPolicy({ syscalls, sockets }: Granted): SeccompPolicy {
  return {
    abi32: syscalls.includes("abi32"),
    rules: [
      ...NAMESPACE_RULES,
      ...MACHINE_RULES,
      ...processRules(syscalls.includes("debug")),
      ...channelRules(sockets !== "none"),
      ...SETUID_RULES,
    ],
  };
}

/** A program is a value that depends on the machine and on what is granted alone, so each is compiled once. */
const programs = new Map<string, Uint8Array>();

/** The standard policy as the bytes that bubblewrap takes. */
export function standardProgram(arch: SeccompArch, granted: Granted): Uint8Array {
  const key = [arch, granted.sockets === "none", ...granted.syscalls].join(" ");
  const program = programs.get(key) ?? compileSeccomp(standardPolicy(granted), arch);
  programs.set(key, program);
  return program;
}
