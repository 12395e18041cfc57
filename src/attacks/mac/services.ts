import { type Attack, on, sameOutside } from "../attack.ts";

/** How long a program may wait for a service that it does not get, in seconds. */
const MAX_S = 10;

/** The reason why a control may find nothing: no user is logged in at the screen, or there is nothing to report. */
const HEADLESS = "this service returns no data here, for example without a user at the screen";

/** Services that act for any caller. Each request changes and shows nothing, even if it succeeds. */
const ASKED: readonly (readonly [title: string, line: string])[] = [
  ["LaunchServices, which opens applications, does not answer", printsAnything("lsappinfo list")],
  ["the jobs of launchd are not visible", printsAnything('launchctl print "user/$(id -u)"')],
  ["the jobs of the session at the screen are not visible", printsAnything('launchctl print "gui/$(id -u)"')],
  ["no pasteboard can be read", printsAnything("pbpaste -pboard find")],
  [
    "the rights that need a password are not visible",
    printsAnything("security authorizationdb read system.preferences"),
  ],
  ["the user's preferences are not visible", printsAnything("defaults read com.apple.dock")],
  ["the disks are not visible", printsAnything("diskutil list")],
  [
    "the index of all files cannot be searched",
    `[ "$(${bounded(`mdfind -onlyin /Applications -count 'kMDItemContentType == "com.apple.application-bundle"'`)})" -gt 0 ]`,
  ],
  ["the user accounts are not visible", printsAnything("dscl . -list /Users")],
];

/** No service of the system does anything for a program inside. */
export function ofServices(): readonly Attack[] {
  return on(
    "darwin",
    ASKED.map(([title, line]) => sameOutside("services", title, line, { controlMayFail: HEADLESS })),
  );
}

function printsAnything(program: string): string {
  return `${bounded(program)} | grep -q .`;
}

function bounded(program: string): string {
  return `perl -e 'alarm ${MAX_S}; exec @ARGV' ${program}`;
}
