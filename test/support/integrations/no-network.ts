/** Given to `node --import`: whatever would connect to another host says so on the standard error, and is over. */
import { writeSync } from "node:fs";
import { Socket } from "node:net";

const connect = Socket.prototype.connect;
Object.assign(Socket.prototype, {
  connect(this: Socket, ...given: readonly unknown[]): Socket {
    const [to] = Array.isArray(given[0]) ? given[0] : given;
    const isPipe = typeof to === "object" && to !== null && "path" in to && typeof to.path === "string";
    const isOwn = typeof to === "string" || isPipe;
    if (isOwn) return Reflect.apply(connect, this, given);
    writeSync(2, `connects to ${JSON.stringify(to)}\n`);
    process.exit(1);
  },
});
