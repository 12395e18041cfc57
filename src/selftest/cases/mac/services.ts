import { type Case, on, outside } from "../../case.ts";

/** How long a program may wait for a service that it does not get, in seconds. */
const MOST_S = 10;

/** Why a twin may say nothing where nobody has logged in at the screen, or nothing is there to be told. */
const HEADLESS = "this service has nothing to tell here, as where nobody is logged in at the screen";

/**
 * Services of the system that act for whoever asks them. Each is asked something that changes nothing and shows nothing on
 * the screen, also where it answers.
 */
const ASKED: readonly (readonly [title: string, line: string])[] = [
  ["LaunchServices, which opens applications, answers nobody", told("lsappinfo list")],
  ["the jobs of launchd are not told", told('launchctl print "user/$(id -u)"')],
  ["nor are those of the session at the screen", told('launchctl print "gui/$(id -u)"')],
  ["no pasteboard is read", told("pbpaste -pboard find")],
  ["what rights take a password is not told", told("security authorizationdb read system.preferences")],
  ["the user's preferences are not told", told("defaults read com.apple.dock")],
  ["the disks are not told", told("diskutil list")],
  [
    "the index of all files is not searched",
    `[ "$(${bounded(`mdfind -onlyin /Applications -count 'kMDItemContentType == "com.apple.application-bundle"'`)})" -gt 0 ]`,
  ],
  ["the accounts of people are not listed", told("dscl . -list /Users")],
];

/** No service of the system does anything for a program inside. */
export function ofServices(): readonly Case[] {
  return on(
    "darwin",
    ASKED.map(([title, line]) => ({
      claim: "services",
      title,
      attack: line,
      twin: outside(line),
      twinMayFail: HEADLESS,
    })),
  );
}

/** Done where the program says anything. */
function told(program: string): string {
  return `${bounded(program)} | grep -q .`;
}

/** It is ended at its time. */
function bounded(program: string): string {
  return `perl -e 'alarm ${MOST_S}; exec @ARGV' ${program}`;
}
