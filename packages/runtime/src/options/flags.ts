/** Flags of a command line: `--name value`, `--name=value`, switches as `--name` and `--no-name`. */
import type { OptionSet } from './option.ts'

export interface ParsedFlags {
  /** For resolveOptions, which judges names and values. */
  readonly flags: Readonly<Record<string, string | true>>
  readonly positional: readonly string[]
}

/** A flag given twice is joined with a comma, for lists. Everything after `--` is positional. */
export function parseFlags(args: readonly string[], set: OptionSet): ParsedFlags {
  const switches = new Set(
    Object.values(set)
      .filter((definition) => definition.parse.isSwitch === true)
      .flatMap(({ flag, alias }) => (alias === null ? [flag] : [flag, alias])),
  )
  const flags: Record<string, string | true> = Object.create(null)
  const positional: string[] = []
  const give = (name: string, value: string | true) => {
    const before = flags[name]
    flags[name] = typeof before === 'string' && typeof value === 'string' && !switches.has(name) ? `${before},${value}` : value
  }
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string
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
    else if (switches.has(name)) give(name, true)
    else if (name.startsWith('no-') && switches.has(name.slice(3))) give(name.slice(3), 'false')
    else if (next !== undefined && !next.startsWith('--')) {
      give(name, next)
      i++
    } else give(name, true)
  }
  return { flags, positional }
}
