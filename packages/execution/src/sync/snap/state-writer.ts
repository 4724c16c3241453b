/** Writes what was fetched, one batch at a time, with the progress that it makes. */
import { type Bytes32, bytesToHex, EMPTY_CODE_HASH_BYTES, equalBytes, type Hash, keccak256Hash } from '@keelson/primitives'
import type { ReceivedAccount, StateDownload } from '@keelson/state'
import { createExclusive } from '../../exclusive.ts'
import { encodeProgress, type SnapProgress } from './snap-progress.ts'
import { fetchCodes, type SnapPool } from './snap-requests.ts'

export interface SnapCounts {
  accounts: number
  slots: number
  codes: number
}

export interface StateWriter {
  readonly counts: SnapCounts
  /** Fetches missing codes first. `advance` changes the progress that is written with the accounts. */
  write(accounts: readonly ReceivedAccount[], advance: () => void, signal: AbortSignal): Promise<void>
}

const CODES_PER_REQUEST = 64

export interface StateWriterDependencies {
  readonly download: StateDownload
  readonly pool: SnapPool
  readonly progress: SnapProgress
  onWrite(): void
}

export function createStateWriter({ download, pool, progress, onWrite }: StateWriterDependencies): StateWriter {
  const exclusive = createExclusive()
  const counts: SnapCounts = { accounts: 0, slots: 0, codes: 0 }

  async function missingCodes(accounts: readonly ReceivedAccount[], signal: AbortSignal): Promise<Uint8Array[]> {
    const missing = new Map<Hash, Bytes32>()
    for (const { account } of accounts) {
      if (account === null || equalBytes(account.codeHash, EMPTY_CODE_HASH_BYTES) || download.hasCode(account.codeHash)) continue
      missing.set(bytesToHex(account.codeHash) as Hash, account.codeHash)
    }
    const codes: Uint8Array[] = []
    while (missing.size > 0) {
      for (const code of await fetchCodes(pool, [...missing.values()].slice(0, CODES_PER_REQUEST), signal)) {
        if (missing.delete(keccak256Hash(code))) codes.push(code)
      }
    }
    return codes
  }

  return {
    counts,
    async write(accounts, advance, signal) {
      const codes = await missingCodes(accounts, signal)
      await exclusive.run(async () => {
        signal.throwIfAborted()
        advance()
        await download.write({ accounts, codes, progress: encodeProgress(progress) })
      })
      counts.codes += codes.length
      for (const { account, slots } of accounts) {
        if (account !== null) counts.accounts++
        counts.slots += slots.length
      }
      onWrite()
    },
  }
}
