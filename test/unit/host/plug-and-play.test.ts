import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import Module from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { plugAndPlayOf } from "../../../src/host/look/installation/plug-and-play.ts";
import { absolutePath } from "../../../src/profile/path.ts";

/** What a map has for one package: what it may load, by name. */
type Dependencies = Readonly<Record<string, string | readonly [string, string] | null>>;

interface Locator {
  readonly name: string;
  readonly reference: string;
}

/** A map as Yarn writes it, of packages by `NAME@REFERENCE`; the longest place that a path lies in is the package that owns it. */
function mapOf(packages: Readonly<Record<string, readonly [place: string, Dependencies]>>, linked = "none") {
  const keyOf = ({ name, reference }: Locator): string => `${name}@${reference}`;
  return {
    findPackageLocator: (path: string): Locator | null => {
      const owners = Object.entries(packages)
        .filter(([key, [place]]) => path.startsWith(place) && !key.startsWith(`${linked}@`))
        .toSorted(([, [a]], [, [b]]) => b.length - a.length);
      const [name, reference] = owners[0]?.[0].split("@") ?? [];
      return name === undefined || reference === undefined ? null : { name, reference };
    },
    getPackageInformation: (locator: Locator) => {
      const [packageLocation, dependencies] = packages[keyOf(locator)] ?? expect.unreachable();
      return { packageLocation, packageDependencies: new Map(Object.entries(dependencies)) };
    },
    resolveRequest: () => "/p/.pnp.cjs",
    resolveVirtual: (path: string) => (path.includes("/virtual/") ? path.replace("/virtual/", "/") : null),
  };
}

/** Has a map decide about all paths, or about none. */
function underMap(map: ReturnType<typeof mapOf> | null): void {
  Reflect.set(Module, "findPnpApi", () => map);
  onTestFinished(() => void Reflect.deleteProperty(Module, "findPnpApi"));
}

const zip = (name: string): string => `/cache/${name}.zip/node_modules/${name}/`;
const OWN = absolutePath("/cache/virtual/own.zip/node_modules/own");

describe("packages that Plug'n'Play finds", () => {
  test("own: each that ours may load, where it really lies; none that only others load", () => {
    underMap(
      mapOf({
        "p@workspace": ["/p/", { own: "1", other: "portal" }],
        "own@1": [`${OWN}/`, { own: "1", yaml: "portal", alias: ["real", "2"], peer: null, vitest: "9" }],
        "yaml@portal": ["/p/vendor/yaml/", { deep: "3" }],
        "real@2": [zip("real"), {}],
        "deep@3": [zip("deep"), { yaml: "portal" }],
        "other@portal": ["/p/packages/other/", {}],
        "vitest@9": [zip("vitest"), {}],
      }),
    );
    expect(plugAndPlayOf(OWN)).toEqual({
      map: "/p/.pnp.cjs",
      packages: ["/cache/own.zip", "/p/vendor/yaml", "/cache/real.zip", "/cache/deep.zip"],
      unmapped: [],
    });
  });

  test("own: one by `link:` finds what the project does, as far as its manifest names it; outside of that what Node does", () => {
    const top = realpathSync(mkdtempSync(join(tmpdir(), "cofferdam-pnp-")));
    onTestFinished(() => rmSync(top, { recursive: true, force: true }));
    mkdirSync(join(top, "linked"));
    writeFileSync(join(top, "linked/package.json"), '{"dependencies":{"deep":"3"}}');
    const packages = {
      "own@1": [zip("own"), { linked: "link" }],
      "linked@link": [`${top}/linked/`, {}],
      "deep@3": [zip("deep"), {}],
    } as const;
    const own = absolutePath(zip("own"));
    underMap(mapOf({ ...packages, "p@workspace": [`${top}/`, { deep: "3", own: "1" }] }, "linked"));
    expect(plugAndPlayOf(own)).toMatchObject({
      packages: ["/cache/own.zip", `${top}/linked`, "/cache/deep.zip"],
      unmapped: [],
    });
    underMap(mapOf(packages, "linked"));
    expect(plugAndPlayOf(own)).toMatchObject({
      packages: ["/cache/own.zip", `${top}/linked`],
      unmapped: [`${top}/linked`],
    });
  });

  test("a package that no map decides about is found by Node, though another's map is loaded", () => {
    underMap(null);
    expect(plugAndPlayOf(OWN)).toBeNull();
  });
});
