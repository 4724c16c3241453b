/** What can be completed: every command with its flags, from the definitions that help is made of. */
import type { OptionSet } from '@keelson/runtime'
import { type AnyCommand, type CommandGroup, isCommandGroup } from '../command.ts'

export interface FlagWords {
  /** With its dashes. */
  readonly flag: string
  readonly takesValue: boolean
  /** Values are names of files or folders. */
  readonly takesPath: boolean
  readonly description: string
}

export interface CommandWords {
  /** Empty for the program itself, then such as "bridge deposit". */
  readonly path: string
  readonly summary: string
  readonly subcommands: readonly { readonly name: string; readonly summary: string }[]
  readonly flags: readonly FlagWords[]
}

const GENERAL: readonly FlagWords[] = [
  { flag: '--config', takesValue: true, takesPath: true, description: 'Configuration files, or presets by name' },
  { flag: '--help', takesValue: false, takesPath: false, description: 'Print the options' },
  { flag: '--print-config', takesValue: false, takesPath: false, description: 'Print every option and where it comes from' },
]

type Commands = CommandGroup['commands']

export async function readCommandWords(commands: Commands): Promise<readonly CommandWords[]> {
  return [{ path: '', summary: '', subcommands: await namesOf(commands), flags: [] }, ...(await wordsBelow('', commands))]
}

async function wordsBelow(path: string, commands: Commands): Promise<readonly CommandWords[]> {
  const found: CommandWords[] = []
  for (const [name, load] of Object.entries(commands)) found.push(...(await wordsOf(`${path} ${name}`.trimStart(), await load())))
  return found
}

async function wordsOf(path: string, command: AnyCommand): Promise<readonly CommandWords[]> {
  const { summary } = command
  if (!isCommandGroup(command)) return [{ path, summary, subcommands: [], flags: flagsOf(command.options) }]
  const flags = command.otherwise === undefined ? [] : flagsOf((await command.otherwise()).options)
  return [{ path, summary, subcommands: await namesOf(command.commands), flags }, ...(await wordsBelow(path, command.commands))]
}

function namesOf(commands: Commands): Promise<CommandWords['subcommands']> {
  return Promise.all(Object.entries(commands).map(async ([name, load]) => ({ name, summary: plain((await load()).summary) })))
}

function flagsOf(options: OptionSet): readonly FlagWords[] {
  const own = Object.values(options).flatMap(({ flag, short, parse, description }) => {
    const isSwitch = parse.isSwitch === true
    const words = { takesValue: !isSwitch, takesPath: parse.placeholder === '<path>', description: firstSentence(description) }
    return [{ flag: `--${flag}`, ...words }, ...(short === null ? [] : [{ flag: `-${short}`, ...words }])]
  })
  return [...own, ...GENERAL]
}

/** Descriptions are shown in one line, and must not end a quoted text of a shell. */
function firstSentence(text: string): string {
  return plain((/^.*?[.:;](?=\s|$)/.exec(text)?.[0] ?? text).replace(/[.:;]$/, ''))
}

function plain(text: string): string {
  return text.replace(/['"`$\\[\]:]/g, '')
}
