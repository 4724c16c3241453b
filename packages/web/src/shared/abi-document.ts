/** Declarations of an ABI, by selector and topic. */
import type { AbiEntry, AbiParameter } from '@keelson/contracts'
import { bytesToHex, keccak256, utf8ToBytes } from '@keelson/primitives'

/** What `/abis.json` says, and what an ABI becomes: declarations as `transfer(address to,uint256 value)`. */
export interface AbiDocument {
  readonly functions: Readonly<Record<string, string>>
  readonly errors: Readonly<Record<string, string>>
  /** Several, because `indexed` is not part of the topic. */
  readonly events: Readonly<Record<string, readonly string[]>>
}

type Kind = 'functions' | 'errors' | 'events'

const KINDS: Readonly<Record<string, Kind>> = { function: 'functions', error: 'errors', event: 'events' }

/** The first declaration of a selector stays. */
export function createAbiDocument(declarations: Iterable<readonly [Kind, string]>): AbiDocument {
  const functions: Record<string, string> = {}
  const errors: Record<string, string> = {}
  const events: Record<string, readonly string[]> = {}
  for (const [kind, declaration] of declarations) {
    if (kind === 'functions') functions[selectorOf(declaration)] ??= declaration
    else if (kind === 'errors') errors[selectorOf(declaration)] ??= declaration
    else {
      const topic = hashOf(declaration)
      events[topic] = withShape(events[topic] ?? [], declaration)
    }
  }
  return { functions, errors, events }
}

export function declarationsOf(abi: readonly AbiEntry[]): readonly (readonly [Kind, string])[] {
  return abi.flatMap((entry) => {
    const kind = KINDS[entry.type]
    return kind === undefined || entry.name === undefined ? [] : [[kind, declarationOf(entry)] as const]
  })
}

/** Declarations of `first` are preferred. */
export function mergeAbis(first: AbiDocument, second: AbiDocument): AbiDocument {
  const events: Record<string, readonly string[]> = { ...second.events }
  for (const [topic, declarations] of Object.entries(first.events))
    events[topic] = (second.events[topic] ?? []).reduce(withShape, declarations)
  return { functions: { ...second.functions, ...first.functions }, errors: { ...second.errors, ...first.errors }, events }
}

export function declarationOf({ name = '', inputs = [] }: Pick<AbiEntry, 'name' | 'inputs'>): string {
  return `${name}(${inputs.map(parameterOf).join(',')})`
}

/** As it is hashed: `transfer(address,uint256)`. */
export function signatureOf({ name = '', inputs = [] }: Pick<AbiEntry, 'name' | 'inputs'>): string {
  return `${name}(${inputs.map(typeOf).join(',')})`
}

/** A structure as `(address,uint256)`. */
export function typeOf({ type, components }: AbiParameter): string {
  return type.startsWith('tuple') ? `(${(components ?? []).map(typeOf).join(',')})${type.slice('tuple'.length)}` : type
}

function parameterOf({ name, type, indexed, components }: AbiParameter): string {
  const shown = type.startsWith('tuple') ? `(${(components ?? []).map(parameterOf).join(',')})${type.slice('tuple'.length)}` : type
  return `${shown}${indexed === true ? ' indexed' : ''}${name === '' ? '' : ` ${name}`}`
}

function withShape(declarations: readonly string[], declaration: string): readonly string[] {
  return declarations.some((other) => shapeOf(other) === shapeOf(declaration)) ? declarations : [...declarations, declaration]
}

const shapeOf = (declaration: string) =>
  declaration
    .split(',')
    .map((part) => part.includes(' indexed'))
    .join()
const canonical = (declaration: string) => declaration.replace(/ indexed/g, '').replace(/ [\w$]+(?=[,)])/g, '')
const hashOf = (declaration: string) => bytesToHex(keccak256(utf8ToBytes(canonical(declaration))))
const selectorOf = (declaration: string) => hashOf(declaration).slice(0, 10)
