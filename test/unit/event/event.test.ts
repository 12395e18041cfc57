import { expect, it } from "vitest";
import { z } from "zod";
import { rowsOf, Schema } from "../../../scripts/lib/docs/schema-rows.ts";
import { Event } from "../../../src/event/event.ts";

it("every field of an event has a meaning; those of a request are on the page of the HTTP API", () => {
  const rows = Event.options.flatMap((option) => rowsOf(Schema.parse(z.toJSONSchema(option))));
  const bare = rows.filter(({ path, description }) => description === "" && !/^type$|^request\./.test(path));
  expect(bare.map(({ path }) => path)).toEqual([]);
});
