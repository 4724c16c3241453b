import { readFileSync } from 'node:fs'
import {
  bigintToBytes,
  type Crypto,
  concatBytes,
  type GenesisAccount,
  hexToBytes,
  keccak256,
  L1_BLOCK,
  L2_TO_L1_MESSAGE_PASSER,
  padLeft,
  toAddress,
  utf8ToBytes,
} from '@keelson/primitives'

export interface BenchAccounts {
  readonly count: number
  readonly senders: number
  address(index: number): Uint8Array
  privateKey(index: number): Uint8Array
  readonly token: Uint8Array
  /** Materializes every account; see bench-state.ts for large states. */
  readonly alloc: readonly GenesisAccount[]
}

const ETHER = 10n ** 18n
const TOKEN = keccak256(utf8ToBytes('bench token')).subarray(12)
const SUPPLY_SLOT = 0n
const BALANCES_SLOT = 1n
export const BENCH_BALANCE_WEI = 1_000n * ETHER
export const BENCH_TOKEN_BALANCE = word(ETHER)

export function createBenchAccounts(count: number, senders: number, crypto: Crypto): BenchAccounts {
  const privateKey = (index: number) => keccak256(utf8ToBytes(`bench key ${index}`))
  const known: Uint8Array[] = []
  const address = (index: number): Uint8Array => {
    known[index] ??= index < senders ? crypto.addressOf(privateKey(index)) : keccak256(utf8ToBytes(`bench account ${index}`)).subarray(12)
    return known[index]
  }
  return {
    count,
    senders,
    address,
    privateKey,
    token: TOKEN,
    get alloc() {
      const addresses = Array.from({ length: count }, (_, i) => address(i))
      const plain = addresses.map((holder) => account(holder, 0n, BENCH_BALANCE_WEI, new Uint8Array(0), []))
      const balances = addresses.map((holder) => [balanceSlot(holder), BENCH_TOKEN_BALANCE] as const)
      return [...plain, ...benchContracts(count).map((one) => (isToken(one) ? { ...one, storage: [...one.storage, ...balances] } : one))]
    },
  }
}

export function isToken({ address }: GenesisAccount): boolean {
  return address === toAddress(TOKEN)
}

export function balanceSlot(holder: Uint8Array): Uint8Array {
  return keccak256(concatBytes(padLeft(holder, 32), word(BALANCES_SLOT)))
}

export function benchContracts(holders: number): readonly GenesisAccount[] {
  const file = new URL('../../test/fixtures/contracts/Token.json', import.meta.url)
  const { deployedBytecode } = JSON.parse(readFileSync(file, 'utf8')) as { readonly deployedBytecode: `0x${string}` }
  const supply = [word(SUPPLY_SLOT), word(ETHER * BigInt(holders))] as const
  const scalars = concatBytes(new Uint8Array(16), bigintToBytes(1_368n, 4), bigintToBytes(810_949n, 4), new Uint8Array(8))
  const operator = concatBytes(new Uint8Array(18), bigintToBytes(1n, 2), new Uint8Array(12))
  const l1Block = [
    [word(1n), word(ETHER / 10n ** 9n)],
    [word(3n), scalars],
    [word(7n), word(1n)],
    [word(8n), operator],
  ] as const
  return [
    account(TOKEN, 1n, 0n, hexToBytes(deployedBytecode), [supply]),
    account(hexToBytes(L1_BLOCK), 1n, 0n, Uint8Array.of(0), l1Block),
    account(hexToBytes(L2_TO_L1_MESSAGE_PASSER), 1n, 0n, Uint8Array.of(0), []),
  ]
}

function account(
  address: Uint8Array,
  nonce: bigint,
  balanceWei: bigint,
  code: Uint8Array,
  storage: GenesisAccount['storage'],
): GenesisAccount {
  return { address: toAddress(address), nonce, balanceWei, code, storage }
}

function word(value: bigint): Uint8Array {
  return bigintToBytes(value, 32)
}
