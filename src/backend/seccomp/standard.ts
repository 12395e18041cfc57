import type { Profile } from "../../profile/profile.ts";
import type { SeccompArch } from "./abi.ts";
import { channelRules } from "./channels.ts";
import { MACHINE_RULES } from "./machine.ts";
import { NAMESPACE_RULES } from "./namespaces.ts";
import { compileSeccomp, type SeccompPolicy } from "./policy.ts";
import { processRules } from "./processes.ts";
import { SETUID_RULES } from "./setuid.ts";

/** The system calls and sockets that a profile grants. */
export type GrantedCalls = Pick<Profile, "syscalls" | "sockets">;

/**
 * The policy for every process of a sandbox, by the grants of its profile. It refuses calls that would change the
 * sandbox, the machine or other processes, and ways out that nothing else holds back; each list says why. The error is
 * EPERM for a plain refusal, and ENOSYS where programs know another way for kernels without the call. All else is
 * allowed, the calls by which a program bounds itself among them (seccomp, landlock, pkey, mseal), up to the last
 * judged call: see `FIRST_UNJUDGED`. With `abi32` the same is refused to 32-bit programs by their numbers.
 */
export function standardPolicy({ syscalls, sockets }: GrantedCalls): SeccompPolicy {
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

/** A program depends on the machine and the grants alone, so each is compiled once. */
const programs = new Map<string, Uint8Array>();

/** The standard policy as the bytes that bubblewrap takes. */
export function standardProgram(arch: SeccompArch, granted: GrantedCalls): Uint8Array {
  const key = [arch, granted.sockets === "none", ...granted.syscalls].join(" ");
  const program = programs.get(key) ?? compileSeccomp(standardPolicy(granted), arch);
  programs.set(key, program);
  return program;
}
