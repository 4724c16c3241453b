/** Help text and the table of effective values, from the same definitions. */
import { Secret } from '../secret.ts'
import type { OptionDefinition, OptionSet } from './option.ts'
import type { EffectiveOption } from './resolve-options.ts'

/** Two lines an option, those that must be given first: flag with placeholder and default, then meaning and environment variable. */
export function renderOptionHelp(set: OptionSet): string {
  const isRequired = ({ default: fallback, optional }: OptionDefinition<unknown>) => fallback === undefined && !optional
  const definitions = Object.values(set)
  return [...definitions.filter(isRequired), ...definitions.filter((definition) => !isRequired(definition))]
    .map((definition) => {
      const placeholder = definition.parse.isSwitch === true ? '' : ` ${definition.parse.placeholder ?? '<value>'}`
      const fallback = defaultText(definition)
      const need = isRequired(definition) ? ' (required)' : ''
      const off = definition.parse.isSwitch === true && definition.default === true ? `, --no-${definition.flag}` : ''
      const head = `  --${definition.flag}${off}${placeholder}${fallback === '' ? need : ` (default: ${fallback})`}`
      const alias = definition.alias === null ? '' : ` Also --${definition.alias}.`
      return `${head}\n        ${definition.description}${alias} [${definition.env}]`
    })
    .join('\n')
}

/** key, value and source in columns. */
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
