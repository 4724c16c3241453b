import type { BlockSession } from '@keelson/evm'
import { type Bytes20, bytesToBigint, bytesToHex } from '@keelson/primitives'
import { CALLER } from '../work.ts'

const GAS = 3_000_000n

/** Throws if the transaction does not return `answer`. */
export async function callContract(session: BlockSession, to: Bytes20, data: Uint8Array, answer: bigint): Promise<void> {
  session.beginTx({ origin: CALLER, gasPriceWei: 0n, blobVersionedHashes: [], warmAddresses: [to], accessList: [] })
  const { status, output, error } = session.call({ kind: 'call', from: CALLER, to, valueWei: 0n, data, gas: GAS })
  session.endTx()
  if (status !== 'success' || output.length !== 32 || bytesToBigint(output) !== answer) {
    throw new Error(`${bytesToHex(to)}: expected ${answer}, got ${status} ${error ?? ''} ${bytesToHex(output)}`)
  }
}
