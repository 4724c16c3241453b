/** Parsing errors are -32602 and name the argument. */
import { CodecError, type Hash, hexToBytes, isGiven, padLeft, parseHash, parseQuantityNumber } from '@keelson/primitives'
import { invalidParams, RPC_ERROR_NUMBERS, RpcError } from '@keelson/runtime'
import type { ChainReader, SealedHeader } from '../chain/chain-reader.ts'
import { headerNotFound, rpcError } from './errors.ts'

export type BlockTag = 'latest' | 'pending' | 'earliest' | 'safe' | 'finalized'
export type BlockSelector =
  | { readonly kind: 'tag'; readonly tag: BlockTag }
  | { readonly kind: 'number'; readonly number: number }
  | { readonly kind: 'hash'; readonly hash: Hash; readonly requireCanonical: boolean }

const TAGS: ReadonlySet<unknown> = new Set<BlockTag>(['latest', 'pending', 'earliest', 'safe', 'finalized'])

export function required(value: unknown, index: number): unknown {
  if (!isGiven(value)) throw rpcError('missingArgument', ` ${index}`)
  return value
}

export function argument<T>(params: readonly unknown[], index: number, parse: (value: unknown) => T): T {
  return named(index, () => parse(required(params[index], index)))
}

export function optionalArgument<T>(params: readonly unknown[], index: number, fallback: T, parse: (value: unknown) => T): T {
  const value = params[index]
  return isGiven(value) ? named(index, () => parse(value)) : fallback
}

const NAMED = /^(invalid argument|missing value|invalid block range|exceed max|can't specify|both )/

function named<T>(index: number, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const refused = error instanceof CodecError || (error instanceof RpcError && error.number === RPC_ERROR_NUMBERS.invalidParams)
    if (refused && !NAMED.test(error.message)) throw rpcError('invalidArgument', ` ${index}: ${error.message}`)
    throw error
  }
}

export function parseText(value: unknown): string {
  if (typeof value !== 'string') throw invalidParams(`expected a string, got ${JSON.stringify(value)}`)
  return value
}

export function parseBoolean(value: unknown): boolean {
  if (typeof value !== 'boolean') throw invalidParams(`expected true or false, got ${JSON.stringify(value)}`)
  return value
}

export function parseBlockNumberOrTag(value: unknown, what = 'block'): BlockSelector {
  if (TAGS.has(value)) return { kind: 'tag', tag: value as BlockTag }
  return { kind: 'number', number: parseQuantityNumber(value, what) }
}

export function parseBlockSelector(value: unknown): BlockSelector {
  if (typeof value === 'string' && value.length === 66) return { kind: 'hash', hash: parseHash(value, 'block'), requireCanonical: false }
  if (typeof value !== 'object' || value === null) return parseBlockNumberOrTag(value)
  const { blockNumber, blockHash, requireCanonical } = value as Record<string, unknown>
  const given = [blockNumber, blockHash].filter(isGiven)
  if (given.length > 1) throw rpcError('blockHashWithNumber')
  if (given.length === 0) throw rpcError('noBlockHashOrNumber')
  if (isGiven(blockNumber)) return parseBlockNumberOrTag(blockNumber)
  return {
    kind: 'hash',
    hash: parseHash(blockHash, 'blockHash'),
    requireCanonical: isGiven(requireCanonical) && parseBoolean(requireCanonical),
  }
}

export const LATEST: BlockSelector = { kind: 'tag', tag: 'latest' }

/** `pending` selects the head: only the sequencer knows the next block. */
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

/** Throws geth's `header not found` or `header for hash not found`. */
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

/** Accepts short, padded and odd-length hex, which wallets send. */
export function parseSlot(value: unknown): Uint8Array {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{0,64}$/.test(value)) {
    throw invalidParams(
      `invalid argument 1: expected a storage slot of up to 32 bytes of hex, got ${String(JSON.stringify(value)).slice(0, 80)}`,
    )
  }
  const digits = value.slice(2)
  return padLeft(hexToBytes(`0x${digits.length % 2 === 0 ? '' : '0'}${digits}`), 32)
}
