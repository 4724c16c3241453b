/** Precedence from low to high: default, network, files in the order given, environment, flag. */
import { NodeError } from '@keelson/primitives'
import { Secret } from '../secret.ts'
import { closestName } from './closest-name.ts'
import type { OptionDefinition, OptionSet, OptionValues } from './option.ts'
import { OptionValueError, type Parser, SecretValueError } from './parsers.ts'

export type OptionSource = 'default' | 'network' | `file ${string}` | 'environment' | 'flag' | 'required, not given'

export interface OptionFile {
  readonly path: string
  /** By key. */
  readonly values: Readonly<Record<string, unknown>>
}

export interface OptionDefaults {
  readonly source: OptionSource
  readonly from: string
  /** Every key must be in the option set. */
  readonly values: Readonly<Record<string, unknown>>
}

export interface OptionSources {
  readonly defaults?: OptionDefaults
  /** A later file replaces values of an earlier one. */
  readonly files?: readonly OptionFile[]
  readonly env?: Readonly<Record<string, string | undefined>>
  /** `true` for a switch without a value. */
  readonly flags?: Readonly<Record<string, string | true>>
}

export interface EffectiveOption {
  readonly key: string
  /** Shown value; *** for secrets. */
  readonly value: string
  readonly source: OptionSource
}

export interface ResolvedOptions<S extends OptionSet> {
  readonly values: OptionValues<S>
  readonly effective: readonly EffectiveOption[]
}

export class OptionsError extends NodeError<'runtime/options'> {
  readonly mistakes: readonly string[]
  constructor(mistakes: readonly string[]) {
    super(
      'runtime/options',
      mistakes.length === 1
        ? String(mistakes[0])
        : `${mistakes.length} mistakes in the options:\n${mistakes.map((m) => `  - ${m}`).join('\n')}`,
    )
    this.mistakes = mistakes
  }
}

interface Candidate {
  readonly value: unknown
  readonly source: OptionSource
  readonly where: string
  readonly parse: Parser<unknown>
}

/** Throws OptionsError with every mistake. */
export function resolveOptions<S extends OptionSet>(set: S, sources: OptionSources): ResolvedOptions<S> {
  const { values, effective, mistakes } = resolve(set, sources)
  if (mistakes.length > 0) throw new OptionsError(mistakes)
  return { values, effective }
}

/** Missing required options are undefined. Throws OptionsError with all other mistakes. */
export function resolveGivenOptions<S extends OptionSet>(set: S, sources: OptionSources): ResolvedOptions<S> {
  const { values, effective, mistakes, missing } = resolve(set, sources)
  const others = mistakes.filter((mistake) => !missing.has(mistake))
  if (others.length > 0) throw new OptionsError(others)
  return { values, effective }
}

interface Resolution<S extends OptionSet> extends ResolvedOptions<S> {
  readonly mistakes: readonly string[]
  readonly missing: ReadonlySet<string>
}

function resolve<S extends OptionSet>(set: S, sources: OptionSources): Resolution<S> {
  const mistakes: string[] = []
  const missing = new Set<string>()
  const files = sources.files ?? []
  const definitions = Object.values(set)
  const keys = definitions.map((definition) => definition.key)
  for (const { path, values } of files) {
    for (const key of Object.keys(values)) {
      if (!keys.includes(key)) mistakes.push(`unknown key "${key}" in ${path}${suggestion(key, keys, '')}`)
    }
  }
  const flags = definitions.flatMap(({ flag, alias }) => (alias === null ? [flag] : [flag, alias.flag]))
  for (const flag of Object.keys(sources.flags ?? {})) {
    if (!flags.includes(flag)) mistakes.push(`unknown option --${flag}${suggestion(flag, flags, '--')}`)
  }
  const values: Record<string, unknown> = {}
  const effective: EffectiveOption[] = []
  for (const [name, definition] of Object.entries(set)) {
    const candidates = findCandidates(definition, sources)
    const value = candidates.length === 0 ? fallback(definition) : parseCandidates(definition, candidates, mistakes)
    values[name] = value
    const source = candidates[0]?.source ?? (isMissing(definition) ? 'required, not given' : 'default')
    effective.push({ key: definition.key, value: showValue(definition, value), source })
    if (candidates.length === 0 && isMissing(definition)) {
      const mistake = askFor(definition, sources)
      mistakes.push(mistake)
      missing.add(mistake)
    }
  }
  return { values: values as OptionValues<S>, effective, mistakes, missing }
}

function findCandidates(
  definition: OptionDefinition<unknown>,
  { flags = {}, env = {}, files = [], defaults }: OptionSources,
): readonly Candidate[] {
  const names = [definition, ...(definition.alias === null ? [] : [definition.alias])]
  const asFlags = names
    .filter(({ flag }) => Object.hasOwn(flags, flag) && flags[flag] !== undefined)
    .map(({ flag, parse }): Candidate => ({ value: flags[flag], source: 'flag', where: `--${flag}`, parse }))
  if (asFlags.length > 0) return asFlags
  const asVariables = names
    // Shells and Compose files use an empty variable for "not set".
    .filter(({ env: variable }) => env[variable] !== undefined && env[variable] !== '')
    .map(({ env: variable, parse }): Candidate => ({ value: env[variable], source: 'environment', where: variable, parse }))
  if (asVariables.length > 0) return asVariables
  const { key, parse } = definition
  const file = files.findLast(({ values }) => Object.hasOwn(values, key))
  if (file !== undefined) return [{ value: file.values[key], source: `file ${file.path}`, where: `"${key}" in ${file.path}`, parse }]
  if (defaults !== undefined && Object.hasOwn(defaults.values, key))
    return [{ value: defaults.values[key], source: defaults.source, where: `"${key}" of ${defaults.from}`, parse }]
  return []
}

function fallback({ default: value, optional }: OptionDefinition<unknown>): unknown {
  return value === undefined && optional ? null : value
}

function isMissing(definition: OptionDefinition<unknown>): boolean {
  return fallback(definition) === undefined
}

function askFor({ flag, env, key, description }: OptionDefinition<unknown>, { files = [] }: OptionSources): string {
  return `missing: give --${flag}${files.length > 0 ? `, ${env} or "${key}" in a file` : ` or ${env}`} (${description})`
}

function parseCandidates(definition: OptionDefinition<unknown>, candidates: readonly Candidate[], mistakes: string[]): unknown {
  const [first, second] = candidates as readonly [Candidate, ...Candidate[]]
  const value = parseCandidate(definition, first, mistakes)
  if (second === undefined) return value
  const other = parseCandidate(definition, second, mistakes)
  if (value !== undefined && other !== undefined && value !== other && first.value !== second.value)
    mistakes.push(`${first.where} and ${second.where} are one option; give one of them`)
  return value
}

function parseCandidate(definition: OptionDefinition<unknown>, found: Candidate, mistakes: string[]): unknown {
  try {
    return found.parse(found.value)
  } catch (error) {
    if (!(error instanceof OptionValueError)) throw error
    const hidden = definition.secret && !(error instanceof SecretValueError)
    mistakes.push(`${found.where}: ${hidden ? `not a usable value (${definition.description})` : error.message}`)
    return undefined
  }
}

function suggestion(given: string, known: readonly string[], prefix: string): string {
  const closest = closestName(given, known)
  return closest === null ? '' : `; did you mean ${prefix}${closest}?`
}

function showValue(definition: OptionDefinition<unknown>, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (definition.secret || value instanceof Secret) return '***'
  return definition.parse.show?.(value) ?? String(value)
}
