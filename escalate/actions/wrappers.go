package actions

import "slices"

var (
	// shells read the argument of -c as a line of their language.
	shells = []string{"sh", "bash", "rbash", "dash", "ash", "zsh", "ksh", "mksh", "yash", "fish", "csh", "tcsh", "pwsh", "powershell", "nu", "elvish", "xonsh"}
	// interpreters that are not among the readers read a program likewise.
	interpreters = []string{"tclsh", "wish", "julia", "r", "octave", "guile", "racket", "sbcl", "clisp", "groovy", "scala", "elixir", "erl", "escript", "ocaml",
		"raku", "gnuplot", "dc", "pypy", "jruby", "gjs", "qjs"}
	// relays hand their arguments to a shell, here or on another machine, or to
	// what reads them as one does.
	relays = []string{"ssh", "slogin", "mosh", "su", "sg", "runuser", "watch", "script", "parallel", "screen", "tmux", "at", "batch", "crontab", "eval", "expect"}
	// closed run what their arguments say in ways that are not looked into.
	closed = []string{"make", "gmake", "just", "gdb", "lldb", "setarch", "arch", "coreutils", "run-parts", "start-stop-daemon", "bwrap", "dbus-launch", "xterm", "x-terminal-emulator",
		"gnome-terminal", "konsole", "alacritty", "kitty", "foot"}
	// finders run a command on what they find.
	finders = []string{"find", "gfind", "fd", "fdfind"}
	// many are many programs in one, and do what they are called by.
	many = []string{"busybox", "toybox", "coreutils"}
	// alike are other names, by name.
	alike = map[string]string{"nodejs": "node", "gawk": "awk", "mawk": "awk", "nawk": "awk", "original-awk": "awk", "gsed": "sed", "luajit": "lua", "toybox": "busybox",
		"su-exec": "gosu", "podman exec": "docker exec", "podman run": "docker run"}
)

// runnerOf returns how a program of that name runs another, or reads a program.
func runnerOf(name string) (runner, bool) {
	if other, ok := alike[name]; ok {
		name = other
	}
	if r, ok := wrappers[name]; ok {
		return r, true
	}
	options, ok := readers[name]
	switch {
	case slices.Contains(shells, name):
		options, ok = shellOptions, true
	case slices.Contains(interpreters, name):
		options, ok = anyOptions, true
	}
	return runner{options: options, reads: true, mixed: name == "sed"}, ok
}

// wrappers run the program that stands in their arguments, by name, or by that
// and the first argument.
var wrappers = map[string]runner{
	"env":     {assigns: true, options: "-i -v -u: -C: -P: --ignore-environment --null --debug --unset: --chdir: --argv0:"},
	"nice":    {options: "-n: --adjustment:"},
	"ionice":  {options: "-t -c: -n: --ignore --class: --classdata:"},
	"timeout": {operands: 1, free: true, options: "-v -f -p -k: -s: --verbose --foreground --preserve-status --kill-after: --signal:"},
	"nohup":   {},
	"setsid":  {options: "-c -f -w --ctty --fork --wait"},
	"stdbuf":  {options: "-i: -o: -e: --input: --output: --error:"},
	"time":    {options: "-p -v -a -q -f: -o: --portability --verbose --append --quiet --format: --output:"},
	"xargs": {options: "-r -t -p -x -o -e? -i? -l? -a: -d: -E: -I: -J: -L: -n: -P: -R: -S: -s: --null --no-run-if-empty --verbose --exit " +
		"--arg-file: --delimiter: --max-args: --max-procs: --max-chars:"},
	"sudo": {assigns: true, options: "-A -b -E -H -k -n -P -S -C: -D: -g: -p: -R: -r: -T: -t: -U: -u: --non-interactive --set-home --stdin --background " +
		"--user: --group: --chdir: --prompt: --close-from: --chroot: --role: --type: --command-timeout:"},
	"doas":   {options: "-L -n -C: -a: -u:"},
	"pkexec": {options: "--user: --keep-cwd --disable-internal-agent"},
	"gosu":   {operands: 1},
	"chroot": {operands: 1, options: "--userspec: --groups: --skip-chdir"},
	"unshare": {options: "-i -m -n -p -u -U -C -T -f -r -c -S: -G: -R: -w: --ipc --mount --net --pid --uts --user --cgroup --time --fork --map-root-user " +
		"--map-current-user --mount-proc --keep-caps --kill-child --setuid: --setgid: --root: --wd: --propagation:"},
	"nsenter": {options: "-a -F -Z -m? -u? -i? -n? -p? -C? -U? -T? -r? -w? -t: -S: -G: --all --no-fork --mount --uts --ipc --net --pid --cgroup --user --time " +
		"--target: --setuid: --setgid:"},
	"flock": {operands: 1, options: "-e -s -x -n -u -o -F -v -w: -E: --exclusive --shared --nonblock --unlock --close --no-fork --verbose --timeout: --wait: " +
		"--conflict-exit-code:"},
	"taskset": {operands: 1, options: "-a -c --all-tasks --cpu-list"},
	"chrt":    {operands: 1, options: "-a -b -f -i -o -r -d -R -v -T: -P: -D: --batch --fifo --idle --other --rr --deadline"},
	"setpriv": {options: "--no-new-privs --nnp --clear-groups --keep-groups --init-groups --reset-env --reuid: --ruid: --euid: --regid: --rgid: --egid: " +
		"--groups: --inh-caps: --ambient-caps: --bounding-set: --securebits: --pdeathsig:"},
	"prlimit":  {},
	"strace":   {options: "-c -C -d -f -F -h -i -k -n -q -r -t -T -v -V -w -x -y -z -Z -a: -b: -e: -E: -I: -o: -O: -p: -P: -s: -S: -u: -U: -X:"},
	"ltrace":   {options: "-c -C -f -i -L -r -S -t -T -a: -A: -D: -e: -F: -l: -n: -o: -p: -s: -u: -w: -x:"},
	"valgrind": {options: "-q -v --quiet --verbose"},
	"entr":     {options: "-a -c -d -n -p -r -x -z"},
	"systemd-run": {options: "-G -P -q -r -t -d -E: -p: -u: -M: -H: --user --system --scope --wait --pipe --pty --quiet --remain-after-exit --collect --no-block " +
		"--same-dir --no-ask-password --description= --on-active= --on-calendar= --on-boot= --on-startup= --unit: --slice: --service-type: --uid: --gid: " +
		"--nice: --working-directory: --setenv: --property: --timer-property: --host: --machine:"},
	"systemd-inhibit":  {options: "--no-ask-password --why= --what: --who: --mode:"},
	"systemd-cat":      {options: "-t: -p: --identifier: --priority: --stderr-priority: --level-prefix:"},
	"dbus-run-session": {options: "--config-file: --dbus-daemon:"},
	"xvfb-run":         {options: "-a -e: -f: -n: -p: -s: -w: --auto-servernum --server-args:"},
	"caffeinate":       {options: "-d -i -m -s -u -t: -w:"},
	"unbuffer":         {options: "-p"},
	"fakeroot":         {},
	"faketime":         {operands: 1, options: "-m"},
	"torsocks":         {},
	"proxychains":      {options: "-q -f:"},
	"firejail":         {},
	"busybox":          {},
	"command":          {options: "-p -v -V"},
	"npx":              {options: "-y -q --yes --no -p: --package:"},
	"bunx":             {},
	"uvx":              {},
	"docker exec":      {operands: 1, options: "-i -t -d -e: -u: -w: --interactive --tty --detach --env: --user: --workdir:"},
	"docker run":       {operands: 1, options: "-i -t -d --rm --interactive --tty --detach"},
	"kubectl exec":     {operands: 1, options: "-i -t -n: -c: --stdin --tty --namespace: --container:"},
	"bundle exec":      {},
	"uv run":           {},
	"poetry run":       {},
	"pipx run":         {},
}

// shellOptions and anyOptions are the options of shells, and those with which an
// interpreter takes a program.
const (
	shellOptions = "-a -b -e -f -h -i -k -l -m -n -p -r -u -v -x -o: -O: +o: +O: +a +b +e +f +h +m +u +v +x --login --norc --noprofile --posix --restricted " +
		"--rcfile: --init-file: -NoProfile -NoLogo -NonInteractive -File!"
	anyOptions = "-e! -c! -f! --eval! --execute! --expression! --file! --load!"
)

// readers read a program in their own language; these are their options.
var readers = map[string]string{
	"python": "-b -B -d -E -h -i -I -O -q -s -S -u -v -V -x -P -W: -X: -c! -m!",
	"perl":   "-a -c -f -h -n -p -s -S -t -T -u -U -v -w -W -X -C -l -d? -D? -F? -i? -m? -M? -V? -x? -I: -e! -E!",
	"ruby":   "-a -c -h -l -n -p -s -S -v -w -W -F? -i? -K? -T? -x? -C: -I: -r: -E: -e! --jit --yjit --verbose --disable: --enable: --encoding:",
	"node": "-c -i -v -h -r: -C: -e! -p! --eval! --print! --check --interactive --require: --import: --conditions: --no-warnings --no-deprecation " +
		"--enable-source-maps --trace-warnings --use-strict --experimental-strip-types",
	"php":       "-a -e -h -i -l -m -n -q -s -v -w -c: -d: -z: -S: -t: -f! -r! -B! -R! -E! -F! --file! --run!",
	"lua":       "-E -i -v -W -e: -l:", // a script may follow -e
	"osascript": "-i -l: -s: -e!",
	"awk": "-b -c -C -g -h -I -k -M -n -N -P -r -s -S -t -V -d? -D? -o? -p? -F: -v: -W: -e! -f! -E! --source! --file! --exec! -i: -l: --include: --load: " +
		"--field-separator: --assign: --csv --posix --sandbox",
	"sed": "-n -E -r -s -u -z -b -a -i? -e! -f! --expression! --file! --quiet --silent --in-place --regexp-extended --posix --separate --unbuffered " +
		"--null-data --sandbox --follow-symlinks",
	"java":      "-jar! -m! --module! -cp: -classpath: --class-path: -p: --module-path: -D? -X? -ea -da -server",
	"rscript":   "-e! --vanilla --quiet --verbose",
	"deno":      "--eval!",
	"deno eval": "",
	"deno run":  "-A -q -r --quiet --no-prompt --allow-all --allow-read --allow-write --allow-net --allow-env --allow-run --allow-sys",
	"bun":       "-e! -p! --eval! --print!",
	"bun run":   "",
	"deno test": "",
	"deno task": "",
	"deno x":    "",
	"bun x":     "",
	"bun test":  "",
	"bun exec":  "",
}
