import { type Case, on, outside } from "../case.ts";
import { syscall } from "../syscall.ts";

/** keyctl(2). */
const KEYCTL_GET_KEYRING_ID = 0;
const KEY_SPEC_PROCESS_KEYRING = -2;
const KEY_SPEC_SESSION_KEYRING = -3;

/** The kernel's keyrings can't be reached. The key that is added goes into one of perl's own process, and ends with it. */
export function ofKeyrings(): readonly Case[] {
  const add = syscall("add_key", "user", "cofferdam", "x", 1, KEY_SPEC_PROCESS_KEYRING);
  const find = syscall("keyctl", KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0);
  return on("linux", [
    {
      claim: "sys",
      title: "no key can be added to a keyring",
      attack: add,
      twin: outside(add),
    },
    {
      claim: "sys",
      title: "the session keyring cannot be found",
      attack: find,
      twin: outside(find),
    },
  ]);
}
