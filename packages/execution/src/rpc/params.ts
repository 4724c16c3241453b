/** Parameters of eth_* methods to domain values. Strict where geth is; every failure is -32602 and names the argument. */
import { CodecError, type Hash, parseHash, parseQuantityNumber } from '@keelson/primitives'
import { invalidParams, RPC_ERROR_NUMBERS, RpcError } from '@keelson/runtime'
import type { ChainReader, SealedHeader } from '../chain/chain-store.ts'
import { headerNotFound, rpcError } from './errors.ts'

export type BlockTag = 'latest' | 'pending' | 'earliest' | 'safe' | 'finalized'
export type BlockSelector =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'hash'; readonly hash: Hash; readonly requireCanonical: boolean }

const TAGS: ReadonlySet<unknown> = new Set<BlockTag>(['latest', 'pending', 'earliest', 'safe', 'finalized'])

/** geth's words for a parameter that is not there. */
export function required(value: unknown, index: number): unknown {
  if (value === undefined || value === null) throw rpcError('missingArgument', ` ${index}`)
  return value
}

/** Runs a parser; what it refuses is named by the argument's index. */
export function argument<T>(params: readonly unknown[], index: number, parse: (value: unknown) => T): T {
  return named(index, () => parse(required(params[index], index)))
}

/** As `argument`, with a value for a parameter that was left out. */
export function optionalArgument<T>(params: readonly unknown[], index: number, fallback: T, parse: (value: unknown) => T): T {
  const value = params[index]
  return value === undefined || value === null ? fallback : named(index, () => parse(value))
}

/** Texts that stand alone: of the whole request, not of how one parameter is written. */
const NAMED = /^(invalid argument|missing value|invalid block range|exceed max|can't specify|both )/

function named<T>(index: number, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    // Both are geth's form; a parser that knows its own place in the list has said so already.
    const refused = error instanceof CodecError || (error instanceof RpcError && error.number === RPC_ERROR_NUMBERS.invalidParams)
    if (refused && !NAMED.test(error.message)) throw rpcError('invalidArgument', ` ${index}: ${error.message}`)
    throw error
  }
}

/** A name or an id that somebody was given. */
export function parseText(value: unknown): string {
  if (typeof value !== 'string') throw invalidParams(`expected a string, got ${JSON.stringify(value)}`)
  return value
}

export function parseBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw invalidParams(`expected true or false, got ${JSON.stringify(value)}`)
  return value
}

/** A number or a tag, where a hash is not allowed. */
export function parseBlockNumberOrTag(value: unknown): BlockSelector {
  if (TAGS.has(value)) return { kind: 'tag', tag: value as BlockTag }
  return { kind: 'number', number: parseQuantityNumber(value, 'block') }
}

/** EIP-1898: a number, a tag, a hash, or an object with one of blockNumber and blockHash. */
export function parseBlockSelector(value: unknown): BlockSelector {
  if (typeof value === 'string' && value.length === 66) return { kind: 'hash', hash: parseHash(value, 'block'), requireCanonical: false }
  if (typeof value !== 'object' || value === null) return parseBlockNumberOrTag(value)
  const { blockNumber, blockHash, requireCanonical } = value as Record<string, unknown>
  const given = [blockNumber, blockHash].filter((part) => part !== undefined && part !== null)
  if (given.length > 1) throw rpcError('blockHashWithNumber')
  if (given.length === 0) throw rpcError('noBlockHashOrNumber')
  if (blockNumber !== undefined && blockNumber !== null) return parseBlockNumberOrTag(blockNumber)
  return { kind: 'hash', hash: parseHash(blockHash, 'blockHash'), requireCanonical: requireCanonical === true }
}

export const LATEST: BlockSelector = { kind: 'tag', tag: 'latest' }

/** Null when there is no such block. `pending` is the head: a rollup's next block is its sequencer's alone. */
export function findBlock(chain: ChainReader, selector: BlockSelector): SealedHeader | null {
  switch (selector.kind) {
    case 'tag':
      return byTag(chain, selector.tag)
    case 'number': {
      const hash = chain.canonicalHash(selector.number)
      return hash === null ? null : sealed(chain, hash)
    }
    case 'hash': {
      const found = sealed(chain, selector.hash)
      if (found === null) return null
      if (selector.requireCanonical && !chain.isCanonical(found)) throw rpcError('notCanonical')
      return found
    }
  }
}

/** Throws `header not found` or `header for hash not found`, as geth does where a state is read. */
export function getBlock(chain: ChainReader, selector: BlockSelector): SealedHeader {
  const found = findBlock(chain, selector)
  if (found === null) throw selector.kind === 'hash' ? rpcError('headerForHashNotFound') : headerNotFound()
  return found
}

function byTag(chain: ChainReader, tag: BlockTag): SealedHeader {
  switch (tag) {
    case 'earliest':
      return chain.genesis
    case 'safe':
      return chain.label('safe')
    case 'finalized':
      return chain.label('finalized')
    default:
      return chain.label('unsafe')
  }
}

function sealed(chain: ChainReader, hash: Hash): SealedHeader | null {
  const header = chain.header(hash)
  return header === null ? null : { hash, header }
}
