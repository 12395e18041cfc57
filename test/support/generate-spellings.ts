import fc from "fast-check";
import type { ProfileSections } from "../../src/profile/sections.ts";

/** Groups of spellings: all in a group mean the same. */
const PATHS = [
  ["/a", "/a/", "//a", "/./a"],
  ["/a/b", "/a//b", "/a/./b/", "/a/b/."],
  ["/a/b/c.md", "/a/b//c.md"],
];
const PATTERNS = [
  ["**/.env", ".env", "/**/.env", "/**/**/.env", "[.]env", "**/.env/"],
  ["/a/[ab]*", "/a/[ba]*", "/a/[a-b]*", "//a/[aab]*/"],
  ["/a/b", "/a/b/", "/[a]/b"],
  ["*.{pem,key}", "**/*.{key,pem}", "{*.pem,*.key}"],
  ["/x/[0-3]", "/x/[3210]", "/x/[0-13-32]"],
];
const HOSTS = [
  ["example.com:443", "Example.COM:443", "example.com.:443", "[example.com]:443"],
  ["*.example.org", "*.EXAMPLE.org."],
  ["10.0.0.1", "10.0.0.1 private", "::ffff:10.0.0.1", "[::ffff:a00:1]"],
  ["::1", "0:0:0:0:0:0:0:1", "[::1]", "::1 private"],
  ["2001:db8::a", "2001:DB8:0::A"],
];
const SUFFIXES = [[".md"], [".md", ".x.md"], [".x.md", ".md", ".md"]];
const NAMES = [["LC_*"], ["LC_*", "LC_ALL"], ["LC_A*", "LC_*"]];
const SOCKETS = [["/run/a.sock"], ["/run//a.sock", "/run/a.sock"]];

const access = fc.constantFrom("none", "read", "write");

/** The same sections twice, each item in any of its spellings. */
export const respelled: fc.Arbitrary<readonly [ProfileSections, ProfileSections]> = fc
  .record({
    files: fc.array(fc.tuple(spellings(PATHS), access, fc.option(spellings([SUFFIXES]))), { maxLength: 3 }),
    masks: fc.array(fc.tuple(spellings(PATTERNS), fc.constantFrom("none", "read")), { maxLength: 3 }),
    hosts: fc.array(spellings(HOSTS), { maxLength: 3 }),
    never: fc.array(spellings(HOSTS), { maxLength: 2 }),
    env: spellings([NAMES]),
    sockets: spellings([SOCKETS]),
  })
  .map(({ files, masks, hosts, never, env, sockets }) => {
    const spell = (which: 0 | 1): ProfileSections => ({
      files: files.map(([path, granted, suffixes]) => ({
        path: path[which],
        access: granted,
        ...(suffixes === null ? {} : { suffixes: [...suffixes[which]] }),
      })),
      masks: masks.map(([pattern, atMost]) => ({
        pattern: pattern[which],
        at_most: atMost,
        ignore_case: false,
      })),
      network: {
        hosts: hosts.map((host) => host[which]),
        never: never.map((host) => host[which]),
        strict_sni: false,
      },
      env: [...env[which]],
      sockets: [...sockets[which]],
    });
    return [spell(0), spell(1)];
  });

/** Two spellings of one of the groups. */
function spellings<One>(groups: readonly (readonly One[])[]): fc.Arbitrary<readonly [One, One]> {
  return fc
    .constantFrom(...groups)
    .chain((group) => fc.tuple(fc.constantFrom(...group), fc.constantFrom(...group)));
}
