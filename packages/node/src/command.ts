import { asCalled, closestName, type OptionSet, type OptionValues } from '@keelson/runtime'
import { AssemblyError } from './errors.ts'

export interface CommandContext {
  readonly positional: readonly string[]
  readonly version: string
}

export interface Command<S extends OptionSet = OptionSet> {
  readonly name: string
  readonly summary: string
  readonly usage: string
  readonly explanation?: string
  readonly options: S
  /** What works instead of an option of another program that people try here; null for all others. */
  foreignOption?(flag: string, value: string | true): string | null
  readonly takesArguments?: boolean
  /** Called before the options are validated. Throws AssemblyError `node/usage`. */
  checkArguments?(positional: readonly string[]): void
  run(values: OptionValues<S>, context: CommandContext): Promise<number>
}

export interface CommandGroup {
  readonly name: string
  readonly summary: string
  /** Keys are full command paths, such as "bridge serve". */
  readonly commands: Readonly<Record<string, () => Promise<AnyCommand>>>
  /** Runs when no subcommand is named. */
  readonly otherwise?: () => Promise<Command>
}

// biome-ignore lint/suspicious/noExplicitAny: each command has options of its own
export type AnyCommand = Command<any> | CommandGroup

export function isCommandGroup(command: AnyCommand): command is CommandGroup {
  return 'commands' in command
}

export interface FoundCommand {
  readonly command: Command
  readonly rest: readonly string[]
  /** Commands that could have been named in its place. */
  readonly actions?: CommandGroup['commands']
}

/** Throws AssemblyError `node/usage`. */
export async function findSubcommand(group: CommandGroup, args: readonly string[]): Promise<FoundCommand | { readonly help: string }> {
  const [word, ...rest] = args
  if (group.otherwise !== undefined && (word === undefined || word.startsWith('-')))
    return { command: await group.otherwise(), rest: args, actions: group.commands }
  const known = Object.keys(group.commands)
  if (word === '--help' || word === '-h' || word === 'help') return { help: await groupHelp(group) }
  const load = word !== undefined && Object.hasOwn(group.commands, word) ? group.commands[word] : undefined
  if (load === undefined) {
    const what = word === undefined ? 'say what to do' : unknownWord(word, known)
    throw new AssemblyError('node/usage', `${what}: ${asCalled(group.name)} ${known.join('|')}`)
  }
  const found = await load()
  return isCommandGroup(found) ? findSubcommand(found, rest) : { command: found, rest }
}

async function groupHelp({ name, summary, commands }: CommandGroup): Promise<string> {
  return [
    `keelson ${name}: ${summary}`,
    '',
    ...(await subcommandLines(commands)),
    '',
    `${asCalled(`${name} <command> --help`)} lists its options.`,
  ].join('\n')
}

export async function subcommandLines(commands: CommandGroup['commands']): Promise<readonly string[]> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()))
  const width = Math.max(...loaded.map((command) => command.name.length))
  return loaded.map((command) => `  ${asCalled(command.name.padEnd(width))}  ${command.summary}`)
}

/** Whether a full command path such as "validator run" can be run. The only word of a path is not loaded. */
export async function hasCommand(commands: CommandGroup['commands'], path: string): Promise<boolean> {
  const [word = '', ...more] = path.split(' ')
  const load = Object.hasOwn(commands, word) ? commands[word] : undefined
  if (load === undefined || more.length === 0) return load !== undefined
  const found = await load()
  return isCommandGroup(found) && hasCommand(found.commands, more.join(' '))
}

export function defineCommand<S extends OptionSet>(command: Command<S>): Command<S> {
  return command
}

/** Throws AssemblyError `node/usage` for unused arguments. */
/** Throws AssemblyError `node/usage`. */
export function refuseForeignOptions(command: Pick<Command, 'foreignOption'>, flags: Readonly<Record<string, string | true>>): void {
  for (const [flag, value] of Object.entries(flags)) {
    const instead = command.foreignOption?.(flag, value) ?? null
    if (instead !== null) throw new AssemblyError('node/usage', `--${flag} is not possible here: ${instead}`)
  }
}

export function assertArguments(command: Pick<Command, 'name' | 'takesArguments' | 'checkArguments'>, positional: readonly string[]): void {
  const { name, takesArguments } = command
  command.checkArguments?.(positional)
  const [first] = positional
  if (first === undefined || takesArguments === true) return
  throw new AssemblyError('node/usage', `unexpected argument "${first}"; keelson ${name} takes options only, as --name value`)
}

export function unknownWord(word: string, known: readonly string[]): string {
  const closest = closestName(word, known)
  return `"${word}" is not known${closest === null ? '' : ` (did you mean ${closest}?)`}`
}
