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
  readonly alloc: readonly GenesisAccount[]
}

const ETHER = 10n ** 18n
const TOKEN = keccak256(utf8ToBytes('bench token')).subarray(12)
const SUPPLY_SLOT = 0n
const BALANCES_SLOT = 1n

export function createBenchAccounts(count: number, senders: number, crypto: Crypto): BenchAccounts {
  const privateKey = (index: number) => keccak256(utf8ToBytes(`bench key ${index}`))
  const addresses = Array.from({ length: count }, (_, i) =>
    i < senders ? crypto.addressOf(privateKey(i)) : keccak256(utf8ToBytes(`bench account ${i}`)).subarray(12),
  )
  const plain = addresses.map((address) => ({
    address: toAddress(address),
    nonce: 0n,
    balanceWei: 1_000n * ETHER,
    code: new Uint8Array(0),
    storage: [],
  }))
  return {
    count,
    senders,
    address: (index) => addresses[index] as Uint8Array,
    privateKey,
    token: TOKEN,
    alloc: [...plain, tokenAccount(addresses), l1BlockAccount(), messagePasserAccount()],
  }
}

function tokenAccount(holders: readonly Uint8Array[]): GenesisAccount {
  const file = new URL('../../test/fixtures/contracts/Token.json', import.meta.url)
  const { deployedBytecode } = JSON.parse(readFileSync(file, 'utf8')) as { readonly deployedBytecode: `0x${string}` }
  const balance = word(ETHER)
  const balances = holders.map((holder) => [keccak256(concatBytes(padLeft(holder, 32), word(BALANCES_SLOT))), balance] as const)
  const supply = [word(SUPPLY_SLOT), word(ETHER * BigInt(holders.length))] as const
  return { address: toAddress(TOKEN), nonce: 1n, balanceWei: 0n, code: hexToBytes(deployedBytecode), storage: [supply, ...balances] }
}

function l1BlockAccount(): GenesisAccount {
  const scalars = concatBytes(new Uint8Array(16), bigintToBytes(1_368n, 4), bigintToBytes(810_949n, 4), new Uint8Array(8))
  const operator = concatBytes(new Uint8Array(18), bigintToBytes(1n, 2), new Uint8Array(12))
  return {
    address: toAddress(hexToBytes(L1_BLOCK)),
    nonce: 1n,
    balanceWei: 0n,
    code: Uint8Array.of(0),
    storage: [
      [word(1n), word(ETHER / 10n ** 9n)],
      [word(3n), scalars],
      [word(7n), word(1n)],
      [word(8n), operator],
    ],
  }
}

function messagePasserAccount(): GenesisAccount {
  return {
    address: toAddress(hexToBytes(L2_TO_L1_MESSAGE_PASSER)),
    nonce: 1n,
    balanceWei: 0n,
    code: Uint8Array.of(0),
    storage: [],
  }
}

function word(value: bigint): Uint8Array {
  return bigintToBytes(value, 32)
}
