/** The JSON Schema of configuration files: a section for each command, whose properties are the keys of its options. */
import { type OptionDefinition, type OptionSet, Secret, type ValueSchema } from '@keelson/runtime'
import type { ListedCommand } from './list-commands.ts'

interface Property extends ValueSchema {
  readonly description: string
  readonly default?: unknown
  readonly writeOnly?: true
}

interface Section {
  readonly type: 'object'
  readonly description: string
  readonly additionalProperties: false
  readonly properties: Readonly<Record<string, Property>>
}

export interface ConfigSchema {
  readonly $schema: string
  readonly title: string
  readonly type: 'object'
  readonly additionalProperties: false
  readonly properties: Readonly<Record<string, Section | { readonly type: 'string' }>>
}

export function configSchema(commands: readonly ListedCommand[]): ConfigSchema {
  const sections = commands.map(({ path, summary, options }) => [path, sectionOf(summary, options)] as const)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Configuration file of keelson',
    type: 'object',
    additionalProperties: false,
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(sections) },
  }
}

function sectionOf(description: string, options: OptionSet): Section {
  const properties = Object.fromEntries(Object.values(options).map((definition) => [definition.key, propertyOf(definition)]))
  return { type: 'object', description, additionalProperties: false, properties }
}

function propertyOf(definition: OptionDefinition<unknown>): Property {
  const { parse, description, secret } = definition
  const fallback = fileForm(definition)
  return { ...parse.schema, description, ...(fallback === undefined ? {} : { default: fallback }), ...(secret ? { writeOnly: true } : {}) }
}

/** The default as it is written in a file; undefined when there is none to show. */
export function fileForm({ default: value, defaultText, parse, secret }: OptionDefinition<unknown>): unknown {
  if (value === undefined || value === null || defaultText !== null || secret || value instanceof Secret) return undefined
  if (Array.isArray(value)) {
    const text = parse.show?.(value) ?? value.join(',')
    return text === '' ? [] : text.split(',')
  }
  if (parse.show === undefined && (typeof value === 'number' || typeof value === 'boolean')) return value
  return parse.show?.(value) ?? String(value)
}

/** One line for each option. */
export function renderSchema({ properties, ...head }: ConfigSchema): string {
  const lines = Object.entries(properties).map(([path, section]) => {
    if (!('properties' in section)) return `    ${JSON.stringify(path)}: ${JSON.stringify(section)}`
    const { properties: options, ...rest } = section
    const inner = Object.entries(options).map(([key, property]) => `        ${JSON.stringify(key)}: ${JSON.stringify(property)}`)
    const body = inner.length === 0 ? '{}' : `{\n${inner.join(',\n')}\n      }`
    return `    ${JSON.stringify(path)}: {\n${membersOf(rest, 6)},\n      "properties": ${body}\n    }`
  })
  return `{\n${membersOf(head, 2)},\n  "properties": {\n${lines.join(',\n')}\n  }\n}\n`
}

function membersOf(object: object, indent: number): string {
  return Object.entries(object)
    .map(([name, value]) => `${' '.repeat(indent)}${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n')
}
