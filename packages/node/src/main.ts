#!/usr/bin/env node
/** The one binary: finds the subcommand, reads its options, runs it, and turns failures into one line and an exit code. */
import { NodeError } from '@keelson/primitives'
import { closestName, OptionsError, parseFlags, renderEffectiveOptions, renderOptionHelp, resolveOptions } from '@keelson/runtime'
import { type AnyCommand, assertArguments, findSubcommand, isCommandGroup } from './command.ts'
import { AssemblyError } from './errors.ts'
import { VERSION } from './version.ts'

const EXIT_FAILURE = 1
/** sysexits EX_SOFTWARE: a bug of ours, not a mistake of the operator's. */
const EXIT_BUG = 70
/** What the system says of files and folders that the operator can put right. */
const FILE_MISTAKES: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied; give this user access, or name another folder'],
  ['EPERM', 'permission denied; give this user access, or name another folder'],
  ['EROFS', 'it is on a read-only file system; name another folder'],
  ['EEXIST', 'it is there already and is not a folder; name another one'],
  ['ENOTDIR', 'a part of this path is a file, not a folder; name another one'],
  ['ENOSPC', 'the disk is full; make room'],
])

const DAMAGED = 'the data directory is damaged: keep a copy if you need it, then remove it; the chain is derived again from L1'

const GENERAL_HELP = `  --print-config
        Print every option with its value and where that comes from, then stop; secrets are masked.
  --help
        Print this.`

/** Loaded when asked for, so that a role starts without the code of the others. */
const COMMANDS: Readonly<Record<string, () => Promise<AnyCommand>>> = {
  devnet: async () => (await import('./commands/devnet.ts')).devnetCommand,
  execution: async () => (await import('./commands/execution.ts')).executionCommand,
  consensus: async () => (await import('./commands/consensus.ts')).consensusCommand,
  conductor: async () => (await import('./commands/conductor.ts')).conductorCommand,
  batcher: async () => (await import('./commands/batcher.ts')).batcherCommand,
  proposer: async () => (await import('./commands/proposer.ts')).proposerCommand,
  validator: async () => (await import('./commands/validator/validator.ts')).validatorCommand,
  beacon: async () => (await import('./commands/beacon.ts')).beaconCommand,
  bridge: async () => (await import('./commands/bridge/bridge.ts')).bridgeCommand,
  faucet: async () => (await import('./commands/faucet/faucet.ts')).faucetCommand,
  platform: async () => (await import('./commands/platform.ts')).platformCommand,
  db: async () => (await import('./commands/db/db.ts')).dbCommand,
  config: async () => (await import('./commands/config.ts')).configCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  debug: async () => (await import('./commands/debug/debug.ts')).debugCommand,
  jwt: async () => (await import('./commands/jwt.ts')).jwtCommand,
  'rpc-key': async () => (await import('./commands/rpc-key.ts')).rpcKeyCommand,
}

async function usage(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()))
  return [
    `keelson ${VERSION}: an OP Stack rollup node`,
    '',
    'usage: keelson <command> [options]',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(10)}  ${summary}`),
    '',
    'keelson <command> --help lists its options. Each option is also an environment variable, named in its help.',
  ].join('\n')
}

/** The command that runs, as far as its words were known: whose help lists what can be given. */
let named = process.argv[2]

async function run(args: readonly string[]): Promise<number> {
  const [name, ...words] = args
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    console.log(await usage())
    return name === undefined ? EXIT_FAILURE : 0
  }
  if (name === '--version' || name === 'version') {
    console.log(VERSION)
    return 0
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (load === undefined) {
    const closest = closestName(name, Object.keys(COMMANDS))
    const meant = closest === null ? '' : `did you mean ${closest}? `
    throw new AssemblyError('node/usage', `unknown command "${name}"; ${meant}there are ${Object.keys(COMMANDS).join(', ')}`)
  }
  const loaded = await load()
  const found = isCommandGroup(loaded) ? await findSubcommand(loaded, words) : { command: loaded, rest: words }
  if ('help' in found) {
    console.log(found.help)
    return 0
  }
  const { command, rest } = found
  named = command.name
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(
      [
        `keelson ${command.name}: ${command.summary}`,
        `usage: keelson ${command.name} ${command.usage}`,
        ...(command.explanation === undefined ? [] : [command.explanation]),
        renderOptionHelp(command.options),
        GENERAL_HELP,
      ].join('\n\n'),
    )
    return 0
  }
  const printConfig = rest.includes('--print-config')
  const { flags, positional } = parseFlags(
    rest.filter((arg) => arg !== '--print-config'),
    command.options,
  )
  assertArguments(command, positional)
  const { values, effective } = resolveOptions(command.options, { env: process.env, flags })
  if (printConfig) {
    console.log(renderEffectiveOptions(effective))
    return 0
  }
  return command.run(values, { positional, version: VERSION })
}

function explain(error: unknown): number {
  if (error instanceof NodeError) {
    // a list of mistakes has its code on a line of its own
    console.error(`keelson: ${error.message}${error.message.includes('\n') ? '\n' : ' '}(${error.code})`)
    if (error.code === 'state/corrupt-record') console.error(DAMAGED)
    if (error instanceof OptionsError) console.error(`keelson ${named} --help lists all options`)
    return EXIT_FAILURE
  }
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if (code !== undefined && FILE_MISTAKES.has(code)) {
    // a write through an open file names none
    console.error(`keelson: cannot ${path === undefined ? syscall : `use ${path}`}: ${FILE_MISTAKES.get(code)} (${syscall} ${code})`)
    return EXIT_FAILURE
  }
  console.error('keelson: this is a bug, please report it with the lines below')
  console.error(error)
  return EXIT_BUG
}

run(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => process.exit(explain(error)),
)
