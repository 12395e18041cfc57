import type { Group } from "../row.ts";

/** A wheel made by hand, for `pip` without downloads (PEP 427). */
const WHEEL = `import zipfile
with zipfile.ZipFile("greet-1.0-py3-none-any.whl", "w") as wheel:
    wheel.writestr("greet.py", "def hi(): return 'hello'\\n")
    info = "greet-1.0.dist-info/"
    wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: greet\\nVersion: 1.0\\n")
    wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nGenerator: hand\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(info + "RECORD", "greet.py,,\\n" + info + "METADATA,,\\n" + info + "WHEEL,,\\n" + info + "RECORD,,\\n")
`;

/** Python and other interpreters. */
export const LANGUAGES: Group = {
  title: "Python and other languages",
  rows: [
    {
      name: "python3",
      does: "`subprocess`, threads, `tempfile`, `mmap`, `fcntl` locks",
      needs: ["python3"],
      files: {
        "a.py": `import fcntl, mmap, subprocess, tempfile, threading
assert subprocess.run(["sh", "-c", "cat; exit 3"], input=b"x", capture_output=True).returncode == 3
found = []
threads = [threading.Thread(target=found.append, args=(n,)) for n in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
assert sorted(found) == [0, 1, 2, 3]
with tempfile.NamedTemporaryFile() as f:
    f.truncate(4096); mmap.mmap(f.fileno(), 4096)[0:2] = b"ab"
with open("lock", "w") as f:
    fcntl.flock(f, fcntl.LOCK_EX); fcntl.lockf(f, fcntl.LOCK_EX)
`,
      },
      line: ["python3 a.py"],
      isQuick: true,
    },
    {
      name: "python3 multiprocessing",
      does: "a pool, a queue, shared memory, `forkserver` and `spawn`",
      needs: ["python3"],
      files: {
        "a.py": `import multiprocessing as mp
from multiprocessing import shared_memory
def square(n): return n * n
if __name__ == "__main__":
    for how in ("fork", "forkserver", "spawn"):
        with mp.get_context(how).Pool(2) as pool: assert pool.map(square, range(4)) == [0, 1, 4, 9]
    queue = mp.Queue(); queue.put("x"); assert queue.get() == "x"
    block = shared_memory.SharedMemory(create=True, size=100); block.buf[0] = 1; block.close(); block.unlink()
    with mp.Manager() as manager: assert list(manager.list([1])) == [1]
`,
      },
      line: ["python3 a.py"],
    },
    {
      name: "python3 asyncio",
      does: "a server and its client, a child process, signals",
      needs: ["python3"],
      files: {
        "a.py": `import asyncio, os, signal
async def main():
    async def serve(reader, writer): writer.write(await reader.readline()); writer.close()
    server = await asyncio.start_server(serve, "localhost", 0)
    reader, writer = await asyncio.open_connection("localhost", server.sockets[0].getsockname()[1])
    writer.write(b"x\\n"); assert await reader.readline() == b"x\\n"
    child = await asyncio.create_subprocess_exec("echo", "y", stdout=-1)
    assert (await child.communicate())[0] == b"y\\n"
    seen = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, seen.set)
    os.kill(os.getpid(), signal.SIGUSR1); await asyncio.wait_for(seen.wait(), 5)
asyncio.run(main())
`,
      },
      line: ["python3 a.py"],
    },
    {
      name: "python3 sqlite3",
      does: "a database with a write-ahead log",
      needs: ["python3"],
      line: [
        'python3 -c \'import sqlite3; d = sqlite3.connect("a.db"); d.execute("pragma journal_mode=wal"); d.execute("create table t(a)"); d.execute("insert into t values (1)"); d.commit(); assert d.execute("select a from t").fetchone() == (1,)\'',
      ],
    },
    {
      name: "pip",
      does: "`venv` in the project, a local wheel, `python -m`; nothing is downloaded",
      needs: ["python3"],
      files: { "wheel.py": WHEEL },
      line: [
        "python3 wheel.py",
        "python3 -m venv .venv",
        ".venv/bin/pip install -q --no-index ./greet-1.0-py3-none-any.whl",
        ".venv/bin/python -c 'import greet; assert greet.hi() == \"hello\"'",
      ],
    },
    {
      name: "pip, a venv made before",
      does: "an environment in the project that the person made and activated is the `python3` of later calls",
      needs: ["python3"],
      files: { "wheel.py": WHEEL },
      before: [
        "python3 wheel.py",
        "python3 -m venv .venv",
        ".venv/bin/pip install -q --no-index ./greet-1.0-py3-none-any.whl",
      ],
      line: [". .venv/bin/activate", "python3 -c 'import greet'", "pip --version"],
    },
    {
      name: "python3 unittest",
      does: "tests, found by name",
      needs: ["python3"],
      files: {
        "test_a.py":
          "import unittest\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 1)\n",
      },
      line: ["python3 -m unittest -q"],
    },
    {
      name: "perl",
      does: "`fork`, pipes, a regular expression over a file",
      needs: ["perl"],
      line: [
        String.raw`printf 'a1\nb2\n' > f`,
        String.raw`[ "$(perl -ne 'print $1 if /(\d)/' f)" = 12 ]`,
        "perl -e 'my $p = fork // die; exit 3 unless $p; waitpid $p, 0; exit($? >> 8 != 3)'",
      ],
    },
    {
      name: "ruby",
      does: "`fork`, threads, a socket, `Tempfile`",
      needs: ["ruby"],
      line: [
        String.raw`ruby -rsocket -rtempfile -e 'Process.wait(fork { exit 0 }); s = TCPServer.new("127.0.0.1", 0); t = Thread.new { s.accept.puts "x" }; abort unless TCPSocket.new("127.0.0.1", s.addr[1]).gets == "x\n"; t.join; Tempfile.create { |f| f.write "x" }'`,
      ],
    },
    {
      name: "php",
      does: "its extensions, and its web server asked for a page",
      needs: ["php", "curl"],
      files: { "index.php": '<?php echo "hello ", array_sum([1, 2]);' },
      line: [
        "php -r 'exit(extension_loaded(\"phar\") ? 0 : 1);'",
        "php -S 127.0.0.1:{free} &",
        "[ \"$(curl -sf --retry 20 --retry-delay 1 --retry-connrefused http://127.0.0.1:{free}/)\" = 'hello 3' ]",
      ],
    },
  ],
};
