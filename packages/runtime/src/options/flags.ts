import type { OptionSet } from './option.ts'
import type { Parser } from './parsers.ts'
import { OptionsError } from './resolve-options.ts'

export interface ParsedFlags {
  readonly flags: Readonly<Record<string, string | true>>
  readonly positional: readonly string[]
}

const LOOKS_LIKE_A_SWITCH_VALUE = /^(true|false|yes|no|on|off|0|1)$/i
const MEANS_ON = /^(true|yes|on|1)$/i

/** Repeated lists are joined. Throws OptionsError for other repetitions and for a switch with a value. */
export function parseFlags(args: readonly string[], set: OptionSet): ParsedFlags {
  const parsers = new Map<string, Parser<unknown>>()
  const shorts = new Map<string, string>()
  for (const { flag, short, parse, alias } of Object.values(set)) {
    parsers.set(flag, parse)
    if (short !== null) shorts.set(`-${short}`, `--${flag}`)
    if (alias !== null) parsers.set(alias.flag, alias.parse)
  }
  const isSwitch = (name: string) => parsers.get(name)?.isSwitch === true
  const flags: Record<string, string | true> = Object.create(null)
  const positional: string[] = []
  const mistakes = new Set<string>()
  const written = new Map<string, string>()

  const give = (name: string, value: string | true, asWritten = `--${name}`) => {
    const before = written.get(name)
    written.set(name, asWritten)
    const joined = flags[name]
    if (parsers.get(name)?.isList === true && typeof joined === 'string' && typeof value === 'string') flags[name] = `${joined},${value}`
    else {
      flags[name] = value
      if (before === asWritten) mistakes.add(`${asWritten} is given twice; give it once`)
      else if (before !== undefined) mistakes.add(`${before} and ${asWritten} are one option; give one of them`)
    }
  }
  for (let i = 0; i < args.length; i++) {
    const arg = shorts.get(args[i] as string) ?? (args[i] as string)
    if (arg === '--') {
      positional.push(...args.slice(i + 1))
      break
    }
    if (!arg.startsWith('--')) {
      positional.push(arg)
      continue
    }
    const equals = arg.indexOf('=')
    const name = arg.slice(2, equals === -1 ? undefined : equals)
    const next = args[i + 1]
    if (equals !== -1) give(name, arg.slice(equals + 1))
    else if (isSwitch(name) || (name.startsWith('no-') && isSwitch(name.slice(3)))) {
      if (isSwitch(name)) give(name, true)
      else give(name.slice(3), 'false', arg)
      if (next !== undefined && LOOKS_LIKE_A_SWITCH_VALUE.test(next)) {
        mistakes.add(unexpectedValue(name, next, isSwitch(name)))
        i++
      }
    } else if (next !== undefined && !next.startsWith('--')) {
      give(name, next)
      i++
    } else give(name, true)
  }
  if (mistakes.size > 0) throw new OptionsError([...mistakes])
  return { flags, positional }
}

function unexpectedValue(name: string, value: string, isPlain: boolean): string {
  if (!isPlain) return `unexpected argument ${value} after --${name}; a switch takes no value`
  const instead = MEANS_ON.test(value) ? `--${name} or --${name}=true` : `--no-${name} or --${name}=false`
  return `unexpected argument ${value}; write ${instead}`
}
