/** One definition per option: its key in a file, its environment variable, its flag, its default and its meaning. */
import type { Parser } from './parsers.ts'

export interface OptionDefinition<T> {
  /** In files, dotted: "http.port" is `{"http": {"port": 8545}}`. */
  readonly key: string
  /** Environment variable: KEELSON_HTTP_PORT. */
  readonly env: string
  /** Without the dashes: http.port. */
  readonly flag: string
  /** Undefined: the option must be given. */
  readonly default: T | undefined
  /** A second name of the option, as in other clients; null without one. */
  readonly alias: OptionAlias<T> | null
  readonly parse: Parser<T>
  /** One sentence, with the unit. */
  readonly description: string
  /** Its value is never printed. */
  readonly secret: boolean
  /** May be left out although there is no default; its value is then null. */
  readonly optional: boolean
}

export interface OptionAlias<T> {
  /** Without the dashes: maxpeers. */
  readonly flag: string
  /** Environment variable: KEELSON_MAXPEERS. */
  readonly env: string
  /** Parses values given under this name, if their form differs from that of the option. */
  readonly parse: Parser<T>
}

/** Options of a role, by the name the code uses. */
// biome-ignore lint/suspicious/noExplicitAny: each member has a type of its own, which OptionValues recovers
export type OptionSet = Readonly<Record<string, OptionDefinition<any>>>

export type OptionValues<S extends OptionSet> = { readonly [K in keyof S]: S[K] extends OptionDefinition<infer T> ? T : never }

export interface OptionInput<T> {
  readonly key: string
  readonly parse: Parser<T>
  readonly description: string
  readonly default?: T
  readonly secret?: boolean
  /** When they differ from what follows from the key. */
  readonly env?: string
  readonly flag?: string
  /** A second flag, with a second environment variable. With its own parser it takes values of another form. */
  readonly alias?: string | { readonly flag: string; readonly parse: Parser<T> } | null
}

const ENV_PREFIX = 'KEELSON_'

function define<T>(input: OptionInput<T>, optional: boolean): OptionDefinition<T> {
  return {
    key: input.key,
    env: input.env ?? envName(input.key),
    flag: input.flag ?? flagName(input.key),
    default: input.default,
    alias: defineAlias(input),
    parse: input.parse,
    description: input.description,
    secret: input.secret ?? false,
    optional,
  }
}

function defineAlias<T>({ alias, parse }: OptionInput<T>): OptionAlias<T> | null {
  if (alias === undefined || alias === null) return null
  const named = typeof alias === 'string' ? { flag: alias, parse } : alias
  return { ...named, env: envName(named.flag) }
}

/** An option with a default, or one that must be given. */
export function option<T>(input: OptionInput<T>): OptionDefinition<T> {
  return define(input, false)
}

/** An option that may be left out: null then. */
export function optionalOption<T>(input: Omit<OptionInput<T>, 'default'>): OptionDefinition<T | null> {
  return define<T | null>(input, true)
}

/** "http.maxBody" -> "KEELSON_HTTP_MAX_BODY". */
function envName(key: string): string {
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[.-]/g, '_')
  return ENV_PREFIX + words.toUpperCase()
}

/** "http.maxBody" -> "http.max-body". */
function flagName(key: string): string {
  return key.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}
