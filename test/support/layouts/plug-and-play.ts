import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT, type Layout, manifest, project } from "./layout.ts";
import type { Site } from "./site.ts";

/** Layouts of Yarn's in which a map finds packages. */
export const PLUG_AND_PLAY: readonly Layout[] = [
  {
    name: "yarn, Plug'n'Play",
    install: project("yarn", { "yarn.lock": "" }),
    command: (site) => [...site.manager("yarn"), "cofferdam"],
    starter: (site) => [...site.manager("yarn"), "node"],
    root: (site) => site.all,
    parts: (site) => [
      ...[".pnp.cjs", ".pnp.loader.mjs", ".yarn"].map((name) => join(site.project, name)),
      join(site.caches, "yarn/cache"),
    ],
    runs: [".pnp.cjs", ".pnp.loader.mjs"],
  },
  withFolder("portal", { name: "ipaddr.js", at: "project/vendor/ipaddr.js" }),
  // A module outside of the project is asked for a map of its own, which stands in for all else. The package must
  // be one that a start loads, and that needs no other package.
  withFolder("link", { name: "yaml", at: "linked/yaml", runs: ".pnp.cjs" }),
];

/** A dependency that lies in a folder, to which the map leads (https://yarnpkg.com/protocol/portal, https://yarnpkg.com/protocol/link). */
function withFolder(
  protocol: "portal" | "link",
  { name, at, runs = "" }: { readonly name: string; readonly at: string; readonly runs?: string },
): Layout {
  const folder = (site: Site): string => join(site.all, at);
  return {
    name: `yarn, Plug'n'Play, with a \`${protocol}:\``,
    install: async (site) => {
      cpSync(join(CHECKOUT, "node_modules", name), folder(site), { recursive: true });
      manifest(site.project, {
        dependencies: { cofferdam: `file:${site.archive}` },
        resolutions: { [name]: `${protocol}:${folder(site)}` },
      });
      writeFileSync(join(site.project, "yarn.lock"), "");
      await site.manage("yarn", ["install"]);
    },
    command: (site) => [...site.manager("yarn"), "cofferdam"],
    starter: (site) => [...site.manager("yarn"), "node"],
    root: (site) => site.all,
    parts: (site) => [join(site.project, ".pnp.cjs"), folder(site)],
    from: (site) => [folder(site)],
    runs: [join(at, runs)],
  };
}
