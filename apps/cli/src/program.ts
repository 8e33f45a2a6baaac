import { Argument, Command, Option } from 'commander';
import { HANDLE_PATTERN } from '@agentrelay/protocol';
import { version } from '@agentrelay/version';
import {
  isClient,
  parseClient,
  parseDuration,
  parseHandle,
  parseKeyId,
  parseLimit,
  parseOverlap,
  parseRelayUrl,
  parseThreadId,
  parseTime,
  parseTimeout,
} from './arguments';
import { withEvidence } from './evidence-options';
import { CLIENT_CHOICE } from './installers/client';
import { ListOption } from './list-option';
import type { Output } from './output';
import { redactedUsage } from './redact';

type Run = (out: Output, ...args: never[]) => unknown;

/** Runs a command's file, loaded only now, and takes a number that it returns for the exit code. */
function lazily(load: () => Promise<{ run: Run }>): (...args: unknown[]) => Promise<void> {
  return async (...args) => {
    const command = args.at(-1) as Command;
    const [{ run }, { Output }] = await Promise.all([load(), import('./output.js')]);
    const out = new Output(command.optsWithGlobals<{ json?: boolean }>().json === true);
    const code = await run(out, ...(args as never[]));
    if (typeof code === 'number') process.exitCode = code;
  };
}

/** An argument belongs to one command: a shared one would change for all. */
function handle(name = '<handle>'): Argument {
  return new Argument(name, 'like frank@acme').argParser(parseHandle);
}

const RELAY = new Option('--relay <url>', 'the relay, when AGENTRELAY_URL and config.json do not name it').argParser(
  parseRelayUrl,
);
const FORCE = new Option('--force', 'replace what this workstation is connected as');
const INSECURE = new Option('--insecure', 'go on although others on the way can read and change what is sent');
const NO_RULES = new Option('--no-rules', 'only the MCP entry; rules that install wrote come out');
const CLIENT = new ListOption('--client <name...>', CLIENT_CHOICE, isClient).argParser(parseClient);

const STATES = ['pending', 'accepted', 'completed', 'cancelled'];
/** What may follow the first path: a handle is the teammate whom the command is about. */
const isPath = (word: string): boolean => !HANDLE_PATTERN.test(word);

const KEY = new Option('--idempotency-key <key>', 'stored once, however often it is sent; without it one is made');
const TIMEOUT = new Option('--timeout <duration>', 'like 30s or 2h, at most 1d')
  .argParser(parseTimeout)
  .default(parseTimeout('5m'), '5m');

const EXPIRES = new Option('--expires <duration>', 'like 12h or 7d, at most 30d')
  .argParser(parseDuration)
  .default(parseDuration('24h'), '24h');

/** Every command with its arguments and options. docs/cli.md and the completions are made from this. */
export function buildProgram(): Command {
  const program = new Command('agentrelay')
    .usage('<command> [options]')
    .version(version())
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError('Run it with --help for what it takes.')
    .configureOutput({ outputError: (text, write) => write(redactedUsage(text, process.argv.slice(2))) })
    .exitOverride();
  /** A subcommand that can answer in JSON. */
  const add = (parent: Command, name: string, description: string): Command =>
    parent.command(name).description(description).option('--json', 'print one JSON document');

  add(program, 'join', 'connect this workstation with an invite')
    .argument('<invite-url>', "the whole link, in quotes: '…/join#v1.…'")
    .option('--name <name>', 'how teammates see you')
    .addOption(CLIENT)
    .addOption(FORCE)
    .addOption(INSECURE)
    .addOption(NO_RULES)
    .action(lazily(() => import('./commands/join.js')));
  add(program, 'install', 'connect coding agents: MCP entry and permission rules')
    .addOption(CLIENT)
    .option('--dry-run', 'show what would change, change nothing')
    .option('--uninstall', 'take out exactly what install added')
    .addOption(NO_RULES)
    .option('--force', 'replace an entry that something else wrote')
    .action(lazily(() => import('./commands/install.js')));
  add(program, 'doctor', 'check everything from the config file to the relay')
    .option('--fix', 'mend what can be mended')
    .action(lazily(() => import('./commands/doctor.js')));
  add(program, 'whoami', 'say who this workstation is, and at which relay').action(
    lazily(() => import('./commands/whoami.js')),
  );
  add(program, 'inbox', 'list handoffs')
    .addOption(new Option('--role <role>', 'which side of them is yours').choices(['recipient', 'sender', 'any']))
    .addOption(
      new ListOption('--status <status...>', 'in which states; without it pending and accepted', (word) =>
        STATES.includes(word),
      ).choices(STATES),
    )
    .option('--limit <number>', 'at most so many, 1 to 10000; without it all', parseLimit(10_000))
    .action(lazily(() => import('./commands/inbox.js')));
  add(program, 'show', 'show a thread')
    .addArgument(thread())
    .option('--check', 'say whether its diffs apply here, and its commits are known')
    .action(lazily(() => import('./commands/show.js')));
  addWriting(add.bind(undefined, program));
  addTrust(program.command('trust').description('say what teammates’ handoffs may do unasked'), add);
  add(program, 'block', 'take nothing more from a teammate')
    .addArgument(handle('[handle]'))
    .option('--reason <text>', 'kept with the block')
    .option('--list', 'show whom you block, here and at the relay')
    .action(lazily(() => import('./commands/block.js')));
  add(program, 'unblock', 'end a block')
    .addArgument(handle('[handle]'))
    .option('--list', 'show whom you block, here and at the relay')
    .action(lazily(() => import('./commands/unblock.js')));
  add(program, 'audit', 'show what happened, at the relay and here')
    .option('--since <time>', 'ISO 8601, or as long ago as 30m, 24h, 7d', parseTime)
    .option('--from <handle>', 'only what this one did', parseHandle)
    .option('--action <name>', 'only this action, like handoff.created, or this tool')
    .option('--limit <number>', 'at most so many of each, 1 to 1000', parseLimit(1_000), 50)
    .action(lazily(() => import('./commands/audit.js')));
  const keys = add(program, 'keys', 'list the live keys of this workstation’s agent').action(
    lazily(() => import('./commands/keys.js')),
  );
  add(keys, 'end', 'end a key, and what was made with it')
    .addArgument(new Argument('<id>', 'as agentrelay keys shows it').argParser(parseKeyId))
    .option('--keep-descendants', 'leave what was made with it')
    .option('--force', 'also when it is this workstation’s own')
    .action(lazily(() => import('./commands/keys-end.js')));
  add(program, 'rotate-key', 'replace this workstation’s key, and end the other agent keys')
    .addOption(
      new Option('--overlap <duration>', 'how long the old key works on, like 1h, at most 24h; 0 when it was stolen')
        .argParser(parseOverlap)
        // Longer than the longest call of an MCP server that began with it.
        .default(parseOverlap('60s'), '60s'),
    )
    .option('--keep-others', 'leave the other keys')
    .action(lazily(() => import('./commands/rotate-key.js')));
  add(program, 'invite', 'make a link to a first or a new key (administrators)')
    .addArgument(handle())
    .option('--inviter <handle>', 'who invites; default: this workstation’s agent', parseHandle)
    .option('--role <role>', 'what they do, like frontend')
    .option('--email <address>', 'their address')
    .addOption(EXPIRES)
    .addOption(RELAY)
    .addOption(INSECURE)
    .action(lazily(() => import('./commands/invite.js')));
  add(program, 'register', 'register an agent here (administrators)')
    .addArgument(handle())
    .option('--name <name>', 'how teammates see the agent')
    .option('--role <role>', 'what it does, like frontend')
    .option('--email <address>', 'the owner’s address')
    .addOption(RELAY)
    .addOption(FORCE)
    .addOption(INSECURE)
    .action(lazily(() => import('./commands/register.js')));
  program
    .command('mcp')
    .description('run the MCP server on stdio, as coding agents do')
    .action(lazily(() => import('./commands/mcp.js')));
  program
    .command('completion')
    .description('print a completion script')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action(lazily(() => import('./commands/completion.js')));
  return program;
}

/** What changes threads, and the waiting for teammates who do. */
function addWriting(add: (name: string, description: string) => Command): void {
  withEvidence(add('send', 'hand work to a teammate'))
    .addArgument(handle())
    .addArgument(text('summary'))
    .option('--question <text>', 'what they are asked')
    .option('--propose <text>', 'what they should do')
    .option('--rationale <text>', 'why, with --propose')
    .addOption(new ListOption('--target <path...>', 'files that the proposal is about', isPath))
    .addOption(KEY)
    .action(lazily(() => import('./commands/send.js')));
  add('accept', 'take a handoff on')
    .addArgument(thread())
    .addOption(KEY)
    .action(lazily(() => import('./commands/accept.js')));
  withEvidence(add('reply', 'add a message to a thread'))
    .addArgument(thread())
    .addArgument(text('text'))
    .addOption(KEY)
    .action(lazily(() => import('./commands/reply.js')));
  withEvidence(add('complete', 'close a handoff with its result'))
    .addArgument(thread())
    .addArgument(text('result'))
    .option('--failed', 'it could not be done')
    .addOption(KEY)
    .action(lazily(() => import('./commands/complete.js')));
  add('cancel', 'withdraw a handoff that nobody accepted')
    .addArgument(thread())
    .addOption(KEY)
    .action(lazily(() => import('./commands/cancel.js')));
  add('wait', 'wait for news of your threads')
    .option('--cursor <cursor>', 'from where on, as an earlier wait printed it; without it from now on')
    .addOption(TIMEOUT)
    .action(lazily(() => import('./commands/wait.js')));
}

/** A text that may come from stdin. */
function text(name: string): Argument {
  return new Argument(`<${name}>`, 'or - to read it from stdin');
}

function thread(): Argument {
  return new Argument('<id>', 'its id, or the link to it').argParser(parseThreadId);
}

function addTrust(trust: Command, add: (parent: Command, name: string, description: string) => Command): void {
  add(trust, 'list', 'show whom trust.yaml names').action(lazily(() => import('./commands/trust-list.js')));
  add(trust, 'set', 'name a teammate and say what they are trusted with')
    .addArgument(handle())
    .option('--auto-read', 'reading may go unasked')
    .option('--no-auto-read', 'reading is asked about')
    .option('--auto-test', 'running tests may go unasked')
    .option('--no-auto-test', 'running tests is asked about')
    .addOption(new ListOption('--auto-write <path...>', 'changes below these paths may go unasked', isPath))
    .option('--no-auto-write', 'every change is asked about')
    .addOption(new ListOption('--require-approval <path...>', 'below these paths every change is asked about', isPath))
    .option('--no-require-approval', 'no such paths')
    .action(lazily(() => import('./commands/trust-set.js')));
  add(trust, 'reset', 'take a teammate out of trust.yaml: unknown again')
    .addArgument(handle())
    .action(lazily(() => import('./commands/trust-reset.js')));
}
