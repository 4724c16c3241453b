import type { OptionSet } from '@keelson/runtime'
import { type CommandGroup, isCommandGroup } from '../../packages/node/src/command.ts'

export interface ListedCommand {
  /** Such as "validator run". */
  readonly path: string
  readonly summary: string
  readonly options: OptionSet
}

/** Every command that can be run, in the order of help. */
export async function listCommands(commands: CommandGroup['commands'], prefix = ''): Promise<readonly ListedCommand[]> {
  const found: ListedCommand[] = []
  for (const [name, load] of Object.entries(commands)) {
    const path = `${prefix} ${name}`.trimStart()
    const loaded = await load()
    if (!isCommandGroup(loaded)) {
      found.push({ path, summary: loaded.summary, options: loaded.options })
      continue
    }
    const otherwise = await loaded.otherwise?.()
    if (otherwise !== undefined) found.push({ path, summary: otherwise.summary, options: otherwise.options })
    found.push(...(await listCommands(loaded.commands, path)))
  }
  return found
}
