/** What a subcommand of `keelson` is. */
import type { OptionSet, OptionValues } from '@keelson/runtime'

export interface CommandContext {
  /** Arguments that are not flags. */
  readonly positional: readonly string[]
  /** Where each value came from, for `--print-config`. */
  readonly version: string
}

export interface Command<S extends OptionSet = OptionSet> {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** Usage line after the name: "[stop|status] [options]". */
  readonly usage: string
  readonly options: S
  /** Resolves when the command is done; for a role, when it has been stopped. */
  run(values: OptionValues<S>, context: CommandContext): Promise<number>
}

export function defineCommand<S extends OptionSet>(command: Command<S>): Command<S> {
  return command
}
