import fc from "fast-check";
import { expect, it, test } from "vitest";
import {
  describeViolation,
  type Suggestion,
  suggestionFor,
} from "../../../../src/host/launch/mac/suggest.ts";
import type { Violation } from "../../../../src/host/launch/mac/violation.ts";

function refused(operation: string, target: string | null = null): Violation {
  return { operation, target, process: "sh", pid: 7, parentPid: null, atMs: 0, tag: null };
}

test.each<[operation: string, target: string | null, does: Suggestion["does"], remedy: RegExp]>([
  ["file-read-data", "/Users/ada/.ssh/id", "read", /^list the folder under `sandbox\.paths`/],
  ["file-read*", "/Users/ada/.ssh/id", "read", /^list the folder under `sandbox\.paths`/],
  ["file-map-executable", "/opt/x.dylib", "read", /^list the folder under `sandbox\.paths`/],
  ["file-write-create", "/Users/ada/.zshrc", "write", /^give the folder `mode: rw` under `sandbox\.paths`/],
  ["file-write-setugid", "/w/a", "write", /^no file can be made set-uid/],
  ["file-link", "/w/a", "write", /^give both folders/],
  ["file-mount", "/w", "run", /never mounted/],
  ["process-exec*", "/opt/bin/x", "run", /^list the folder of the program under `sandbox\.paths`/],
  ["network-outbound", "remote:*:443", "connect", /`shell\.network`/],
  ["network-outbound", "1.1.1.1:443", "connect", /`shell\.network`/],
  ["network-outbound", "/private/var/run/mDNSResponder", "connect", /^names are resolved only/],
  ["network-outbound", "/var/run/docker.sock", "connect", /^no config can grant sockets/],
  ["network-bind", "local:*:8080", "connect", /`shell\.network`/],
  ["mach-lookup", "com.apple.SystemConfiguration.configd", "connect", /^names are resolved only/],
  ["mach-lookup", "com.apple.SecurityServer", "read", /^it is never granted: .* passwords and keys$/],
  ["mach-lookup", "com.apple.coreservices.launchservicesd", "run", /^it is never granted: .* outside/],
  ["mach-lookup", "com.apple.coreservices.appleevents", "run", /^it is never granted: .* outside/],
  ["mach-lookup", "com.apple.CARenderServer", "run", /^no config can grant system services/],
  ["appleevent-send", null, "run", /^it is never granted: .* outside/],
  ["lsopen", null, "run", /^it is never granted: .* outside/],
  ["forbidden-exec-sugid", null, "run", /^set-uid programs never start in the sandbox/],
  ["forbidden-sandbox-reinit", null, "run", /can't be nested: .*`swift build --disable-sandbox`$/],
  ["signal", null, "trace", /same sandbox/],
  ["process-info-pidinfo", null, "trace", /same sandbox/],
  ["sysctl-read", "kern.procargs2", "trace", /same sandbox/],
  ["iokit-open", "AppleKeyStoreUserClient", "run", /^no config can grant it/],
])("%s of %s: a way is told, or that there is none", (operation, target, does, remedy) => {
  expect(suggestionFor(refused(operation, target))).toEqual({ does, remedy: expect.stringMatching(remedy) });
});

it("whatever was refused, a person is told one line of what was chosen by others as what it is", () => {
  const operation = fc.stringMatching(/^[a-z][a-z0-9*-]{0,20}$/);
  fc.assert(
    fc.property(operation, fc.option(fc.string({ unit: "binary" })), (what, target) => {
      const told = describeViolation(refused(what, target)) + suggestionFor(refused(what, target)).remedy;
      expect(told).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});

it("a refusal is named by its operation and what it was about", () => {
  expect(describeViolation(refused("file-write-create", "/Users/ada/.zshrc"))).toBe(
    "the kernel refused file-write-create `/Users/ada/.zshrc`",
  );
  expect(describeViolation(refused("forbidden-exec-sugid"))).toBe("the kernel refused forbidden-exec-sugid");
});
