import { type Attack, type AttackTarget, on, sameOutside } from "./attack.ts";
import { syscallOn } from "./syscall.ts";

/** keyctl(2). */
const KEYCTL_GET_KEYRING_ID = 0;
const KEY_SPEC_PROCESS_KEYRING = -2;
const KEY_SPEC_SESSION_KEYRING = -3;

/** The kernel's keyrings cannot be reached. The added key goes into perl's process keyring, and ends with it. */
export function ofKeyrings({ arch }: AttackTarget): readonly Attack[] {
  const syscall = syscallOn(arch);
  const add = syscall("add_key", "user", "cofferdam", "x", 1, KEY_SPEC_PROCESS_KEYRING);
  const find = syscall("keyctl", KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
  return on("linux", [
    sameOutside("sys", "no key can be added to a keyring", add),
    sameOutside("sys", "the session keyring cannot be found", find),
  ]);
}
