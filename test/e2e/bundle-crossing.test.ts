import assert from 'node:assert/strict'
import { PREDEPLOYS } from '@keelson/contracts'
import { bytesToHex, type Hex, hexToBytes } from '@keelson/primitives'
import { blockAt, blockHashes, syncStatus } from '../support/chain-reading.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually, growsTo } from '../support/eventually.ts'
import { type FollowerProcess, startFollower } from '../support/follower-process.ts'
import { rpcCall } from '../support/json-rpc.ts'
import { runKeelson } from '../support/keelson-process.ts'
import { type PredeployVersions, readPredeployVersions, VERSIONS_AT_KARST, VERSIONS_AT_LAGOON } from '../support/predeploy-versions.ts'
import { startTransactionLoad, type TransactionLoad } from '../support/transaction-load.ts'

const { offset: PORT_OFFSET, spare: FOLLOWER_PORT } = await claimE2ePorts()
/** After genesis. The network has to start before it, also on a busy machine. */
const FORK_SEC = 120
const BLOCK_MS = 2_000
const BLOCK = (FORK_SEC * 1_000) / BLOCK_MS
/** Transactions of op-core/nuts/bundles/lagoon_nut_bundle.json, and their gas with 150,000 more. optimism pull request 22216. */
const UPGRADES = 29
const UPGRADE_GAS = 64_827_394 + 150_000
const FAST = ['--l1.block-time-sec', '2', '--sequencer.l1-confirmations', '1', '--batcher.max-channel-duration', '1']

interface BlockHead {
  readonly gasLimit: string
}

const versionsAt = (url: string, number: number) =>
  readPredeployVersions(async (to, data) =>
    hexToBytes(await rpcCall<Hex>(url, 'eth_call', [{ to, data: bytesToHex(data) }, `0x${number.toString(16)}`])),
  )

async function holdsTransfers(url: string, number: number): Promise<boolean> {
  return ((await blockAt(url, number))?.transactions ?? []).some(({ type }) => Number(type) === 2)
}

async function gasLimitAt(url: string, number: number): Promise<number> {
  return Number((await rpcCall<BlockHead>(url, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false])).gasLimit)
}

function versionTable(before: PredeployVersions, after: PredeployVersions): string {
  const names = Object.keys(after) as (keyof typeof PREDEPLOYS)[]
  const rows = names.map((name) => `| ${PREDEPLOYS[name]} | ${name} | ${before[name] ?? '-'} | ${after[name] ?? '-'} |`)
  return ['| predeploy | name | before | after |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

describe('a network that crosses a fork with a bundle of upgrade transactions', () => {
  let devnet: DevnetProcess | undefined
  let load: TransactionLoad | undefined
  let follower: FollowerProcess | undefined
  after(async () => {
    await load?.stop().catch(() => undefined)
    await follower?.remove()
    await devnet?.remove()
  })

  it('starts at Karst, counts down to Lagoon, and includes transfers throughout', async () => {
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, ['--fork-at', `lagoon=${FORK_SEC}`, ...FAST, ...withServices()])
    load = startTransactionLoad(devnet, [1, 2, 3], 200)
    follower = startFollower(devnet, FOLLOWER_PORT)
    const { stdout } = await runKeelson(['devnet', 'status', '--data-dir', devnet.folder])
    assert.match(stdout, /forks to come: lagoon in \d+ (s|min)/)
    assert.deepEqual(await versionsAt(devnet.facts.l2.rpcUrl, 1), VERSIONS_AT_KARST)
  })

  it('has the same blocks on the sequencer, the validator and a node that derives from L1 alone', async () => {
    const { l2, validator } = (devnet as DevnetProcess).facts
    const { rpcUrl, rollupRpcUrl } = follower as FollowerProcess
    const last = BLOCK + 5
    await growsTo('the node that reads only L1', last, async () => (await syncStatus(rollupRpcUrl)).safe_l2.number)
    await growsTo('the validator', last, async () => Number(await rpcCall<string>(validator.rpcUrl, 'eth_blockNumber')))
    const sequenced = await blockHashes(l2.rpcUrl, last)
    assert.deepEqual(await blockHashes(validator.rpcUrl, last), sequenced)
    assert.deepEqual(await blockHashes(rpcUrl, last), sequenced)
  })

  it('executes the whole bundle in a block without user transactions, whose higher gas limit applies only to that block', async () => {
    const { rpcUrl } = follower as FollowerProcess
    const types = (await blockAt(rpcUrl, BLOCK))?.transactions.map(({ type }) => Number(type)) ?? []
    assert.ok(types.length > UPGRADES && types.every((type) => type === 0x7e), `types ${types.join()}`)
    const receipts = await rpcCall<{ status: string }[]>(rpcUrl, 'eth_getBlockReceipts', [`0x${BLOCK.toString(16)}`])
    assert.deepEqual(
      receipts.slice(-UPGRADES).map(({ status }) => status),
      Array.from({ length: UPGRADES }, () => '0x1'),
    )
    const limits = await Promise.all([BLOCK - 1, BLOCK, BLOCK + 1].map((number) => gasLimitAt(rpcUrl, number)))
    const own = limits[0] as number
    assert.deepEqual(limits, [own, own + UPGRADE_GAS, own])
    // A busy sequencer may seal a block without the transfers that it could hold.
    let before = BLOCK - 1
    while (before > 0 && !(await holdsTransfers(rpcUrl, before))) before--
    assert.ok(before > 0, 'a block before the fork holds transfers')
    let after = BLOCK + 1
    await eventually('a derived block after the fork that holds transfers', async () => {
      const { safe_l2 } = await syncStatus((follower as FollowerProcess).rollupRpcUrl)
      for (; after <= safe_l2.number; after++) if (await holdsTransfers(rpcUrl, after)) return true
      return false
    })
  })

  it('has every predeploy at its new version on all three', async () => {
    const { l2, validator } = (devnet as DevnetProcess).facts
    const { rpcUrl } = follower as FollowerProcess
    for (const url of [l2.rpcUrl, validator.rpcUrl, rpcUrl]) assert.deepEqual(await versionsAt(url, BLOCK), VERSIONS_AT_LAGOON)
    console.log(versionTable(await versionsAt(rpcUrl, BLOCK - 1), await versionsAt(rpcUrl, BLOCK)))
    await load?.stop()
    assert.ok((load?.accepted.length ?? 0) > 100)
  })
})
