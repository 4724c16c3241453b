import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createJwt, createSystemClock, loadJwtSecret } from '@keelson/runtime'
import { devnetPorts } from '../../packages/devnet/src/ports/ports.ts'
import { blockAt, blockHashes, syncStatus } from '../support/chain-reading.ts'
import { type DevnetProcess, newDevnetFolder, startDevnet, withServices } from '../support/devnet-process.ts'
import { claimE2ePorts } from '../support/e2e-ports.ts'
import { eventually } from '../support/eventually.ts'
import { rpcCall } from '../support/json-rpc.ts'

const { offset: PORT_OFFSET } = await claimE2ePorts()
const local = (port = 0) => `http://127.0.0.1:${port}`
const PORTS = devnetPorts(PORT_OFFSET, 2)
const CANDIDATES = {
  sequencer: { role: 'consensus', rollupUrl: local(PORTS.consensus.rpc), rpcUrl: local(PORTS.execution.http) },
  standby: { role: 'standby-consensus', rollupUrl: local(PORTS.standbyConsensus?.rpc), rpcUrl: local(PORTS.standbyExecution?.http) },
} as const
type Name = keyof typeof CANDIDATES

describe('the hand-over between sequencer processes', () => {
  let devnet: DevnetProcess

  before(async () => {
    const options = [
      '--sequencers',
      '2',
      '--l1.block-time-sec',
      '2',
      '--sequencer.l1-confirmations',
      '2',
      '--batcher.data-availability',
      'calldata',
    ]
    devnet = await startDevnet(newDevnetFolder(), PORT_OFFSET, [...options, ...withServices()])
  })
  after(async () => {
    await devnet?.remove()
  })

  async function operate<T>(method: string, ...params: unknown[]): Promise<T> {
    const { conductor } = devnet.facts
    assert.ok(conductor)
    const { secret } = await loadJwtSecret(join(conductor.secrets, 'operator.hex'))
    const authorization = `Bearer ${await createJwt(secret, createSystemClock())}`
    return rpcCall<T>(conductor.operatorUrl, `conductor_${method}`, params, undefined, { authorization })
  }
  const leaderOf = async () => (await operate<{ id: Name }>('leaderWithID')).id
  const validatorHead = async () => Number(await rpcCall<string>(devnet.facts.validator.rpcUrl, 'eth_blockNumber'))

  async function killLeader(): Promise<void> {
    const leader = await leaderOf()
    const other: Name = leader === 'sequencer' ? 'standby' : 'sequencer'
    await eventually(`${other} ready to lead`, () => operate<boolean>('sequencerHealthy', other))
    const safe = (await syncStatus(devnet.facts.validator.rollupRpcUrl)).safe_l2.number
    const hashes = await blockHashes(devnet.facts.validator.rpcUrl, safe)
    const head = await validatorHead()
    const pid = devnet.rolePids()[CANDIDATES[leader].role]
    assert.ok(pid)
    const killed = performance.now()
    process.kill(pid, 'SIGKILL')
    await eventually('blocks going on', async () => (await validatorHead()) >= head + 2)
    console.log(`      two blocks after the kill of the leader took ${((performance.now() - killed) / 1000).toFixed(1)} s`)
    for (const { rpcUrl } of [devnet.facts.validator, CANDIDATES[other]])
      assert.deepEqual(await blockHashes(rpcUrl, safe), hashes, `safe blocks of ${rpcUrl}`)
  }

  it('continues block production when either leader is killed, and changes no safe block', async () => {
    await killLeader()
    await killLeader()
  })

  it("follows the operator's request, and all nodes agree on the safe chain", async () => {
    const from = await leaderOf()
    const to: Name = from === 'sequencer' ? 'standby' : 'sequencer'
    await eventually(`hand-over to ${to}`, async () => {
      await operate('transferLeaderToServer', to, '').catch(() => undefined)
      return (await leaderOf()) === to
    })
    const head = await validatorHead()
    await eventually('blocks going on', async () => (await validatorHead()) >= head + 2)
    assert.equal(await eventually('it seals', () => rpcCall<boolean>(CANDIDATES[to].rollupUrl, 'admin_sequencerActive')), true)
    await eventually(`safe block ${head} on the validator`, async () => {
      return (await syncStatus(devnet.facts.validator.rollupRpcUrl)).safe_l2.number >= head
    })
    const hashes = await blockHashes(devnet.facts.validator.rpcUrl, head)
    for (const { rpcUrl } of Object.values(CANDIDATES)) {
      await eventually(`block ${head} on ${rpcUrl}`, () => blockAt(rpcUrl, head))
      assert.deepEqual(await blockHashes(rpcUrl, head), hashes, rpcUrl)
    }
  })
})
