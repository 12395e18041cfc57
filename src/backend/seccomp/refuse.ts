import type { Errno } from "./abi.ts";
import type { ArgumentTest, NonEmpty, SeccompRule } from "./policy.ts";
import type { SyscallNumbers } from "./syscalls.ts";

/** Returns a rule for each of the calls: refused with the error, whatever the arguments. */
export function refuse(errno: Errno, ...calls: readonly SyscallNumbers[]): readonly SeccompRule[] {
  return calls.map((call) => ({ call, errno, when: "always" }));
}

/** The rule that refuses a call with the error when every test holds. */
export function refuseWhen(errno: Errno, call: SyscallNumbers, ...when: NonEmpty<ArgumentTest>): SeccompRule {
  return { call, errno, when };
}
