/** A killed L1 returns at its last dump, possibly below the finalized block. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findAgreement } from '../support/agreement.ts'
import { blockAt, syncStatus } from '../support/chain-reading.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { startTransactionLoad, type TransactionLoad } from '../support/transaction-load.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const NODES = ['consensus', 'validator-consensus'] as const

interface LogLine {
  readonly message: string
  readonly level: string
}

/** Null while there is no whole dump. */
function dumpedHeight(file: string): number | null {
  try {
    return Number((JSON.parse(readFileSync(file, 'utf8')) as { best_block_number: number | string }).best_block_number)
  } catch {
    return null
  }
}

describe('an L1 that is killed', () => {
  let devnet: DevnetProcess
  let load: TransactionLoad

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, [
      '--l1.block-time-sec',
      '2',
      '--sequencer.l1-confirmations',
      '2',
      ...withServices(),
    ])
    load = startTransactionLoad(devnet, [1, 2], 1_000)
  })
  after(async () => {
    await load?.stop().catch(() => undefined)
    await devnet?.remove()
  })

  const logOf = (role: string): LogLine[] =>
    readFileSync(join(devnet.folder, 'logs', `${role}.log`), 'utf8')
      .split('\n')
      // The last line may not be whole yet.
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as LogLine)
  const resets = (role: string) => logOf(role).filter(({ message }) => message === 'derivation reset').length

  it('returns at its last dump, and both nodes agree again', async () => {
    const { l1, l2 } = devnet.facts
    const dump = join(devnet.folder, 'l1', 'state.json')
    const l1Head = async () => Number(await rpcCall<string>(l1.rpcUrl, 'eth_blockNumber'))
    const pid = devnet.rolePids().l1
    assert.ok(pid)
    const { before, resetsBefore, height, headHash } = await eventually('the kill of an L1 with read blocks after its dump', async () => {
      const [before, other] = await Promise.all([syncStatus(l2.rollupRpcUrl), syncStatus(devnet.facts.validator.rollupRpcUrl)])
      const height = await l1Head()
      const facts = { before, height, headHash: (await blockAt(l1.rpcUrl, height))?.hash, resetsBefore: NODES.map(resets) }
      const read = Math.min(before.current_l1.number, other.current_l1.number)
      const losesReadBlocks = () => read > (dumpedHeight(dump) ?? read) + 1
      if (before.finalized_l2.number === 0 || !losesReadBlocks()) return null
      // While it is stopped, it writes no other dump.
      process.kill(pid, 'SIGSTOP')
      const isKilled = losesReadBlocks()
      process.kill(pid, isKilled ? 'SIGKILL' : 'SIGCONT')
      return isKilled && facts
    })

    await eventually('L1 answering again', async () => devnet.rolePids().l1 !== pid && (await l1Head()) > 0)
    await eventually('the previous L1 height', async () => (await l1Head()) > height)
    assert.notEqual((await blockAt(l1.rpcUrl, height))?.hash, headHash, 'blocks after the dump are lost')
    const resetsSince = () => NODES.map((role, i) => resets(role) - (resetsBefore[i] as number))
    await eventually('the detection of the L1 reorg by both nodes', async () => resetsSince().every((count) => count > 0))
    await eventually('agreement of both nodes above their previous heads', async () => {
      const found = await findAgreement(devnet)
      return found !== null && found.safe > before.safe_l2.number && found.unsafe > before.unsafe_l2.number
    })
    assert.deepEqual(resetsSince(), [1, 1], `resets of ${NODES.join(' and ')}`)

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
  })
})
