/** Which token a number of a decoded call, event or error counts, by the names of ERC-20, Uniswap v2 and the bridge of the OP Stack. */
import type { AbiValue } from '@keelson/contracts/abi'
import { isAddress } from '../../format/hex.ts'
import type { Decoded, DecodedValue } from './decode.ts'

export type AmountUnit =
  | { readonly kind: 'native' }
  | { readonly kind: 'token'; readonly address: string }
  /** The contract itself, if it is a token. */
  | { readonly kind: 'own' }
  /** `token0()` or `token1()` of the contract. */
  | { readonly kind: 'side'; readonly side: 0 | 1 }

/** A narrower integer is a count, a time or a flag. */
const LEAST_BITS = 96
const OWN: ReadonlySet<string> = new Set(
  'value amount wad tokens balance needed allowance currentallowance supply rawamount addedvalue subtractedvalue liquidity'.split(' '),
)
/** Functions whose result has no name. */
const OWN_RESULTS: ReadonlySet<string> = new Set(['balanceOf', 'totalSupply', 'allowance', 'maxSupply', 'cap'])
/** Their `value` is what the message carries. */
const OF_MESSAGES: ReadonlySet<string> = new Set(['MessagePassed', 'SentMessageExtension1', 'relayMessage', 'TransactionDeposited'])
/** Parameters that name the token of this chain. */
const TOKEN_NAMES = ['localToken', '_localToken', 'l2Token', '_l2Token']

/** Null for a number that is no amount, and where nothing says of what. */
export function amountUnit(decoded: Decoded, { name: given, type, value }: DecodedValue): AmountUnit | null {
  const bits = /^uint(\d*)$/.exec(type)?.[1]
  if (bits === undefined || typeof value !== 'bigint' || Number(bits || 256) < LEAST_BITS) return null
  const name = given.replace(/^_+|_+$/g, '')
  if (name === '') return OWN_RESULTS.has(decoded.name) ? { kind: 'own' } : null
  if (/Wei$/.test(name) || /^amountETH/.test(name)) return { kind: 'native' }
  const side = /^(?:amount|reserve|balance)([01])/.exec(name)?.[1]
  if (side !== undefined) return { kind: 'side', side: side === '0' ? 0 : 1 }
  const named = tokenNamed(decoded, name)
  if (named !== null) return { kind: 'token', address: named }
  if (!OWN.has(name.toLowerCase())) return null
  return /^ETH|^bridgeETH/.test(decoded.name) || OF_MESSAGES.has(decoded.name) ? { kind: 'native' } : { kind: 'own' }
}

function tokenNamed({ values }: Decoded, name: string): string | null {
  const valueNamed = (wanted: string) => values.find((one) => one.name === wanted)?.value
  const path = valueNamed('path')
  if (Array.isArray(path) && /^amountIn/.test(name)) return addressOf(path[0])
  if (Array.isArray(path) && /^amountOut/.test(name)) return addressOf(path.at(-1))
  const part = /^amount(A|B|Token)/.exec(name)?.[1]
  if (part !== undefined) return addressOf(valueNamed(part === 'Token' ? 'token' : `token${part}`))
  if (name !== 'amount') return null
  return TOKEN_NAMES.map((one) => addressOf(valueNamed(one))).find((address) => address !== null) ?? null
}

function addressOf(value: AbiValue | undefined): string | null {
  return typeof value === 'string' && isAddress(value) ? value.toLowerCase() : null
}
