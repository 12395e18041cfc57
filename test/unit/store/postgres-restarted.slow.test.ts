import { expect, inject, test } from "vitest";
import { describeWithPostgres } from "../../support/postgres/must-be-there.ts";
import { PostgresServer } from "../../support/postgres/server.ts";
import { answering, idOf } from "../../support/store/answering.ts";
import { openStore } from "../../support/store/open-store.ts";

const REQUESTS = 2_000;

describeWithPostgres("8 processes that answer the same 2,000 requests", () => {
  test("decide each once and run it at most once, and lose and double nothing, though the server is stopped and killed meanwhile", async () => {
    // Only the server ends, never the machine: what it has written is there.
    await using server = await PostgresServer.start({ folder: inject("runFolder"), fsync: false });
    const text = server.url();
    await using store = openStore(text);
    const ids = Array.from({ length: REQUESTS }, (_, index) => idOf(index));

    const reports = await answering({
      text,
      store,
      processes: 8,
      requests: REQUESTS,
      meanwhile: [
        { answered: 500, act: async () => server.restart() },
        { answered: 1_200, act: async () => server.kill() },
      ],
    });

    const by = new Map(reports.flatMap(({ name, accepted }) => accepted.map((id) => [id, name])));
    expect(reports.flatMap(({ accepted }) => accepted).toSorted()).toEqual(ids.toSorted());
    const toRun = ids.filter((_, index) => index % 3 !== 0).toSorted();
    expect(reports.flatMap(({ claimed }) => claimed).toSorted()).toEqual(toRun);
    expect(reports.flatMap(({ finished }) => finished).toSorted()).toEqual(toRun);
    const found = await Promise.all(ids.map(async (id) => store.find(id)));
    for (const [index, id] of ids.entries())
      expect(found[index]).toMatchObject({
        status: index % 3 === 0 ? "rejected" : "done",
        decision: { by: by.get(id) },
      });
    const told = [...ids.flatMap((id) => [`${id} asked`, `${id} by ${by.get(id)}`]), "last"].toSorted();
    const followed = reports.flatMap((report) => report.followed ?? []);
    expect(followed).toHaveLength(2);
    for (const { names, isInOrder } of followed) {
      expect(isInOrder).toBe(true);
      expect(names.toSorted()).toEqual(told);
    }
  }, 120_000);
});
