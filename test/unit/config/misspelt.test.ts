import { mkdirSync, renameSync } from "node:fs";
import { expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { machine, PLAIN, refusalOf } from "./machine.ts";

const PROJECT = "home/ann/project";
const USER = "home/ann/.config/cofferdam";

test.each([
  "Cofferdam.yaml",
  "COFFERDAM.YML",
  "cofferdam.json",
  "cofferdam.toml",
  "coferdam.yaml",
  "coffer-dam.yaml",
  "cofferdam.yalm",
  ".cofferdam.yaml",
])("a config with the name %s is refused, not passed over, also from below", (name) => {
  const m = machine({ [`${PROJECT}/${name}`]: PLAIN, [`${PROJECT}/sub/a`]: "" });
  const refusal = {
    exit: 65,
    code: "CONFIG_INVALID",
    message: `\`~/${PROJECT}/${name}\` is not the name of a config`,
    hint: "rename it to `cofferdam.yaml`",
    at: `~/${PROJECT}/${name}:1:1`,
  };
  expect(refusalOf(() => loadConfig(m.host), m.folder)).toEqual(refusal);
  expect(refusalOf(() => loadConfig(m.host, { cwd: m.at(`${PROJECT}/sub`) }), m.folder)).toEqual(refusal);
  renameSync(m.at(`${PROJECT}/${name}`), m.at(`${PROJECT}/cofferdam.yaml`));
  expect(refusalOf(() => loadConfig(m.host)).code).toBe("CONFIG_UNTRUSTED");
});

test.each(["cofferdam.md", "cofferdam", "cofferdam.yaml.bak", "coffee.yaml", "docker-compose.yaml"])(
  "another file is left alone: %s",
  (name) => {
    const m = machine({ [`${PROJECT}/${name}`]: "" });
    expect(loadConfig(m.host).config.origin.kind).toBe("default");
  },
);

test.each([
  ["strict.yaml", `move it to ~/${USER}/profiles.d`],
  ["site.YML", `move it to ~/${USER}/profiles.d`],
  ["profile.d/a.yaml", "rename it to `profiles.d`"],
  ["Profiles.d/a.yaml", "rename it to `profiles.d`"],
  ["profilesd/a.yaml", "rename it to `profiles.d`"],
])("an operator's profile that lies beside their folder is refused, not passed over: %s", (path, hint) => {
  const m = machine({ [`${USER}/${path}`]: "profile: p\nfiles: []\n" });
  const [top = ""] = path.split("/");
  expect(refusalOf(() => loadConfig(m.host), m.folder)).toEqual({
    exit: 65,
    code: "PROFILE_INVALID",
    message: `\`~/${USER}/${top}\` has no effect: it is beside the operators' folder, not in it`,
    hint,
    at: `~/${USER}/${top}:1:1`,
  });
  if (!path.includes("/")) mkdirSync(m.at(`${USER}/profiles.d`));
  renameSync(
    m.at(`${USER}/${top}`),
    m.at(`${USER}/${path.includes("/") ? "profiles.d" : "profiles.d/a.yaml"}`),
  );
  expect(loadConfig(m.host).ceiling.layers.map((layer) => layer.name)).toEqual(["protected", "p"]);
});
