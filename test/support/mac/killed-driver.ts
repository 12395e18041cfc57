/** A supervisor of macOS, with the stand-in, as a process of its own: runs one script again and again until it is killed. */
import { thisHost } from "../../../src/host/look/host.ts";
import { absolutePath } from "../../../src/profile/path.ts";
import { createSupervisor } from "../../../src/session/supervisor.ts";

const [config = "", cwd = "", standIn = "", script = ""] = process.argv.slice(2);
const host = thisHost({
  platform: "darwin",
  operatorFolders: [],
  helperFolders: [standIn, "/usr/bin", "/bin"].map(absolutePath),
});
const supervisor = await createSupervisor({ config, cwd: absolutePath(cwd), host });
process.stdout.write("made\n");
const session = supervisor.session({ caller: "person" });
for (;;) {
  const outcome = await session.call("shell", { script });
  process.stdout.write(`${outcome.kind}\n`);
}
