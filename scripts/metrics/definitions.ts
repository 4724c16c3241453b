/** Reads the definitions of metrics from the sources of the packages. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { callArguments, literalText } from './call-arguments.ts'
import { CLIENTS, type Client, OWNERS, TEMPLATES, WRAPPERS } from './owners.ts'

export type MetricKind = 'counter' | 'gauge' | 'histogram'

export interface MetricDefinition {
  readonly client: Client
  readonly name: string
  readonly kind: MetricKind
  readonly labels: readonly string[]
  readonly help: string
}

const DEFINITION = /(?:\b|\.)(counter|gauge|histogram)\(/g

/** Throws for a definition that cannot be read; a wrapper belongs in WRAPPERS. */
export function readDefinitions(root: string): readonly MetricDefinition[] {
  const folder = join(root, 'packages')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[\w-]+\/src\/.*\.ts$/.test(file) && !file.includes('.test'))
    .map((file) => `packages/${file}`)
    .filter((file) => !WRAPPERS.includes(file))
    .sort()
  const found = files.flatMap((file) => definitionsIn(file, readFileSync(join(root, file), 'utf8')))
  const byName = new Map(found.map((definition) => [definition.name, definition]))
  return [...byName.values()].sort((a, b) => CLIENTS.indexOf(a.client) - CLIENTS.indexOf(b.client) || (a.name < b.name ? -1 : 1))
}

export function definitionsIn(file: string, source: string): readonly MetricDefinition[] {
  return [...source.matchAll(DEFINITION)].flatMap((match) => {
    const parts = callArguments(source, match.index + match[0].length)
    const [name, help] = [parts[0] ?? '', parts[1] ?? '']
    // A method's declaration, or the call within a wrapper.
    if (/^name\b/.test(name)) return []
    const text = literalText(name)
    const meaning = literalText(help) ?? constantText(source, help)
    if (text === null || meaning === null) throw new Error(`${file}: ${match[1]}(${name}, ${help}) has no literal name and help`)
    const kind = match[1] as MetricKind
    const labels = [...(parts[2] ?? '').matchAll(/'(\w+)'/g)].map(([, label]) => label as string)
    return expand(file, { text, meaning }).map((one) => ({ ...one, kind, labels: parts[2]?.startsWith('[') ? labels : [] }))
  })
}

function constantText(source: string, name: string): string | null {
  const match = new RegExp(`const ${name} = ('[^\\n]*')\\n`).exec(source)
  return match === null ? null : literalText(match[1] as string)
}

function expand(file: string, { text, meaning }: { readonly text: string; readonly meaning: string }) {
  const isTemplate = text.includes('${') || meaning.includes('${')
  const values = isTemplate ? templateValues(file) : [{ clients: ownersOf(file), words: {} }]
  return values.flatMap(({ clients, words }) =>
    clients.map((client) => ({ client, name: `keelson_${client}_${fill(file, text, words)}`, help: fill(file, meaning, words) })),
  )
}

function ownersOf(file: string): readonly Client[] {
  const owner = OWNERS.find(([prefix]) => file.startsWith(prefix))
  if (owner === undefined) throw new Error(`${file} defines metrics; add its clients to scripts/metrics/owners.ts`)
  return owner[1]
}

function templateValues(file: string) {
  const template = TEMPLATES.find(({ prefix }) => file.startsWith(prefix))
  if (template === undefined) throw new Error(`${file} builds names of metrics; add its words to TEMPLATES in scripts/metrics/owners.ts`)
  return template.values
}

function fill(file: string, text: string, words: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{([^}]+)\}/g, (_, variable: string) => {
    const word = words[variable]
    if (word === undefined) throw new Error(`${file}: the template variable ${variable} has no value in scripts/metrics/owners.ts`)
    return word
  })
}
