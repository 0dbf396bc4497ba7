#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Documents as a reader uses them: their command blocks are taken out of the text and run.

    readme.py covered              every block has an outcome below, and every outcome a block
    readme.py shell LINE COMMAND...
                                   types the blocks of the board's shell into the terminal that
                                   COMMAND opens, then LINE, then exit
    readme.py host                 runs those of the host
    readme.py script               prints a script that runs those of the installed system in it
    readme.py installed FOLDER     looks at what that script left in FOLDER
    readme.py recipe               prints the line that makes the recording of the cookbook
    readme.py cookbook FOLDER      runs the other lines of the cookbook in FOLDER, where the recording
                                   is, and keeps what they print in FOLDER/answers

Prints TAP: a test for each line. A line passes if it ends with status 0 and prints what its
outcome asks for.

A block that begins with ``` or ```sh has commands; a line that ends with \\ goes on in the next one.
Other blocks (```text, ```json) have none; of those only the outcomes below that name a command are compared, with what it prints.
"""
import glob
import os
import re
import shlex
import subprocess
import sys
import time


class Skip(str):
    """A line that is not run, and why"""


class Sometimes(str):
    """A line of what a program prints that is not always there"""


class Host(str):
    """A line of another place's block that the host runs, and what it prints"""


# The order in which their blocks run in one place
FIRST = ('README.md', 'docs/install.md', 'docs/recording.md', 'docs/bring-up.md')
# 57-p550 runs the blocks of this one on a board of its own.
OTHERS = ('docs/boards/p550.md',)

BUSY = 'it takes longer than all other tests, and runs this one'
MADE_UP = 'the recipe makes up a name that is not in the tree'
STYLE = '20-style runs it for every kernel'
SHELL = 'it opens the shell in which the other lines are typed'
FAULTS = '40-kselftest writes these registers, on boards of every generation'
EXPORTS = '38-export writes each format and reads it back'
SEAL = 'unit/test-recording-seal computes these checksums on a recording of its own'

# Where a block runs, by its first line, and for lines (by how they begin) what they print: a regular
# expression. Any output will do for other lines. A picture is not looked at. What a line of the host
# prints is held to the same text, whatever the numbers, and the rows of its tables.
OUTCOMES = (
    ('ls -l /usr/bin', 'build/host/bin/tracectl report build/run', {
        'no image:  ': Sometimes(),
    }),
    ('make demo', 'host', {
        'make demo': Skip(BUSY),
        'make check': Skip(BUSY),
        'make shell': Skip(SHELL),
    }),
    ('make tools', 'host', {
        'build/host/bin/tracectl report': r'main \(program\)',
        'build/host/bin/tracectl decode --summary': r'\b8870\b',
        'build/host/bin/tracectl decode examples': r'main\+0xd6',
    }),
    ('[   0]      0.006506200 U', 'build/host/bin/tracectl decode examples', {}),
    ('rvtraced', 'shell', {}),
    ('build/host/bin/tracectl report', 'host', {
        'build/host/bin/tracectl report': r'\bls\b',
        'build/host/bin/tracectl decode --summary': r'\bls\b',
        'build/host/bin/tracectl decode build': r'[0-9a-f]{8}',
        'build/host/bin/tracectl threads': r'\bls\b',
    }),
    ('tracectl record -o emit.rvtrace', 'shell', {}),
    ('build/host/bin/tracectl events', 'host', {
        'build/host/bin/tracectl events': r'rvtrace-emit',
    }),
    ('tracectl list', 'shell', {
        'tracectl list': r'(?s)encoder0.*funnel0',
        'tracectl discover': r'(?s)encoder0.*filter',
        'tracectl status': r'running',
    }),
    ('modprobe rvtrace', 'shell', {
        'ls /sys/bus': r'encoder0\s+encoder1\s+funnel0',
        'cat /sys/bus/rvtrace_tci/devices/encoder0/inst': r'off branch history',
    }),
    ('companion=', 'shell', {}),
    # Names are known of no process without the companion; errors are counted by kind.
    ('(cd build/run/shell/keep', 'host', {
        # 4: files of the guest that the host lacks
        '(cd build/run/shell/keep': (4, r'(?s)\A(?!.*[1-9][0-9]* errors)(?=.*\bls\b)'),
    }),
    ('tracectl unwrap', 'host', {
        'tracectl': Skip('no logic analyser: 36-unwrap and 37-off-chip do it with what pins did'),
    }),
    ('apt install', 'installed', {
        'apt install': Skip('no network there: 33-install looks at what a build reads'),
        'make tools': Host(''),
        'make install': r'(?s)systemd-sysusers.*udevadm control --reload.*systemctl daemon-reload',
    }),
    ('apt install linux-headers', 'host', {
        'apt install': Skip('the guest compiles no module: 20-style does, for every kernel'),
        'make -C': Skip(STYLE),
    }),
    ('cc program.c', 'host', {
        'cc program.c': Skip('33-install compiles the examples against an installed library'),
    }),
    ('fdtget board.dtb', 'host', {
        'fdtget': Skip('57-p550 looks into the tree of a board'),
        'fdtoverlay': Skip('57-p550 applies an overlay to a tree'),
    }),
    ('dt-mk-schema', 'host', {
        'dt-validate': Skip('25-device-tree validates trees with overlays'),
    }),
    ('modprobe rvtrace && dmesg', 'shell', {
        'modprobe': r'rvtrace',
        'tracectl list': r'(?s)encoder0.*funnel0',
    }),
    ('tracectl discover', 'shell', {
        'tracectl discover': r'(?s)encoder0.*inst_mode',
        'tracectl registers': r'0x',
    }),
    ('tracectl record -o bring-up', 'shell', {
        'tracectl decode --summary': r'\btrue\b',
        'tracectl decode --packets': r'TCODE',
    }),
    ('make -j2 programs unit-tests', 'host', {
        'make SANITIZE=1': Skip('make check builds and runs these programs'),
        'build/host-asan': Skip('make check builds and runs these programs'),
        'selftests/run 12': Skip('make check runs it'),
        'tools/machine/guest': Skip(STYLE),
    }),
    ('make build/host/unit/test-generations build/host/unit/test-register-headers', 'host', {
        'selftests/run 12': Skip('make check runs it'),
        'tools/machine/guest': Skip(STYLE),
    }),
    ('make build/host/bin/tracectl', 'host', {
        'build/host/bin/tracectl --json sinks': Skip(MADE_UP),
    }),
    ('make build/host/unit/test-toy-packet', 'host', {
        'make build': Skip(MADE_UP),
        'build/': Skip(MADE_UP),
    }),
    ('make build/host/unit/test-generations build/host/unit/test-register-names', 'host', {
        'selftests/run 12': Skip('make check runs it'),
        'tools/machine/guest': Skip(STYLE),
    }),
    ('head -c -29 metadata.json', 'host', {
        'head': Skip(SEAL),
        'sed': Skip(SEAL),
        'xxhsum': Skip(SEAL),
        'tail': Skip(SEAL),
    }),
    ('TARGET=riscv64', 'host', {
        'TARGET=riscv64': Skip('75-installed runs it in that image'),
    }),
    ('a=$(rvtrace-fault', 'host', {
        'a=': Skip(FAULTS),
        'rvtrace-fault': Skip(FAULTS),
    }),
    ('systemctl enable', 'installed', {}),
    ('tracectl export --format perfetto', 'host', {
        'tracectl export': Skip(EXPORTS),
    }),
    ('protoc --decode', 'host', {
        'protoc': Skip(EXPORTS),
    }),
    ('sqlite3 ls.db', 'host', {
        'sqlite3': Skip(EXPORTS),
    }),
    ('tracectl record -o first -- sh', 'recipe', {}),
    ('tracectl export --format sqlite -o first.db', 'cookbook', {}),
    ('tracectl report --function __riscv_sys_write', 'cookbook', {
        'tracectl': r'__riscv_sys_write\n.* ksys_write\n(?s:.*)\nslowest: ',
    }),
    ('tracectl decode --output calls --hart 1', 'cookbook', {
        'tracectl': r'\A(tracectl: .*\n)*\[   1\] .*\(earlier\)',
    }),
    ('tracectl report --all first', 'cookbook', {
        'tracectl': r'INTERRUPT\n *[1-9][0-9]* .* interrupt, do_irq',
    }),
    ('sqlite3 -column -header first.db "SELECT waker', 'cookbook', {
        'sqlite3': r'\nholder 1000/1001 +waiter 1000/1002 ',
    }),
    ('sqlite3 -column -header first.db "SELECT duration', 'cookbook', {
        'sqlite3': r'main > write_lines > .* > __riscv_sys_write > ksys_write',
    }),
    ("tracectl report --function '*pthread_mutex_lock'", 'cookbook', {
        'tracectl': r'pthread_mutex_lock\n(?s:.*) \(did not run\)\n(?s:.*)> wait_for_lock\n',
    }),
    ('sqlite3 -column -header first.db "SELECT count', 'cookbook', {
        'sqlite3': r'main > touch_pages > exception > handle_exception > do_page_fault',
    }),
    ('tracectl report --function do_one_initcall', 'cookbook', {
        'tracectl': r' do_one_initcall\n.* \(tun\)\n(?s:.*) misc_register\n',
    }),
    ('tracectl report --thread 1002', 'cookbook', {
        'tracectl': r'rvtrace-recipes/1000\n(?s:.*)SYSTEM CALL\n.* futex\n',
    }),
    ('sqlite3 -column -header first.db "SELECT t.name', 'cookbook', {
        'sqlite3': r'hart_0 +hart_1 +both_ran',
    }),
    ('tracectl record -o first', 'user', {
        'tracectl decode': r'\btrue\b',
    }),
)


class Block:
    def __init__(self, document, kind, lines):
        self.document = document
        self.name = lines[0]
        self.lines = lines
        self.has_commands = kind in ('', 'sh')


def documents():
    listed = subprocess.run(('git', 'ls-files', '*.md'), check=True, text=True, stdout=subprocess.PIPE).stdout
    found = [name for name in listed.splitlines() if name not in OTHERS and os.path.exists(name)]
    return sorted(found, key=lambda name: (FIRST.index(name) if name in FIRST else len(FIRST), name))


def contents(document):
    with open(document, encoding='utf-8') as text:
        return text.read()


def blocks():
    found = []
    for document in documents():
        for kind, text in re.findall(r'^```([a-z]*)\n(.*?)^```$', contents(document), re.M | re.S):
            lines = [line for line in re.sub(r'\\\n\s*', '', text).splitlines() if line.strip()]
            found.append(Block(document, kind, lines))
    return found


def outcome(block):
    """Place and lines of a block"""
    fits = [o for o in OUTCOMES if block.name.startswith(o[0])]
    return max(fits, key=lambda o: len(o[0]))[1:] if fits else (None, {})


def expected(line, lines):
    fits = [begin for begin in lines if line.startswith(begin)]
    return lines[max(fits, key=len)] if fits else ''


def lines_of(*places):
    """Lines of blocks that belong to a place, and what they print"""
    for block in blocks():
        where, lines = outcome(block)
        for line in block.lines if block.has_commands else ():
            wanted = expected(line, lines)
            if isinstance(wanted, Host):
                if 'host' in places:
                    yield where, line, wanted
            elif where in places:
                yield where, line, wanted


class Tap:
    def __init__(self):
        self.number = 0
        self.failed = 0
        print('TAP version 13')

    def result(self, good, name, notes=''):
        self.number += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.number} - {name}")
        if not good:
            lines = notes.splitlines()
            for note in lines if len(lines) <= 40 else lines[:10] + ['[...]'] + lines[-30:]:
                print('#', note)
        sys.stdout.flush()

    def line(self, line, wanted, status, printed):
        notes = f'status {status}, wanted: {wanted!r}\n{printed}'
        expected, wanted = wanted if isinstance(wanted, tuple) else (0, wanted)
        self.result(status == expected and re.search(wanted, printed) is not None, line.split('  #')[0].strip(), notes)

    def skip(self, line, why):
        self.number += 1
        print(f"ok {self.number} - {line.split('  #')[0].strip()} # SKIP {why}")

    def end(self):
        print(f'1..{self.number}')
        return self.failed != 0


class Terminal:
    """A terminal of tmux, and whoever types at it"""

    def __init__(self, command, prompt):
        self.server = f'rvtrace-{os.getpid()}'
        self.prompt = re.compile(prompt)
        self.tmux('-f', '/dev/null', 'new-session', '-d', '-x', '160', '-y', '50', shlex.join(command) +
                  '; echo "ended: $?"; sleep 1000', ';', 'set-option', '-g', 'history-limit', '100000')

    def tmux(self, *arguments):
        return subprocess.run(('tmux', '-L', self.server, *arguments), check=True, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout

    def screen(self):
        return [line.rstrip() for line in self.tmux('capture-pane', '-p', '-J', '-S', '-').rstrip().splitlines()]

    def wait(self, ready, what, limit=600):
        """The screen, when it is as asked for. The limit is for what never ends."""
        late = time.monotonic() + limit
        while True:
            screen = self.screen()
            if ready(screen):
                return screen
            if time.monotonic() > late or any(line.startswith('ended: ') for line in screen):
                raise TimeoutError(f'{what}:\n' + '\n'.join(screen[-40:]))
            time.sleep(0.2)

    def ready(self, screen):
        return bool(screen) and self.prompt.fullmatch(screen[-1]) is not None

    def type(self, text):
        self.tmux('send-keys', '-l', '--', text)
        self.tmux('send-keys', 'Enter')

    def line(self, text):
        """What a line prints. The screen is empty before it, and has no prompt until it has ended."""
        self.tmux('send-keys', '-R')
        self.tmux('clear-history')
        self.type(text)
        return self.wait(self.ready, text)[1:-1]

    def run(self, text):
        printed = self.line(text)
        status = self.line('echo $?')
        # A job that ended meanwhile is told of next to it.
        return int(next(line for line in status if line.isdigit())), '\n'.join(printed)

    def close(self):
        subprocess.run(('tmux', '-L', self.server, 'kill-server'), check=False, stderr=subprocess.DEVNULL)


def covered():
    tap = Tap()
    names = [b.name for b in blocks()]
    for block in blocks():
        where, _ = outcome(block)
        if where is None and not block.has_commands:
            continue
        tap.result(where is not None, f'{block.document}: the block {block.name!r} has an outcome')
    for begin, _, lines in OUTCOMES:
        tap.result(any(name.startswith(begin) for name in names), f'a document has the block {begin!r}')
        text = [line for block in blocks() if outcome(block)[1] is lines for line in block.lines]
        for start in lines:
            tap.result(any(line.startswith(start) for line in text), f'{start!r} is a line of it')
    for command in sorted(prose_commands()):
        missing = missing_of(shlex.split(command))
        tap.result(not missing, f'there is {command!r}', missing)
    return tap.end()


def prose_commands():
    """Commands between backticks, outside of blocks"""
    found = set()
    for document in documents():
        prose = re.sub(r'^```.*?^```$', '', contents(document), flags=re.M | re.S)
        found |= {' '.join(command.split()) for command in re.findall(r'`([^`]+)`', prose)}
    return {command for command in found if re.match(r'(make|tracectl) [a-z]', command)}


def missing_of(words):
    """What a command names that is missing"""
    if words[0] == 'make':
        makefiles = ['Makefile', *glob.glob('**/build.mk', recursive=True)]
        targets = {name for file in makefiles for names in re.findall(r'^([a-z -]+):', contents(file), re.M)
                   for name in names.split()}
        benches = [name.partition('-')[2] for name in os.listdir('selftests/bench')]
        only = [word[5:] for word in words if word.startswith('ONLY=')]
        return ' '.join([word for word in words[1:2] if word not in targets] +
                        [name for name in only if name not in benches])
    told = subprocess.run(('build/host/bin/tracectl', words[1], '--help'), check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if told.returncode:
        return told.stdout
    options = [word.partition('=')[0] for word in words[:words.index('--') if '--' in words else None]]
    return ' '.join(option for option in options
                    if option.startswith('-') and not re.search(rf'(?m)(?<![\w-]){option}\b', told.stdout))


CLASSES = 'kernel threads|idle|udev|rvtraced and tracectl|other processes|unknown processes'


def shape(line):
    """A line of a report, whatever was recorded"""
    line = re.sub(r'[0-9][0-9.]*', '0', ' '.join(line.split()))
    line = re.sub(rf'\b({CLASSES}) 0%,? ?', '', line)
    line = re.sub(r'(\bat most |[~<>])?\b0 [mun]?s\b|(?<= )-(?= )', '0', line)
    return re.sub(r'^(0 0% 0 0% 0%|0 0 0 0 0) .+', r'\1 NAME', line)


def shown(tap, line, printed):
    """What a document says that a line prints has the shapes of what it does print"""
    shapes = {shape(row) for row in printed.splitlines()}
    for block in blocks():
        where, rows = outcome(block)
        if where in (None, 'host') or not line.startswith(where):
            continue
        others = [row for row in block.lines if shape(row) not in shapes and
                  not isinstance(expected(row, rows), Sometimes)]
        tap.result(not others, f'it prints what {block.document} shows: {block.name}', '\n'.join(others + ['printed:', printed]))


def run_line(tap, where, line, wanted):
    if isinstance(wanted, Skip):
        tap.skip(line, wanted)
        return
    done = subprocess.run(('bash', '-c', line), check=False, text=True, errors='replace', stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    tap.line(line, wanted, done.returncode, done.stdout)
    shown(tap, line, done.stdout)


def host():
    tap = Tap()
    for where, line, wanted in lines_of('host'):
        run_line(tap, where, line, wanted)
    return tap.end()


def shell(last, command):
    tap = Tap()
    terminal = Terminal(command, r'rvtrace:\S*#')
    try:
        terminal.wait(terminal.ready, 'the shell')
        tap.result(True, 'a shell opens')
        for _, line, wanted in lines_of('shell'):
            if isinstance(wanted, Skip):
                tap.skip(line, wanted)
            else:
                tap.line(line, wanted, *terminal.run(line))
        terminal.line(last)
        terminal.type('exit')
        ended = terminal.wait(lambda s: s and s[-1].startswith('ended: '), 'exit')[-1]
        tap.result(ended == 'ended: 0', 'exit ends it', ended)
    except TimeoutError as late:
        tap.result(False, 'the shell', str(late))
    finally:
        terminal.close()
    return tap.end()


def script():
    print('mkdir -p /host/readme && cd /src || exit')
    for n, (where, line, wanted) in enumerate(lines_of('installed', 'user')):
        if isinstance(wanted, Skip):
            continue
        if where == 'user':
            command = f'su - alice -c {shlex.quote(line)}'
        else:
            command = f'eval {shlex.quote(line)}'
        print(f'{command} > /host/readme/{n} 2>&1 < /dev/null; echo $? > /host/readme/{n}.status')


def installed(folder):
    tap = Tap()
    for n, (_, line, wanted) in enumerate(lines_of('installed', 'user')):
        if isinstance(wanted, Skip):
            tap.skip(line, wanted)
            continue
        try:
            with open(f'{folder}/{n}', encoding='utf-8', errors='replace') as printed, \
                    open(f'{folder}/{n}.status', encoding='utf-8') as status:
                tap.line(line, wanted, int(status.read()), printed.read())
        except (OSError, ValueError) as error:
            tap.result(False, line, str(error))
    return tap.end()


def recipe():
    print(*(line for _, line, _ in lines_of('recipe')), sep='\n')


def cookbook(folder):
    """Answers are numbered as the document has them; 0 makes the database"""
    tap = Tap()
    tools = dict(os.environ, PATH=os.path.abspath('build/host/bin') + ':' + os.environ['PATH'])
    os.makedirs(f'{folder}/answers', exist_ok=True)
    for n, (_, line, wanted) in enumerate(lines_of('cookbook')):
        done = subprocess.run(('bash', '-c', line), cwd=folder, env=tools, check=False, text=True, errors='replace',
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        tap.line(line, wanted, done.returncode, done.stdout)
        with open(f'{folder}/answers/{n}', 'w', encoding='utf-8') as answer:
            answer.write(done.stdout)
    return tap.end()


def main():
    commands = {'recipe': recipe, 'cookbook': cookbook,
                'covered': covered, 'host': host, 'shell': lambda last, *command: shell(last, command), 'script': script, 'installed': installed}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    sys.exit(commands[sys.argv[1]](*sys.argv[2:]))


if __name__ == '__main__':
    main()
