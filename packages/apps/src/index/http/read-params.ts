/** Parse parameters of requests. Throw RequestMistake. */
import { type Address, type Hash, isHex, toAddress, toHash } from '@keelson/primitives'
import type { Page } from '../queries/page.ts'
import { RequestMistake, shown } from './request-mistake.ts'

export type Query = Readonly<Record<string, unknown>>

export const MAX_ROWS = 50
const DEFAULT_ROWS = 25
const MAX_CURSOR_LENGTH = 200
const HASH = 'a hash: 0x and 64 hex digits'
const ADDRESS = 'an address: 0x and 40 hex digits'
/** Digits of a key's number and of a balance. */
const INTEGER = /^\d{1,15}$/
const BALANCE = /^\d{1,100}$/

export function readAddress(given: string): Address {
  if (!isHex(given, 20)) throw new RequestMistake(`got ${shown(given)}`, ADDRESS)
  return toAddress(given)
}

export function readHash(given: string): Hash {
  if (!isHex(given, 32)) throw new RequestMistake(`got ${shown(given)}`, HASH)
  return toHash(given)
}

export function readBlock(given: string): number | Hash {
  if (INTEGER.test(given)) return Number(given)
  if (isHex(given, 32)) return toHash(given)
  throw new RequestMistake(`got ${shown(given)}`, `the number of a block, or ${HASH}`)
}

export type KeyPart = 'number' | 'position' | 'balance' | 'address'

export const TRANSFER_KEY: readonly KeyPart[] = ['number', 'position', 'position']

const isPart: Readonly<Record<KeyPart, (text: string) => boolean>> = {
  number: (text) => INTEGER.test(text),
  position: (text) => INTEGER.test(text) && Number(text) < 2 ** 31,
  balance: (text) => BALANCE.test(text),
  address: (text) => /^[0-9a-f]{40}$/.test(text),
}

export function readPage(query: Query, key: readonly KeyPart[]): Page {
  return { before: readBefore(query.before, key), limit: readInteger(query, 'limit', { from: 1, to: MAX_ROWS, otherwise: DEFAULT_ROWS }) }
}

function readBefore(given: unknown, key: readonly KeyPart[]): readonly string[] | null {
  if (given === undefined) return null
  const parts = typeof given === 'string' && given.length <= MAX_CURSOR_LENGTH ? given.split('-') : []
  if (parts.length === key.length && key.every((part, i) => isPart[part](parts[i] as string))) return parts
  throw new RequestMistake(`before: got ${shown(String(given))}`, '"next" of the page before')
}

export function readInteger(query: Query, name: string, range: { readonly from: number; readonly to: number; readonly otherwise: number }) {
  const given = query[name]
  if (given === undefined) return range.otherwise
  const value = typeof given === 'string' && INTEGER.test(given) ? Number(given) : Number.NaN
  if (value >= range.from && value <= range.to) return value
  throw new RequestMistake(`${name}: got ${shown(String(given))}`, `a whole number from ${range.from} to ${range.to}`)
}

export function readText(query: Query, name: string, maxLength: number): string {
  const given = query[name]
  const text = typeof given === 'string' ? given.trim() : ''
  if (text !== '' && text.length <= maxLength && !text.includes('\0')) return text
  throw new RequestMistake(`${name}: got ${shown(text)}`, `text of 1 to ${maxLength} characters`)
}

export function readChoice<T extends string>(query: Query, name: string, choices: readonly T[]): T {
  const given = query[name]
  const found = given === undefined ? choices[0] : choices.find((choice) => choice === given)
  if (found !== undefined) return found
  throw new RequestMistake(`${name}: got ${shown(String(given))}`, choices.join(' or '))
}
