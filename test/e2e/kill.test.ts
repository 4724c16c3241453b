import assert from 'node:assert/strict'
import { awaitComplete, type BridgeWatch, startBridgeWatch } from '../support/bridge-watch.ts'
import { blockAt, blockHashes, syncStatus } from '../support/chain-reading.ts'
import { type DepositLoad, findUncredited, startDepositLoad } from '../support/deposit-load.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { type FaucetLoad, findWrongPayments, startFaucetLoad } from '../support/faucet-load.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { PLATFORM_START_MS } from '../support/platform/platform-fleet.ts'
import { ROLE_NAMES, type RoleName, roleProbes } from '../support/role-probes.ts'
import { startTransactionLoad, type TransactionLoad } from '../support/transaction-load.ts'
import { assertHonestValidator, awaitAnotherAttestation } from '../support/validator-record.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const SENDERS = [1, 2, 3]
const SEND_INTERVAL_MS = 500
const DEPOSIT_INTERVAL_MS = 3_000
const CLAIM_INTERVAL_MS = 500

const ROLES = ROLE_NAMES.filter((role) => role !== 'l1')
const probes = roleProbes(PORT_OFFSET)

const pidOf = (devnet: DevnetProcess, role: string): number => {
  const pid = devnet.rolePids()[role]
  assert.ok(pid, `no process of ${role} is recorded`)
  return pid
}

async function killAndAwait(devnet: DevnetProcess, role: RoleName): Promise<void> {
  const pid = pidOf(devnet, role)
  const killed = performance.now()
  process.kill(pid, 'SIGKILL')
  await eventually(`${role} serving again`, async () => {
    if (pidOf(devnet, role) === pid) return false
    await probes[role](devnet)
    return true
  })
  console.log(`      ${role}: served again after ${(performance.now() - killed).toFixed(0)} ms`)
}

describe('a network whose roles are killed under load', () => {
  let devnet: DevnetProcess
  let load: TransactionLoad
  let deposits: DepositLoad
  let bridge: BridgeWatch
  let claims: FaucetLoad
  const wentBack: string[] = []

  before(async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, ['--l1.block-time-sec', '2', '--sequencer.l1-confirmations', '2'])
    const everyRole = async () => {
      await Promise.all(ROLE_NAMES.map((role) => probes[role](devnet)))
      return true
    }
    await eventually('a response of every role', everyRole, PLATFORM_START_MS)
    load = startTransactionLoad(devnet, SENDERS, SEND_INTERVAL_MS)
    deposits = startDepositLoad(devnet.facts, DEPOSIT_INTERVAL_MS)
    bridge = startBridgeWatch(devnet.facts, deposits.hashes, (text) => wentBack.push(text))
    claims = startFaucetLoad(devnet.facts.services.faucet, CLAIM_INTERVAL_MS)
  })
  after(async () => {
    await Promise.allSettled([load?.stop(), deposits?.stop(), bridge?.stop(), claims?.stop()])
    await devnet?.remove()
  })

  const both = () => [devnet.facts.l2, devnet.facts.validator] as const
  const safeHead = async () => (await syncStatus(devnet.facts.l2.rollupRpcUrl)).safe_l2.number

  for (const role of ROLES) {
    it(`recovers from the kill of ${role} without changing a safe block`, async () => {
      const { l2 } = devnet.facts
      const safe = await eventually('a safe block', async () => (await safeHead()) || null)
      const hashes = await blockHashes(l2.rpcUrl, safe)
      const unsafe = Number((await blockAt(l2.rpcUrl, 'latest'))?.number)
      await killAndAwait(devnet, role)
      for (const node of both()) {
        await eventually(
          `blocks after ${unsafe} on ${node.rpcUrl}`,
          async () => Number(await rpcCall<string>(node.rpcUrl, 'eth_blockNumber')) >= unsafe + 2,
        )
        assert.deepEqual(await blockHashes(node.rpcUrl, safe), hashes, `safe blocks of ${node.rpcUrl}`)
      }
      assert.deepEqual(wentBack, [])
      await assertHonestValidator(devnet.facts)
    })
  }

  it('makes every accepted transaction safe on both nodes', async () => {
    await load.stop()
    const { l2, validator } = devnet.facts
    assert.ok(load.accepted.length >= 50, `only ${load.accepted.length} transactions were accepted`)
    const blocks = await eventually('the inclusion of all accepted transactions', async () => {
      const receipts = await Promise.all(
        load.accepted.map((hash) => rpcCall<{ blockNumber: string } | null>(l2.rpcUrl, 'eth_getTransactionReceipt', [hash])),
      )
      return receipts.every((receipt) => receipt !== null) ? receipts.map((receipt) => Number(receipt?.blockNumber)) : null
    })
    const last = Math.max(...blocks)
    const safe = await eventually(`safe block ${last} on both nodes`, async () => {
      const heads = await Promise.all(both().map(async (node) => (await syncStatus(node.rollupRpcUrl)).safe_l2.number))
      const lowest = Math.min(...heads)
      return lowest >= last ? lowest : null
    })
    assert.deepEqual(await blockHashes(validator.rpcUrl, safe), await blockHashes(l2.rpcUrl, safe))
    const inSafe = new Set<string>()
    for (let number = 1; number <= safe; number++)
      for (const tx of (await blockAt(validator.rpcUrl, number))?.transactions ?? []) inSafe.add(tx.hash)
    assert.deepEqual(
      load.accepted.filter((hash) => !inSafe.has(hash)),
      [],
      'accepted transactions that are in no safe block',
    )
  })

  it('reports every deposit as complete, and never moves one backwards', async () => {
    await deposits.stop()
    const { l1, l2 } = devnet.facts
    const last = Number(await rpcCall<string>(l1.rpcUrl, 'eth_blockNumber'))
    const complete = await awaitComplete(devnet.facts, deposits.hashes, last)
    await bridge.stop()
    assert.ok(complete >= 5 && bridge.answers > complete, `${complete} deposits, ${bridge.answers} answers`)
    assert.deepEqual(wentBack, [])
    const { found, wrong } = await findUncredited(devnet.facts, l2.rpcUrl, last, 'latest')
    assert.deepEqual([found >= complete, wrong], [true, []])
  })

  it('pays every accepted faucet claim exactly once', async () => {
    await claims.stop()
    assert.ok(claims.accepted.length >= 20, `only ${claims.accepted.length} claims were accepted`)
    await eventually('the payment of every accepted claim', async () => {
      const wrong = await findWrongPayments(claims, devnet.facts.l2.rpcUrl)
      if (wrong.length > 0) throw new Error(wrong.slice(0, 5).join('; '))
      return true
    })
  })

  it('has a validator that attests again and has signed nothing slashable', async () => {
    assert.ok((await awaitAnotherAttestation(devnet.facts)) > 0)
  })
})
