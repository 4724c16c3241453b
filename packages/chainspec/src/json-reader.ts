/** Reads a configuration object and collects every mistake with its path, so that an operator sees all of them at once. */
import { CodecError, parseJsonObject } from '@keelson/primitives'

export type Parse<T> = (value: unknown, what: string) => T

export interface JsonReader {
  readonly keys: readonly string[]
  has(key: string): boolean
  /** Returns `fallback` after recording a mistake. */
  required<T>(key: string, parse: Parse<T>, fallback: T): T
  optional<T>(key: string, parse: Parse<T>, absent: T): T
  /** Returns an empty object after recording a mistake. */
  child(key: string): JsonReader
  mistake(text: string): void
}

/** Prefix of every mistake: "rollup.json: genesis.l1.hash: ...". */
export function createJsonReader(value: unknown, mistakes: string[], path = ''): JsonReader {
  const attempt = <T>(what: string, parse: () => T, fallback: T): T => {
    try {
      return parse()
    } catch (error) {
      if (!(error instanceof CodecError)) throw error
      mistakes.push(error.message.startsWith(what) ? error.message : `${what}: ${error.message}`)
      return fallback
    }
  }
  const object = attempt(path || 'document', () => parseJsonObject(value, path || 'document'), {})
  const at = (key: string) => (path === '' ? key : `${path}.${key}`)
  const isAbsent = (key: string) => object[key] === undefined || object[key] === null
  const reader: JsonReader = {
    keys: Object.keys(object),
    has: (key) => !isAbsent(key),
    required(key, parse, fallback) {
      if (isAbsent(key)) {
        mistakes.push(`${at(key)} is missing`)
        return fallback
      }
      return attempt(at(key), () => parse(object[key], at(key)), fallback)
    },
    optional(key, parse, absent) {
      return isAbsent(key) ? absent : attempt(at(key), () => parse(object[key], at(key)), absent)
    },
    child(key) {
      if (isAbsent(key)) {
        mistakes.push(`${at(key)} is missing`)
        return createJsonReader({}, [], at(key))
      }
      return createJsonReader(object[key], mistakes, at(key))
    },
    mistake: (text) => mistakes.push(text),
  }
  return reader
}
