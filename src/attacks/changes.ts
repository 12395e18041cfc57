/** rename(2) alone: mv(1) asks and does more, and differs between platforms. */
export function renamed(from: string, to: string): string {
  return `perl -e 'rename($ARGV[0], $ARGV[1]) or exit 1' ${from} ${to}`;
}

/** symlink(2) alone. */
export function linked(target: string, path: string): string {
  return `perl -e 'symlink($ARGV[0], $ARGV[1]) or exit 1' ${target} ${path}`;
}
