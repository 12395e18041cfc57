/** A text that runs the stand-in `zz` wherever bash calculates with it. */
const INDEX = "a[$(zz)]";
const X = `x='${INDEX}'`;

/** Lines in which text of a variable or of a word could become code, or another program could take a name's place. */
export const ATTACKS: readonly string[] = [
  // Values that bash may calculate with.
  ...[
    '[ "$x" -eq 0 ]',
    'test "$x" -nt y',
    '[ -t "$x" ]',
    '[ -n "$x" ]',
    '[ -o "$x" ]',
    '[ -n "$x" -a -v "$x" ]',
  ],
  ...[
    "printf '%d' \"$x\"",
    "printf '%*d' \"$x\" 1",
    "printf '%(%s)T' \"$x\"",
    'printf -v "$x" y',
    'printf "%s%n" y "$x"',
  ],
  ...[
    'exit "$x"',
    "exit $x",
    'shift "$x"',
    'for i in 1; do break "$x"; done',
    'for i in 1; do continue "$x"; done',
  ],
  ...[
    'wait "$x"',
    'return "$x"',
    'ulimit -n "$x"',
    'umask "$x"',
    'kill "$x"',
    'kill -l "$x"',
    'pwd "$x"',
    'disown "$x"',
  ],
  ...[
    'cd "$x"',
    'pushd "$x"',
    'popd "$x"',
    'dirs "$x"',
    'type "$x"',
    'command -v "$x"',
    'hash "$x"',
    'unset "$x"',
  ],
  ...[
    'echo "${x:-1}" "${x%y}" "${x/a/b}" "${#x}" "${x^^}" "${x:0:1}"',
    'echo "${y:x}"',
    'echo "${y:0:x}"',
    "echo ${y[x]}",
  ],
  ...[
    'cat <<< "$x"',
    ': > "$x"',
    "case $x in $x) :;; esac",
    "[[ $x == a ]]",
    "[[ x -eq 1 ]]",
    "[[ $x -eq 1 ]]",
    "[[ -v $x ]]",
  ],
  ...[
    ": $((x))",
    "let x",
    "((x))",
    "y[x]=1",
    "for ((i=x;;)); do break; done",
    "echo $[x]",
    'read -r y <<< "$x"; [ "$y" = 1 ]',
  ],
  ...[
    "i=0; i+=$x; echo $((i))",
    "i=0; i=$x; echo $((i))",
    'for i in 1 "$x"; do echo $((i)); done',
    "echo $((i)); i=0",
  ],
  ...[
    'i=0; read i <<< "$x"; echo $((i))',
    "zz || i=0; i=$x; echo $((i))",
    "echo $((1 + x))",
    "echo {1..3} $x",
    'read "$x"',
  ],
  ...[
    'export "$x"',
    "export CI=$x",
    "CI=$x :",
    'set -e; test -n "$x"',
    '[ "$x" ]; [ ! "$x" ]',
    '[ ! "$x" -eq 0 ]',
    'jobs "$x"',
  ],
  ...[
    "cat <<E\n$((x))\nE",
    "cat <<E\n${y:x}\nE",
    'echo "${x:-$((x))}"',
    'getopts "$x" y',
    'mapfile "$x"',
    "declare -i y=$x",
  ],
  ...[
    'declare "$x=1"',
    'local "$x=1"',
    'readonly "$x=1"',
    '[ -N "$x" ]; [ -a "$x" ]; [ -S "$x" ]',
    'test -f "$x" -o -v "$x"',
  ],
].map((rest) => `${X}; ${rest}`);

/** Lines in which an unknown word takes the place of an operator or an option. */
export const DISPLACED: readonly string[] = [
  `x=-v; y='${INDEX}'; [ "$x" "$y" ]`,
  `x=-v; y='${INDEX}'; test "$x" "$y"`,
  `x='! -v'; y='${INDEX}'; [ ! "$x" "$y" ]`,
  `x=-v; y='${INDEX}'; [ ! "$x" "$y" ]`,
  `x='-v ${INDEX.replaceAll(" ", "")} -o q'; [ $x = y ]`,
  `x=-v; printf "$x" '${INDEX}' y`,
  `x='-v ${INDEX} y'; printf $x`,
  "x=-v; printf -- $x",
  `x='-p${INDEX}'; : & wait -n "$x"`,
  `x='-p ${INDEX}'; : & wait -n $x`,
  'x=-v; [ "$x" = "$x" ]',
  'x=zz; "$x"',
  "x=zz; $x",
  'x=zz; command "$x"',
  'x=-c; y=zz; bash "$x" "$y"; eval "$y"',
  "x='1 OTHER=y'; \\export CI=$x; aa",
  "x='a b'; aa sub/$x",
  "x='-o a'; aa \"$x\" $x",
  "x='zz'; trap $x EXIT",
  "x='zz'; alias aa=$x",
  "set -- -v 'a[$(zz)]'; [ -n \"${x:-$@}\" ]",
];

/** Settings by which bash runs something at once or later, or reads the rest in another way. */
export const SETTINGS: readonly string[] = [
  "TIMEFORMAT='$(zz)'; time :",
  "PS4='$(zz)'; set -x; :",
  "PS4='$(zz)' : ; set -x; :",
  "LANG=zh_CN.GBK; :",
  "BASH_ENV=zz; :",
  "PATH=.:$PATH; ok",
  "export PATH=.; aa",
  "PROMPT_COMMAND=zz; :",
  "IFS=z; x=azz; $x",
  "shopt -s extglob; aa @(x)",
  "aa() { zz; }; aa",
  "function aa { zz; }; aa",
  "coproc zz",
  "exec zz",
  "hash -p $PATH/zz aa; aa",
  "eval zz",
  'eval "z"z',
  "trap 'zz' EXIT",
  "enable -n echo; echo",
  "set -k; aa BASH_ENV=zz",
  "jobs -x zz",
  "declare -n x=PATH; x=.",
  "complete -C zz aa; compgen -C zz",
  "select x in zz; do $x; done <<< 1",
];

/** Lines that two readers may take apart in two ways. */
export const TORN: readonly string[] = [
  "cat <<< <(aa)zz",
  "aa <(bb)zz",
  "aa b<(zz)",
  "aa $((bb) ; (zz))",
  "echo $((1)+(2))",
  "i=0; aa $((i)+(zz))",
  'aa ${x:-"a}"}; zz',
  "aa \"${x:-'}\"; zz; : '}'\"",
  "aa <<E\n$(bb\nE\nzz)\nE\n",
  "aa <<E\nx\\\nE\nzz\nE\n",
  "aa[ x; zz ]",
  "x=1 aa[ x; zz ]=1",
  "{a['$(zz)']}>&2",
  "aa {a['$(zz)']}>&2",
  "case x in x) aa ;; (y) zz ;; esac",
  "for x in in; do aa; done; zz",
  "aa $(case x in x) bb;; esac)",
  "aa $(bb # )\n); zz",
  "aa `echo \\`zz\\``",
  "${x-zz}",
  "(i=0); aa $((i))",
  "i=0 | aa; aa $((i))",
  "if aa; then i=0; fi; aa $((i))",
  "aa=zz; $aa",
  "1\\\n2>x zz",
  'aa "$(cat <<E\n$x\nE\n)"',
  "aa \"$(cat <<'E'\nb\n\n\nE\n)\"",
];

/** Lines that open files and change to folders. */
export const MOVING: readonly string[] = [
  "cd sub; aa >f; cd ..; aa <x; cd sub/..; aa",
  "for x in a b c; do cd ..; aa; done",
  "while cd ..; aa; do bb >g; done",
  "(cd sub && aa >>f); aa 2>f",
  'cd "$x"; aa; cd -; aa',
  "pushd sub; aa; popd; aa; cd; aa; cd ~/sub; aa",
  "aa &>f <>g >|h; read x <ok; aa $(<x)",
  ">f; aa $(bb >g) <(cc <x) > >(dd >h)",
  "cat <<E >f\n$(aa <x)\nE",
  "cd no; aa >f; cd sub || cd ..; aa >g",
  "if [ -d sub ]; then cd sub; fi; aa; bb <../x",
];

/** All of them. */
export const ATTACK_LINES: readonly string[] = [...ATTACKS, ...DISPLACED, ...SETTINGS, ...TORN, ...MOVING];

const VALUES = [
  INDEX,
  "-v",
  `-v${INDEX}`,
  "-p",
  `-p${INDEX}`,
  `-u${INDEX}`,
  `-n${INDEX}`,
  `+${INDEX}`,
  `%${INDEX}`,
  "--",
  "!",
  "(",
];
const FORMS = [
  ...[
    'NAME "$x"',
    "NAME $x",
    'NAME "$x" "$y"',
    "NAME $x $y",
    'NAME -n "$x"',
    'NAME -- "$x"',
    'NAME -n "$x" "$y"',
  ],
  ...[
    'NAME "$x" = "$y"',
    'NAME ! "$x" "$y"',
    'NAME -f "$x"',
    ': & NAME "$x"',
    ': & NAME -n "$x" $y',
    'NAME x "$y"',
  ],
  ...['NAME "$x" -eq "$y"', 'NAME a="$y"', 'NAME CI="$y"', 'NAME -v "$x"', 'NAME %s "$x"'],
];

/** Each form of a command of bash with unknown words, and each value that these may have. */
export function* builtinLines(names: readonly string[]): Generator<string> {
  for (const name of names)
    for (const form of FORMS)
      for (const value of VALUES) {
        const end = name === "[" ? " ]" : "";
        yield `x='${value}'; y='${INDEX}'; ${form.replace("NAME", name)}${end}`;
      }
}

/** Each way in which a line sets a variable to a text that runs `zz` if bash calculates with it, before a command. */
export function settingLines(name: string, command = "aa"): readonly string[] {
  return [
    ...[INDEX, "$(zz)"].flatMap((value) => [
      `${name}='${value}'; ${command}`,
      `${name}='${value}' ${command}`,
      `export ${name}='${value}'; ${command}`,
      `read -r ${name} <<< '${value}'; ${command}`,
      `for ${name} in '${value}'; do ${command}; done`,
    ]),
    `unset ${name}; ${command}`,
  ];
}
