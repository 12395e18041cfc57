import type {} from "vitest";
import { compare, type Witness } from "../profile/compare.ts";
import { connectQuestion } from "../profile/examples.ts";
import { explain, type ProfileQuestion } from "../profile/explain.ts";
import { type AbsolutePath, absolutePath } from "../profile/path.ts";
import type { Profile } from "../profile/profile.ts";
import type { DerivedProfile } from "./derive-for.ts";
import { isDerived, isProfile } from "./serializer.ts";

/** The operations that a matcher can test. */
export type TestedOperation = "read" | "write" | "connect" | "env";

export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * Matchers for profiles and derived profiles, for `expect.extend`. A path is relative to the workspace or absolute. A
 * path that ends in `/` is a folder.
 */
export const profileMatchers = {
  /** Passes when the profile allows the operation on the target. */
  toAllow(received: unknown, operation: TestedOperation, target: string): MatcherResult {
    return verdictOn(received, operation, target, true);
  },
  /** Passes when the profile denies the operation on the target. */
  toDeny(received: unknown, operation: TestedOperation, target: string): MatcherResult {
    return verdictOn(received, operation, target, false);
  },
  /** Passes when the profile is certain to allow only what the other allows. */
  toBeWithin(received: unknown, other: Profile | DerivedProfile): MatcherResult {
    const comparison = compare(profileOf(received), profileOf(other));
    const found =
      comparison.kind === "exceeds"
        ? `it exceeds it: ${printWitness(comparison.witness)}`
        : `it is ${comparison.kind}`;
    return {
      pass: comparison.kind === "within",
      message: () => `expected the profile to be within the other, but ${found}`,
    };
  },
};

/** The matchers for vitest's types. */
export interface ProfileMatchers<R = unknown> {
  toAllow(operation: TestedOperation, target: string): R;
  toDeny(operation: TestedOperation, target: string): R;
  toBeWithin(other: Profile | DerivedProfile): R;
}

declare module "vitest" {
  // The type parameters must exactly equal vitest's.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends ProfileMatchers<R> {}
}

/** An access that one profile allows beyond another, in words. */
export function printWitness(witness: Witness): string {
  switch (witness.field) {
    case "files":
      return `${witness.has} at ${witness.path}, where at most ${witness.limit} is allowed`;
    case "network":
      return witness.target === "host"
        ? "the machine's own network"
        : `connecting to ${witness.target.host}:${witness.target.port}`;
    case "sockets":
      return witness.path === "own" ? "unix sockets of its own" : `the socket ${witness.path}`;
    case "env":
      return `the variable ${witness.name}`;
    case "terminal":
      return "a terminal of its own";
    case "syscalls":
      return `the system calls of ${witness.group}`;
    case "devices":
      return `the devices of ${witness.group}`;
    case "macos":
      return `the macOS group ${witness.group}`;
    case "ports":
      return `the port ${witness.port}`;
    case "limits":
      return `the limit ${witness.name}`;
  }
}

function verdictOn(
  received: unknown,
  operation: TestedOperation,
  target: string,
  isWanted: boolean,
): MatcherResult {
  const question = questionAbout(operation, target, isDerived(received) ? received.workspace : null);
  const { allowed, decidedBy } = explain(
    [{ name: "profile", profile: profileOf(received), sources: new Map() }],
    question,
  );
  const [wanted, found] = [isWanted ? "allow" : "deny", allowed ? "allows" : "denies"];
  return {
    pass: allowed === isWanted,
    message: () =>
      `expected the profile to ${wanted} ${operation} ${target}, but it ${found} it: ${decidedBy.because}`,
  };
}

function questionAbout(
  operation: TestedOperation,
  target: string,
  workspace: AbsolutePath | null,
): ProfileQuestion {
  if (operation === "connect") return connectQuestion(target);
  if (operation === "env") return { ask: "env", name: target };
  const path = absolutePath(target.startsWith("/") || workspace === null ? target : `${workspace}/${target}`);
  return {
    ask: operation,
    path,
    facts: { kind: target.endsWith("/") ? "folder" : "file", bornInside: false },
  };
}

function profileOf(value: unknown): Profile {
  if (isDerived(value)) return value.profile;
  if (isProfile(value)) return value;
  throw new TypeError("expected a profile, or a result of `deriveFor`");
}
