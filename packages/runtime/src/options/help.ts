import { Secret } from '../secret.ts'
import type { OptionDefinition, OptionSet } from './option.ts'
import type { EffectiveOption } from './resolve-options.ts'

const MOST_WITHOUT_HEADINGS = 24
const HEADINGS: Readonly<Record<string, string>> = {
  l1: 'L1',
  rpc: 'RPC',
  http: 'HTTP',
  ws: 'WebSocket',
  p2p: 'Peers and gossip',
  metrics: 'Metrics and health',
  gpo: 'Suggested fees',
}
const GENERAL = 'General'

export function renderOptionHelp(set: OptionSet): string {
  const definitions = Object.values(set)
  const required = definitions.filter(isRequired)
  const others = definitions.filter((definition) => !isRequired(definition))
  if (definitions.length <= MOST_WITHOUT_HEADINGS) return [...required, ...others].map(describe).join('\n')
  const section = (heading: string, members: readonly OptionDefinition<unknown>[]) => [`${heading}:`, ...members.map(describe)].join('\n')
  const groups = new Map<string, OptionDefinition<unknown>[]>()
  for (const definition of others) {
    const heading = groupOf(definition, others)
    groups.set(heading, [...(groups.get(heading) ?? []), definition])
  }
  const general = groups.get(GENERAL) ?? []
  groups.delete(GENERAL)
  return [
    ...(required.length === 0 ? [] : [section('Required', required)]),
    ...(general.length === 0 ? [] : [section(GENERAL, general)]),
    ...[...groups].map(([heading, members]) => section(heading, members)),
  ].join('\n\n')
}

function groupOf({ flag }: OptionDefinition<unknown>, all: readonly OptionDefinition<unknown>[]): string {
  const [word = '', ...more] = flag.split('.')
  const isAlone = all.filter((other) => other.flag.startsWith(`${word}.`)).length < 2
  if (more.length === 0 || isAlone) return GENERAL
  return HEADINGS[word] ?? `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

function isRequired({ default: fallback, optional }: OptionDefinition<unknown>): boolean {
  return fallback === undefined && !optional
}

function describe(definition: OptionDefinition<unknown>): string {
  const placeholder = definition.parse.isSwitch === true ? '' : ` ${definition.parse.placeholder ?? '<value>'}`
  const fallback = defaultText(definition)
  const need = isRequired(definition) ? ' (required)' : ''
  const off = definition.parse.isSwitch === true && definition.default === true ? `, --no-${definition.flag}` : ''
  const short = definition.short === null ? '' : `-${definition.short}, `
  const head = `  ${short}--${definition.flag}${off}${placeholder}${fallback === '' ? need : ` (default: ${fallback})`}`
  const { alias, env } = definition
  const also = alias === null ? '' : ` Also --${alias.flag}.`
  const variables = alias === null ? env : `${env}, ${alias.env}`
  return `${head}\n        ${definition.description}${also} [${variables}]`
}

export function renderEffectiveOptions(effective: readonly EffectiveOption[]): string {
  const keyWidth = Math.max(...effective.map((entry) => entry.key.length), 0)
  const valueWidth = Math.min(60, Math.max(...effective.map((entry) => entry.value.length), 0))
  return effective.map((entry) => `${entry.key.padEnd(keyWidth)}  ${entry.value.padEnd(valueWidth)}  ${entry.source}`).join('\n')
}

function defaultText({ default: value, secret, parse }: OptionDefinition<unknown>): string {
  if (value === undefined || value === null || value === false) return ''
  if (secret || value instanceof Secret) return '***'
  return parse.show?.(value) ?? String(value)
}
