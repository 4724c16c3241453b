import { TRANSACTION_DEPOSITED_TOPIC } from '@keelson/contracts'
import { bigintToBytes, concatBytes, type Hash, type Log, toAddress, toHash } from '@keelson/primitives'
import type { FakeL1 } from './fake-l1.ts'
import { PORTAL } from './rollup-config.ts'

export const DEPOSITOR = '0x00000000000000000000000000000000000000d1'
export const RECIPIENT = '0x00000000000000000000000000000000000000d2'

function word(hex: string): Hash {
  return toHash(`0x${hex.slice(2).padStart(64, '0')}`)
}

/** ABI-encodes the opaque data as one dynamic bytes parameter. */
function depositLog(mintWei: bigint, valueWei: bigint, gasLimit = 100_000n): Log {
  const opaque = concatBytes(bigintToBytes(mintWei, 32), bigintToBytes(valueWei, 32), bigintToBytes(gasLimit, 8), Uint8Array.of(0))
  const padded = concatBytes(opaque, new Uint8Array((32 - (opaque.length % 32)) % 32))
  return {
    address: PORTAL,
    topics: [TRANSACTION_DEPOSITED_TOPIC, word(DEPOSITOR), word(RECIPIENT), word('0x00')],
    data: concatBytes(bigintToBytes(32n, 32), bigintToBytes(BigInt(opaque.length), 32), padded),
  }
}

/** The L2 call fails when the value exceeds the mint: the depositor has no other balance. */
export function sendDeposit(l1: FakeL1, mintWei: bigint, valueWei = mintWei, before: readonly Log[] = []): void {
  l1.send({ privateKey: new Uint8Array(32).fill(0xd1), to: PORTAL, logs: [...before, depositLog(mintWei, valueWei)] })
}

export function sendDepositOfGas(l1: FakeL1, gasLimit: bigint): void {
  l1.send({ privateKey: new Uint8Array(32).fill(0xd2), to: PORTAL, logs: [depositLog(0n, 0n, gasLimit)] })
}

/** EIP-7708: L1's log of a value transfer from Amsterdam on. */
export function transferLog(valueWei: bigint): Log {
  return {
    address: toAddress(`0x${'ff'.repeat(19)}fe`),
    topics: [toHash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'), word(DEPOSITOR), word(PORTAL)],
    data: bigintToBytes(valueWei, 32),
  }
}
