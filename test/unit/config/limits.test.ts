import { expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { machine, PLAIN, refusalOf } from "./machine.ts";

const CONFIG = "home/ann/project/cofferdam.yaml";

test.each<[limit: string, refused: string, hint: string, least: string, means: object]>([
  ["wall", "597h", "a time is at least `1ms` and at most `576h`", "576h", { wall: 2_073_600_000 }],
  ["wall", "0s", "a time is at least `1ms` and at most `576h`", "1ms", { wall: 1 }],
  ["cpu", "0s", "a time is at least `1ms` and at most `576h`", "1s", { cpu: 1000 }],
  ["file_size", "0B", "the minimum size is `512B`", "512B", { file_size: 512 }],
  ["scratch", "4095B", "the minimum size is `4KiB`", "4KiB", { scratch: 4096 }],
  ["shared_memory", "4095B", "the minimum size is `4KiB`", "4KiB", { shared_memory: 4096 }],
  ["memory", "0B", "the minimum size is `1KiB`", "1KiB", { memory: 1024 }],
])("a limit that can't hold as it is written is refused: %s %s", (limit, refused, hint, least, means) => {
  const m = machine({ [CONFIG]: `${PLAIN}  limits: { ${limit}: ${refused} }\n` });
  expect(refusalOf(() => loadConfig(m.host, { config: m.at(CONFIG) }), m.folder)).toEqual({
    exit: 65,
    code: "CONFIG_INVALID",
    message: `invalid \`sandbox.limits.${limit}\`: \`${refused}\``,
    hint,
    at: `~/${CONFIG}:4:${15 + limit.length}`,
  });
  m.write({ [CONFIG]: `${PLAIN}  limits: { ${limit}: ${least} }\n` });
  expect(loadConfig(m.host, { config: m.at(CONFIG) }).config.sandbox.limits).toEqual(means);
});

test.each(["/dev/null", "/dev/zero"])(
  "a config that is not a regular file says so, and not what to change about it: %s",
  (path) => {
    const m = machine();
    const refused = { message: `\`${path}\` is not a regular file`, hint: "name a YAML file" };
    expect(refusalOf(() => loadConfig(m.host, { config: path }))).toMatchObject(refused);
    expect(refusalOf(() => loadConfig(m.host, { profiles: [path] }))).toMatchObject(refused);
  },
);
