import type { L1Receipt, L1Sender } from '@keelson/batcher'
import type { SignedTransaction } from '@keelson/primitives'
import type { FakeL1 } from './fake-l1.ts'

export interface FakeL1Sender extends L1Sender {
  settle(): void
  readonly sent: readonly SignedTransaction[]
}

interface Pending {
  readonly tx: SignedTransaction
  resolve(receipt: L1Receipt): void
}

export function createFakeL1Sender(l1: FakeL1, privateKey: Uint8Array): FakeL1Sender {
  const sent: SignedTransaction[] = []
  let pending: Pending[] = []
  return {
    sent,
    send: ({ to, data, blobs, onPlaced }) =>
      new Promise((resolve) => {
        const tx = l1.send({ privateKey, to, data, ...(blobs === undefined ? {} : { blobs }) })
        sent.push(tx)
        onPlaced?.()
        pending.push({ tx, resolve })
      }),
    recover: async () => [],
    settle() {
      pending = pending.filter(({ tx, resolve }) => {
        const place = l1.where(tx.hash)
        if (place === null) l1.sendAgain(tx)
        if (typeof place !== 'number') return true
        resolve({ succeeded: true, blockNumber: place, transactionHash: tx.hash })
        return false
      })
    },
  }
}
