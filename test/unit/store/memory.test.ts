import { MemoryStore } from "../../../src/store/memory.ts";
import { storeContract } from "../../contract/store.ts";

storeContract("a store in memory", (kept) => new MemoryStore(kept));
