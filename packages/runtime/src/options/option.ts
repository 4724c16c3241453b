import type { Parser } from './parsers.ts'

export interface OptionDefinition<T> {
  /** Key in a configuration file, such as http.port. */
  readonly key: string
  /** Environment variable, such as KEELSON_HTTP_PORT. */
  readonly env: string
  /** Without dashes, such as http.port. */
  readonly flag: string
  /** One letter, given as -f. */
  readonly short: string | null
  readonly default: T | undefined
  /** Default in the reference page, for one that depends on the machine. */
  readonly defaultText: string | null
  readonly alias: OptionAlias<T> | null
  readonly parse: Parser<T>
  /** One sentence, with the unit. */
  readonly description: string
  readonly secret: boolean
  readonly optional: boolean
}

export interface OptionAlias<T> {
  readonly flag: string
  readonly env: string
  readonly parse: Parser<T>
}

// biome-ignore lint/suspicious/noExplicitAny: each member has a type of its own, which OptionValues recovers
export type OptionSet = Readonly<Record<string, OptionDefinition<any>>>

export type OptionValues<S extends OptionSet> = { readonly [K in keyof S]: S[K] extends OptionDefinition<infer T> ? T : never }

export interface OptionInput<T> {
  readonly key: string
  readonly parse: Parser<T>
  readonly description: string
  readonly default?: T
  readonly defaultText?: string | null
  readonly secret?: boolean
  readonly env?: string
  readonly flag?: string
  readonly short?: string | null
  readonly alias?: string | { readonly flag: string; readonly parse: Parser<T> } | null
}

const ENV_PREFIX = 'KEELSON_'

function define<T>(input: OptionInput<T>, optional: boolean): OptionDefinition<T> {
  return {
    key: input.key,
    env: input.env ?? envName(input.key),
    flag: input.flag ?? flagName(input.key),
    short: input.short ?? null,
    default: input.default,
    defaultText: input.defaultText ?? null,
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

export function option<T>(input: OptionInput<T>): OptionDefinition<T> {
  return define(input, false)
}

export function optionalOption<T>(input: Omit<OptionInput<T>, 'default'>): OptionDefinition<T | null> {
  return define<T | null>(input, true)
}

function envName(key: string): string {
  const words = key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replace(/[.-]/g, '_')
  return ENV_PREFIX + words.toUpperCase()
}

function flagName(key: string): string {
  return key.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase()
}
