import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { itNeeds, itUnless } from "../../../test/support/battery/needs.ts";
import { scriptOf } from "../stage.ts";
import type { Client } from "./client.ts";
import { ClientStage, LISTED, OLDEST, PATH, PORTS, type Tried, UNLISTED } from "./stage.ts";

const NOTHING_REACHED = { kind: "failed", denied: [], seen: [] } as const;

/** Tries each client in a real sandbox: a listed host, another host, and without the variables that it obeys. */
export function tryClients(clients: readonly Client[]): void {
  let stage: ClientStage;
  beforeAll(async () => {
    stage = await ClientStage.start();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  it("the web answers outside the sandbox, at the very address at which nothing inside reaches it", async () => {
    const page = await fetch(`http://127.0.0.1:${stage.web.ports.http}/here`);
    expect(await page.text()).toBe("here\n");
  });

  for (const client of clients)
    if (client.obeys.length === 0) tryUnaware(client, () => stage);
    else tryAware(client, () => stage);
}

function tryAware(client: Client, stage: () => ClientStage): void {
  const { name, obeys, says, scheme } = client;
  itHas(client, `${name}: works unchanged where its host is listed`, async () => {
    const { kind, said, denied, seen } = await stage().try(client, LISTED);
    expect({ kind, said: kind === "done" ? "" : said, denied }).toEqual({
      kind: "done",
      said: "",
      denied: [],
    });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((one) => !one.includes(` ${LISTED}/`))).toEqual([]);
  });
  itHas(client, `${name}: is refused another host, and the outcome names it`, async () => {
    const { said, ...rest } = await stage().try(client, UNLISTED);
    expect(rest).toEqual({ kind: "failed", denied: [`connect ${UNLISTED}:${PORTS[scheme]}`], seen: [] });
    expect(said).toContain(says);
  });
  itHas(client, `${name}: reaches nothing without the variables that it obeys`, async () => {
    expect(await directly(client, stage(), obeys)).toMatchObject([NOTHING_REACHED, NOTHING_REACHED]);
  });
}

function tryUnaware(client: Client, stage: () => ClientStage): void {
  itHas(client, `${client.name}: knows no proxies, and reaches nothing`, async () => {
    const tried = await directly(client, stage(), []);
    expect(tried).toMatchObject([NOTHING_REACHED, NOTHING_REACHED]);
    expect(tried[0]?.said).toContain(client.says);
  });
}

/** The listed name, and the address of the web outside. */
async function directly(
  client: Client,
  stage: ClientStage,
  without: readonly string[],
): Promise<readonly Tried[]> {
  return [
    await stage.try(client, LISTED, without),
    await stage.try(client, `127.0.0.1:${stage.web.ports[client.scheme]}`, without),
  ];
}

/** A test of a client, where the machine has that: one that it may lack is then not tried, and its title says so. */
function itHas(client: Client, title: string, body: () => Promise<void>): void {
  const { needs, has = "true", isOptional = false } = client;
  const places = needs.map((program) => onPath(program) ?? join("/usr/bin", program));
  if (!isOptional) itNeeds(places, title, body);
  else itUnless(whyMissing(places, has), title, body);
}

function whyMissing(places: readonly string[], has: string): string | null {
  const missing = places.filter((place) => !existsSync(place));
  if (missing.length > 0) return `${missing.join(", ")} is missing`;
  const line = scriptOf([has], { oldest: OLDEST });
  const asked = spawnSync("/bin/bash", ["-c", line], { env: { ...process.env, PATH } });
  return asked.status === 0 ? null : `\`${has}\` fails`;
}

function onPath(program: string): string | undefined {
  const folders = PATH.split(delimiter);
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path));
}
