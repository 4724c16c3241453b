#!/usr/bin/env node
/** Turns failures into one line and an exit code. */
import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { NodeError } from '@keelson/primitives'
import {
  asCalled,
  closestName,
  createSystemClock,
  nameNetwork,
  type OptionDefaults,
  type OptionFile,
  type OptionSources,
  OptionsError,
  parseFlags,
  programName,
  readSecretFiles,
  renderEffectiveOptions,
  renderOptionHelp,
  resolveGivenOptions,
  resolveOptions,
  visibleLines,
} from '@keelson/runtime'
import { endOnBrokenPipe } from './broken-pipe.ts'
import {
  assertArguments,
  type Command,
  type FoundCommand,
  findSubcommand,
  hasCommand,
  isCommandGroup,
  refuseForeignOptions,
  subcommandLines,
} from './command.ts'
import { COMMANDS } from './commands/all-commands.ts'
import { configFlag } from './config-files/config-flag.ts'
import { AssemblyError, EXIT_STARTING } from './errors.ts'
import { networkOf } from './networks/network-of.ts'
import { VERSION } from './version.ts'

const EXIT_FAILURE = 1
/** EX_SOFTWARE of sysexits: a bug, not an operator's mistake. */
const EXIT_BUG = 70
const FILE_MISTAKES: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied; give this user access, or name another folder'],
  ['EPERM', 'permission denied; give this user access, or name another folder'],
  ['EROFS', 'it is on a read-only file system; name another folder'],
  ['EEXIST', 'it is there already and is not a folder; name another one'],
  ['ENOTDIR', 'a part of this path is a file, not a folder; name another one'],
  ['ENOSPC', 'the disk is full; make room'],
])

const DAMAGED = 'the data directory is damaged: keep a copy if you need it, then remove it; the chain is derived again from L1'

const GENERAL_HELP = `  --config <name or path>,...
        Configuration files, later ones before earlier ones: a preset of config/roles by its name, or the path of a file. Environment variables and flags come before both.
  --print-config
        Print every option with its value and where that comes from, then stop; secrets are masked.
  --help
        Print this.`

async function usage(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()))
  return [
    `keelson ${VERSION}: an OP Stack rollup node`,
    '',
    `usage: ${programName()} <command> [options]`,
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(10)}  ${summary}`),
    '',
    `${asCalled('<command> --help')} lists its options. Each option is also an environment variable, named in its help; for a secret, NAME_FILE names a file that holds it.`,
  ].join('\n')
}

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
  const found: FoundCommand | { readonly help: string } = isCommandGroup(loaded)
    ? await findSubcommand(loaded, words)
    : { command: loaded, rest: words }
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
        `usage: ${asCalled(command.name)} ${command.usage}`,
        ...(command.explanation === undefined ? [] : [command.explanation]),
        ...(found.actions === undefined ? [] : [['Actions:', ...(await subcommandLines(found.actions))].join('\n')]),
        renderOptionHelp(command.options),
        GENERAL_HELP,
      ].join('\n\n'),
    )
    return 0
  }
  const printConfig = rest.includes('--print-config')
  const { flags: allFlags, positional } = parseFlags(
    rest.filter((arg) => arg !== '--print-config'),
    { ...command.options, configFlag },
  )
  const { config = '', ...flags } = allFlags
  refuseForeignOptions(command, flags)
  assertArguments(command, positional)
  const env = readSecretFiles(command.options, process.env, (path) => readFileSync(path, 'utf8'))
  const given = { env, flags, files: await filesOf(command, config) }
  const defaults = await networkDefaults(command, given)
  const sources = { ...given, ...(defaults === null ? {} : { defaults }) }
  if (printConfig) {
    const { values, effective } = resolveGivenOptions(command.options, sources)
    console.log(renderEffectiveOptions(effective))
    for (const line of await describeNetworkOf(command, values)) console.log(line)
    return 0
  }
  const { values } = resolveOptions(command.options, sources)
  nameNetwork(networkOf(command, values))
  return command.run(values, { positional, version: VERSION })
}

async function filesOf({ name }: Command, config: string | true): Promise<readonly OptionFile[]> {
  if (config === '') return []
  const { readConfigFiles } = await import('./config-files/config-files.ts')
  return readConfigFiles(resolveOptions({ configFlag }, { flags: { config } }).values.configFlag, name, (path) =>
    hasCommand(COMMANDS, path),
  )
}

/** Loaded on demand, because health checks run every few seconds. */
async function networkDefaults({ options }: Command, given: OptionSources): Promise<OptionDefaults | null> {
  if (!('network' in options)) return null
  const { findNetworkDefaults } = await import('./networks/network-defaults.ts')
  return findNetworkDefaults(options, given)
}

async function describeNetworkOf({ options }: Command, values: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  if (!('network' in options) || typeof values.network !== 'string') return []
  const { describeNetwork } = await import('./networks/describe-network.ts')
  try {
    const dataDirs = typeof values.dataDir === 'string' ? [values.dataDir] : []
    return ['', ...describeNetwork(values.network, Math.floor(createSystemClock().nowMs() / 1000), dataDirs)]
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    return ['', `the network cannot be used: ${error.message}`]
  }
}

function explain(error: unknown): number {
  if (error instanceof NodeError) {
    // After a multi-line message, the code has its own line.
    console.error(visibleLines(`keelson: ${error.message}${error.message.includes('\n') ? '\n' : ' '}(${error.code})`))
    if (error.code === 'state/corrupt-record') console.error(DAMAGED)
    if (error instanceof OptionsError) console.error(`${asCalled(`${named} --help`)} lists all options`)
    return error.code === 'node/starting' ? EXIT_STARTING : EXIT_FAILURE
  }
  const { code, path, syscall } = error as NodeJS.ErrnoException
  if (code !== undefined && FILE_MISTAKES.has(code)) {
    console.error(`keelson: cannot ${path === undefined ? syscall : `use ${path}`}: ${FILE_MISTAKES.get(code)} (${syscall} ${code})`)
    return EXIT_FAILURE
  }
  console.error('keelson: this is a bug, please report it with the lines below')
  console.error(visibleLines(inspect(error)))
  return EXIT_BUG
}

endOnBrokenPipe()
run(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => process.exit(explain(error)),
)
