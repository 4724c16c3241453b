import { type AbiValue, decodeParameters } from '@keelson/contracts/abi'
import { bytesToHex, hexToBytes } from '@keelson/primitives'
import type { AbiDocument } from '../../../shared/abi-document.ts'
import { type Parameter, parseDeclaration } from './declaration.ts'

export interface DecodedValue {
  readonly name: string
  readonly type: string
  readonly value: AbiValue
}

export interface Decoded {
  readonly name: string
  readonly values: readonly DecodedValue[]
}

const SELECTOR_DIGITS = 10
const WORD_DIGITS = 64
/** Types of one word: an indexed value of another type is only its hash. */
const SIMPLE = /^(u?int\d*|address|bool|bytes\d+)$/

/** Null if the function is not known or the data does not fit it. */
export function decodeCall(input: string, abis: AbiDocument): Decoded | null {
  return decodeBySelector(input, abis.functions)
}

/** The reason that a reverted call returned. */
export function decodeError(output: string, abis: AbiDocument): Decoded | null {
  return decodeBySelector(output, abis.errors)
}

/** Arguments of a constructor or values of a function, without a selector. Null if the data does not fit. */
export function decodeArguments(declaration: string, data: string): Decoded | null {
  const { name, parameters } = parseDeclaration(declaration)
  const values = decode(parameters, data)
  return values === null ? null : { name, values }
}

export function functionName(selector: string | null, abis: AbiDocument | null): string | null {
  if (selector === null) return null
  return abis?.functions[selector]?.split('(')[0] ?? selector
}

function decodeBySelector(data: string, declarations: Readonly<Record<string, string>>): Decoded | null {
  const text = declarations[data.slice(0, SELECTOR_DIGITS)]
  if (text === undefined) return null
  const { name, parameters } = parseDeclaration(text)
  const values = decode(parameters, `0x${data.slice(SELECTOR_DIGITS)}`)
  return values === null ? null : { name, values }
}

/** Indexed values are in the topics; those without a fixed width are shown as their hash. */
export function decodeLog(topics: readonly string[], data: string, abis: AbiDocument): Decoded | null {
  const [topic, ...indexedWords] = topics
  for (const text of topic === undefined ? [] : (abis.events[topic] ?? [])) {
    const { name, parameters } = parseDeclaration(text)
    const inTopics = parameters.filter(({ indexed }) => indexed)
    if (inTopics.length !== indexedWords.length) continue
    const fromData = decode(
      parameters.filter(({ indexed }) => !indexed),
      data,
    )
    if (fromData === null) continue
    const fromTopics = inTopics.map((parameter, i) => indexedValue(parameter, indexedWords[i] as string))
    // In the order of the declaration; parameters may lack names.
    const [topicValues, dataValues] = [fromTopics.values(), fromData.values()]
    return { name, values: parameters.flatMap(({ indexed }) => (indexed ? topicValues : dataValues).next().value ?? []) }
  }
  return null
}

function indexedValue({ name, type }: Parameter, word: string): DecodedValue {
  const decoded = SIMPLE.test(type) ? decode([{ name, type, indexed: false }], word) : null
  return decoded?.[0] ?? { name, type: 'bytes32', value: word }
}

function decode(parameters: readonly Parameter[], data: string): readonly DecodedValue[] | null {
  if (parameters.length === 0) return []
  if (data.length - 2 < WORD_DIGITS) return null
  try {
    const values = decodeParameters(parameters.map(({ type }) => type).join(','), hexToBytes(data))
    return parameters.map(({ name, type }, i) => ({ name, type, value: values[i] as AbiValue }))
  } catch {
    return null
  }
}

/** One line of text; long lists are cut. */
export function valueText(value: AbiValue): string {
  if (value instanceof Uint8Array) return bytesToHex(value)
  if (typeof value === 'object') return `[${value.slice(0, MAX_ITEMS).map(valueText).join(', ')}${value.length > MAX_ITEMS ? ', …' : ''}]`
  return String(value)
}

const MAX_ITEMS = 20
