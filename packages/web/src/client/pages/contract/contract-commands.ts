/** Commands of Foundry for a contract. What only the reader knows is an upper-case word. */
import type { AbiEntry } from '@keelson/contracts'
import { signatureOf, typeOf } from '../../../shared/abi-document.ts'

export interface ContractPlace {
  readonly address: string
  readonly chainId: number
  /** Null if the operator named none. */
  readonly rpcUrl: string | null
}

/** Reads with `cast call`, which prints the result by its types; writes with `cast send`. */
export function castCommand({ address, rpcUrl }: ContractPlace, entry: AbiEntry, isRead: boolean): string {
  const { inputs = [], outputs = [] } = entry
  const result = isRead && outputs.length > 0 ? `(${outputs.map(typeOf).join(',')})` : ''
  const given = inputs.map(({ name }, i) => wordOf(name, `ARGUMENT_${i + 1}`))
  const value = entry.stateMutability === 'payable' ? ['--value', 'VALUE'] : []
  const call = [address, `"${signatureOf(entry)}${result}"`, ...given, ...value, '--rpc-url', rpcUrl ?? 'RPC_URL']
  return ['cast', isRead ? 'call' : 'send', ...call, ...(isRead ? [] : KEY)].join(' ')
}

/** For a contract whose functions nobody declared. */
export function unknownCallCommand({ address, rpcUrl }: ContractPlace): string {
  return `cast call ${address} "FUNCTION(TYPES)(RESULTS)" ARGUMENTS --rpc-url ${rpcUrl ?? 'RPC_URL'}`
}

/** For a contract without functions: whatever is sent reaches its fallback. */
export function fallbackCommand({ address, rpcUrl }: ContractPlace): string {
  return ['cast', 'send', address, '0x', '--rpc-url', rpcUrl ?? 'RPC_URL', ...KEY].join(' ')
}

/** `pages` is the URL of these pages. */
export function verifyCommand({ address, chainId }: ContractPlace, pages: string): string {
  return `forge verify-contract --verifier blockscout --verifier-url ${pages}/api/ --chain ${chainId} ${address} src/FILE.sol:CONTRACT`
}

const KEY = ['--private-key', 'KEY']

/** `_to` as TO, `tokenId` as TOKEN_ID. */
function wordOf(name: string, otherwise: string): string {
  const word = name.replace(/^_+|_+$/g, '').replace(/([a-z0-9])([A-Z])/g, '$1_$2')
  return /^\w+$/.test(word) ? word.toUpperCase() : otherwise
}
