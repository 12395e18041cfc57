import { joinPath } from "../../../src/profile/path.ts";
import { SqliteStore } from "../../../src/store/sqlite.ts";
import { storeContract } from "../../contract/store.ts";
import { folderOfTest } from "../../support/store/folders.ts";

storeContract("a store in a file, seen by two", async (kept) => {
  const file = joinPath(folderOfTest(), "approvals.sqlite");
  return { store: new SqliteStore(file, kept), other: new SqliteStore(file, kept) };
});
