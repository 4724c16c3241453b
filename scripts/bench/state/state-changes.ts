/** An idle block writes L1 info and system contracts, a full one transfers. */
import {
  type AccountChange,
  BEACON_ROOTS,
  type Bytes20,
  type Bytes32,
  bigintToBytes,
  bytesToBigint,
  EMPTY_CODE_HASH_BYTES,
  HISTORY_STORAGE,
  hexToBytes,
  keccak256,
  L1_BLOCK,
  L1_INFO_DEPOSITOR,
  utf8ToBytes,
} from '@keelson/primitives'
import type { StateView } from '@keelson/state'

const RING = 8_191
const BLOCKS_PER_L1_BLOCK = 6
const TRANSFERS = 1_400
const BLOCK_TIME_SEC = 2

export const BENCH_CONTRACTS: readonly Bytes20[] = [L1_BLOCK, HISTORY_STORAGE, BEACON_ROOTS, L1_INFO_DEPOSITOR].map(hexToBytes)
const FEE_VAULTS = ['11', '19', '1a', '1b'].map((last) => hexToBytes(`0x42000000000000000000000000000000000000${last}`))
const [l1Block, historyStorage, beaconRoots, depositor] = BENCH_CONTRACTS as [Bytes20, Bytes20, Bytes20, Bytes20]

export const addressOf = (i: number): Bytes20 => keccak256(utf8ToBytes(`account ${i}`)).subarray(0, 20)
export const slotOf = (n: number): Bytes32 => bigintToBytes(BigInt(n), 32)

function change(view: StateView, address: Bytes20, slots: AccountChange['slots'], nonce = 0n, balanceWei = 0n): AccountChange {
  const account = view.account(address)
  return {
    address,
    deleted: false,
    storageReset: false,
    nonce: (account?.nonce ?? 0n) + nonce,
    balanceWei: (account?.balanceWei ?? 0n) + balanceWei,
    codeHash: account?.codeHash ?? EMPTY_CODE_HASH_BYTES,
    slots,
  }
}

export function changesOfIdleBlock(view: StateView, number: number): AccountChange[] {
  const timeSec = 1_700_000_000 + BLOCK_TIME_SEC * number
  const l1Number = Math.floor(number / BLOCKS_PER_L1_BLOCK)
  const filler = keccak256(slotOf(l1Number))
  // The sequence number shares a slot with the scalars; the rest changes with the L1 origin.
  const packed = slotOf(number % BLOCKS_PER_L1_BLOCK)
  const moved = number % BLOCKS_PER_L1_BLOCK !== 0 ? [] : [0, 1, 2, 7].map((slot) => [slotOf(slot), filler] as const)
  return [
    change(view, depositor, [], 1n),
    change(view, l1Block, [...moved, [slotOf(3), packed]]),
    change(view, historyStorage, [[slotOf((number - 1) % RING), keccak256(slotOf(number))]]),
    change(view, beaconRoots, [
      [slotOf(timeSec % RING), slotOf(timeSec)],
      [slotOf((timeSec % RING) + RING), filler],
    ]),
  ]
}

export function changesOfFullBlock(view: StateView, number: number, accounts: number): AccountChange[] {
  const seed = keccak256(slotOf(number))
  const chosen = new Set<number>()
  for (let i = 0; chosen.size < 2 * TRANSFERS; i++) {
    const drawn = bytesToBigint(keccak256(Uint8Array.of(...seed, i >> 8, i & 255)).subarray(0, 6))
    chosen.add(Number(drawn % BigInt(accounts)))
  }
  const transfers = [...chosen].map((i, at) => change(view, addressOf(i), [], at % 2 === 0 ? 1n : 0n, at % 2 === 0 ? -2n : 1n))
  return [...changesOfIdleBlock(view, number), ...FEE_VAULTS.map((vault) => change(view, vault, [], 0n, 1_400n)), ...transfers]
}
