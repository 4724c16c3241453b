import assert from 'node:assert/strict'
import { findAgreement } from '../support/agreement.ts'
import { blockAt, syncStatus } from '../support/chain-reading.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { startTransactionLoad, type TransactionLoad } from '../support/transaction-load.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const DEPTH = 6
const CONFIRMATIONS = 2

describe("an L1 reorg deeper than the sequencer's confirmation depth", () => {
  let devnet: DevnetProcess
  let load: TransactionLoad

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, [
      ...['--l1.block-time-sec', '2', '--sequencer.l1-confirmations', String(CONFIRMATIONS)],
      ...withServices(),
    ])
    load = startTransactionLoad(devnet, [1, 2], 1_000)
  })
  after(async () => {
    await load?.stop().catch(() => undefined)
    await devnet?.remove()
  })

  it('is followed by both nodes without help, and the chain continues', async () => {
    const { l1, l2, validator } = devnet.facts
    const { before, finalized } = await eventually('a reorg of L1 that replaces the origin of the unsafe head', async () => {
      const before = await syncStatus(l2.rollupRpcUrl)
      const { unsafe_l2, safe_l2, finalized_l2 } = before
      const finalized = await blockAt(l2.rpcUrl, finalized_l2.number)
      const lowest = Number(await rpcCall<string>(l1.rpcUrl, 'eth_blockNumber')) - DEPTH + 1
      if (finalized_l2.number === 0 || safe_l2.number <= finalized_l2.number || unsafe_l2.l1origin.number <= lowest) return null
      await rpcCall(l1.rpcUrl, 'anvil_reorg', [DEPTH, []])
      // L1 may have grown before the reorg, which then begins above the origin.
      const now = await blockAt(l1.rpcUrl, unsafe_l2.l1origin.number)
      return now?.hash === unsafe_l2.l1origin.hash ? null : { before, finalized }
    })

    await eventually('an unsafe chain without the replaced blocks', async () => {
      const { unsafe_l2 } = await syncStatus(l2.rollupRpcUrl)
      const origin = await blockAt(l1.rpcUrl, unsafe_l2.l1origin.number)
      return origin?.hash === unsafe_l2.l1origin.hash
    })
    await eventually('agreement of both nodes above their previous heads', async () => {
      const found = await findAgreement(devnet)
      return found !== null && found.safe > before.safe_l2.number && found.unsafe > before.unsafe_l2.number
    })

    await load.stop()
    const last = await eventually('the inclusion of the transactions', async () => {
      const receipts = await Promise.all(
        load.accepted.map((hash) => rpcCall<{ blockNumber: string } | null>(l2.rpcUrl, 'eth_getTransactionReceipt', [hash])),
      )
      return receipts.every((receipt) => receipt !== null) ? Math.max(...receipts.map((receipt) => Number(receipt?.blockNumber))) : null
    })
    await eventually(`safe block ${last} on both nodes`, async () => {
      const found = await findAgreement(devnet)
      return found !== null && found.safe >= last
    })
    for (const { rpcUrl } of [l2, validator]) {
      assert.equal((await blockAt(rpcUrl, before.finalized_l2.number))?.hash, finalized?.hash, 'finalized blocks are unchanged')
    }
  })
})
