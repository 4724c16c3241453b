/** What a subcommand of `keelson` is. */
import { asCalled, closestName, type OptionSet, type OptionValues } from '@keelson/runtime'
import { AssemblyError } from './errors.ts'

export interface CommandContext {
  /** Arguments that are not flags. */
  readonly positional: readonly string[]
  readonly version: string
}

export interface Command<S extends OptionSet = OptionSet> {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** Usage line after the name: "[stop|status] [options]". */
  readonly usage: string
  /** For its help, between usage and options: what to know before. */
  readonly explanation?: string
  readonly options: S
  /** Takes words that are no options, and judges them itself. */
  readonly takesArguments?: boolean
  /** Judges them before its options are. Throws AssemblyError `node/usage`. */
  checkArguments?(positional: readonly string[]): void
  /** Resolves when the command is done; for a role, when it has been stopped. */
  run(values: OptionValues<S>, context: CommandContext): Promise<number>
}

/** Subcommands under one word, each with options of its own: `keelson bridge serve`. */
export interface CommandGroup {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** By their word; a command's own name is the whole of it: "bridge serve". Loaded when asked for. */
  readonly commands: Readonly<Record<string, () => Promise<AnyCommand>>>
}

// biome-ignore lint/suspicious/noExplicitAny: each command has options of its own
export type AnyCommand = Command<any> | CommandGroup

export function isCommandGroup(command: AnyCommand): command is CommandGroup {
  return 'commands' in command
}

/**
 * The command that the words stand for, with the words left for it, or the help of the group when that is
 * asked for. Throws AssemblyError `node/usage` for a word that no group knows, saying which it knows.
 */
export async function findSubcommand(
  group: CommandGroup,
  args: readonly string[],
): Promise<{ readonly command: Command; readonly rest: readonly string[] } | { readonly help: string }> {
  const [word, ...rest] = args
  const known = Object.keys(group.commands)
  if (word === '--help' || word === '-h' || word === 'help') return { help: await groupHelp(group) }
  const load = word !== undefined && Object.hasOwn(group.commands, word) ? group.commands[word] : undefined
  if (load === undefined) {
    const closest = word === undefined ? null : closestName(word, known)
    const what = word === undefined ? 'say what to do' : `"${word}" is not known${closest === null ? '' : `; did you mean ${closest}?`}`
    throw new AssemblyError('node/usage', `${what}: ${asCalled(group.name)} ${known.join('|')}`)
  }
  const found = await load()
  return isCommandGroup(found) ? findSubcommand(found, rest) : { command: found, rest }
}

async function groupHelp({ name, summary, commands }: CommandGroup): Promise<string> {
  const loaded = await Promise.all(Object.values(commands).map((load) => load()))
  const width = Math.max(...loaded.map((command) => command.name.length))
  return [
    `keelson ${name}: ${summary}`,
    '',
    ...loaded.map((command) => `  ${asCalled(command.name.padEnd(width))}  ${command.summary}`),
    '',
    `${asCalled(`${name} <command> --help`)} lists its options.`,
  ].join('\n')
}

export function defineCommand<S extends OptionSet>(command: Command<S>): Command<S> {
  return command
}

/** Throws AssemblyError `node/usage` for words that this command would not hear. */
export function assertArguments(command: Pick<Command, 'name' | 'takesArguments' | 'checkArguments'>, positional: readonly string[]): void {
  const { name, takesArguments } = command
  command.checkArguments?.(positional)
  const [first] = positional
  if (first === undefined || takesArguments === true) return
  throw new AssemblyError('node/usage', `unexpected argument "${first}"; keelson ${name} takes options only, as --name value`)
}
