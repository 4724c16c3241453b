/** Contracts of the first state that may be tokens, and accounts that may hold them: no event of the chain names them. */
import { functionSelector } from '@keelson/contracts'
import { type Address, bytesToHex, equalBytes, type GenesisAccount, hexToBytes } from '@keelson/primitives'
import { IMPLEMENTATION_SLOT, implementationOf } from '../verify/implementation.ts'

export interface GenesisTokens {
  readonly tokens: readonly Address[]
  /** Each may hold each of the tokens. */
  readonly holders: readonly Address[]
}

/** The selectors of `balanceOf` stand in the code of a token: EIP-20 and EIP-721, EIP-1155. */
const BALANCE_SELECTORS = ['balanceOf(address)', 'balanceOf(address,uint256)'].map((signature) =>
  bytesToHex(functionSelector(signature)).slice(2),
)
const SLOT = hexToBytes(IMPLEMENTATION_SLOT)
/** Predeploys are thousands of equal proxies, which hold nothing. */
const MAX_EQUAL_CODES = 100
/** A public network with a larger first state is known by its events alone. */
export const MAX_GENESIS_PAIRS = 200_000

/** Null when the first state is too large to ask for each pair of a token and an account. */
export function findGenesisTokens(accounts: readonly GenesisAccount[]): GenesisTokens | null {
  const codes = new Map(accounts.map(({ address, code }) => [address, bytesToHex(code)]))
  const uses = new Map<string, number>()
  for (const code of codes.values()) uses.set(code, (uses.get(code) ?? 0) + 1)
  const hasBalances = (code = '0x') => BALANCE_SELECTORS.some((selector) => code.includes(selector))
  const tokens = accounts
    .filter(({ address, code, storage }) => {
      const slot = storage.find(([key]) => equalBytes(key, SLOT))?.[1]
      const target = code.length === 0 ? null : implementationOf(code, slot ?? new Uint8Array(0))
      return hasBalances(codes.get(address)) || (target !== null && hasBalances(codes.get(target)))
    })
    .map(({ address }) => address)
  const holders = accounts
    .map(({ address }) => address)
    .filter((address) => {
      const code = codes.get(address) ?? '0x'
      return code === '0x' || (uses.get(code) ?? 0) <= MAX_EQUAL_CODES || tokens.includes(address)
    })
  return tokens.length * holders.length > MAX_GENESIS_PAIRS ? null : { tokens, holders }
}
