/** What a subcommand of `keelson` is. */
import type { OptionSet, OptionValues } from '@keelson/runtime'
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
  readonly options: S
  /** Takes words that are no options, and judges them itself. */
  readonly takesArguments?: boolean
  /** Judges them before its options are. Throws AssemblyError `node/usage`. */
  checkArguments?(positional: readonly string[]): void
  /** Resolves when the command is done; for a role, when it has been stopped. */
  run(values: OptionValues<S>, context: CommandContext): Promise<number>
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
