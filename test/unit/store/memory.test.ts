import { MemoryStore } from "../../../src/store/memory.ts";
import { storeContract } from "../../contract/store.ts";

storeContract("a store in memory", async (kept) => {
  const store = new MemoryStore(kept);
  return { store, other: store };
});
